/** Watches that ended and were not reopened, with one incarnation of the target and with two. */
import { describe, expect, it } from 'vitest';
import type { ActorId } from '../model/actor.ts';
import type { Operation, ProcessEvent, StreamEnd } from '../model/history.ts';
import { watchGivenUp } from './open-watches.ts';

const asked = (actor: ActorId, verb: Operation['verb'], resource: string, label = ''): Operation =>
  ({ actor, verb, resource, label, outcome: { type: 'ok', code: 200 } }) as Operation;
const closed = (stream: string): StreamEnd => ({ stream, why: 'closed' }) as StreamEnd;
const crashed = (actor: ActorId): ProcessEvent => ({ actor, kind: 'crashed' }) as ProcessEvent;

/** The leader watches; the other replica only reads the lease, and does so last. */
const operations: readonly Operation[] = [
  asked('controller', 'watch', 'secrets', 'controller/secrets#0'),
  asked('controller~2', 'get', 'leases.coordination.k8s.io'),
];

describe('a watch of two replicas', () => {
  it('is not given up by the one that waits for the lead', () => {
    expect(watchGivenUp({ operations, streamEnds: [], processes: [] })).toBeUndefined();
  });

  it('is given up by the leader whoever asked for something last', () => {
    const streamEnds = [closed('controller/secrets#0')];
    const last = asked('controller', 'get', 'leases.coordination.k8s.io');

    for (const all of [operations, [...operations, last]]) {
      expect(watchGivenUp({ operations: all, streamEnds, processes: [] })).toEqual({
        resource: 'secrets',
        what: 'ended (closed)',
      });
    }
  });

  it('was never opened by the one that is left', () => {
    expect(watchGivenUp({ operations, streamEnds: [], processes: [crashed('controller')] })).toEqual({
      resource: 'secrets',
      what: 'was never opened',
    });
  });

  it('is nobody’s when all have ended', () => {
    const processes = [crashed('controller'), crashed('controller~2')];

    expect(watchGivenUp({ operations, streamEnds: [], processes })).toBeUndefined();
  });
});
