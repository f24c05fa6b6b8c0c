import { describe, expect, it } from 'vitest';
import { failure } from 'stalemate-apiserver/wire/status';
import type { Verb } from '../model/history.ts';
import { describeFault, injectedFailure } from './faults.ts';
import { Naming } from './naming.ts';
import { outcomeOf } from './outcome.ts';
import { Recorder } from './recorder.ts';
import type { OpenOperation } from './recorder.ts';

function operation(verb: Verb): OpenOperation {
  const recorder = new Recorder(() => 0, new Naming());
  const place = { resource: 'things', version: 'v1', subresource: '', namespace: 'default', name: 'a' };
  const label = `controller/${verb}/things/default/a#0`;
  return {
    ...place,
    id: 0,
    actor: 'controller',
    label,
    verb,
    query: {},
    invoked: recorder.mark(),
    outcome: { type: 'pending' },
    committed: [],
  };
}

describe('what an actor was told', () => {
  it('is uncertain when the connection broke, except when it was refused', () => {
    expect(outcomeOf({ code: 'ECONNRESET', message: 'socket hang up' }, operation('update'))).toEqual({
      type: 'info',
      why: 'socket hang up',
    });
    expect(outcomeOf({ code: 'ETIMEDOUT', message: 'slow' }, operation('update')).type).toBe('info');
    expect(outcomeOf({ code: 'ECONNREFUSED', message: 'refused' }, operation('update')).type).toBe('fail');
  });

  it.each([
    ['a status', { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }],
    ['the kinds of a group', { kind: 'APIResourceList', groupVersion: 'v1', resources: [] }],
    ['the version of the server', { major: '1', minor: '36' }],
  ])('is no object where it is %s', (_, body) => {
    expect(outcomeOf({ code: 200, body }, operation('get'))).toEqual({ type: 'ok', code: 200 });
  });

  it('is the object of a single answer, and the items and version of a list', () => {
    const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } };

    expect(outcomeOf({ code: 200, body: object }, operation('get'))).toEqual({ type: 'ok', code: 200, object });
    expect(
      outcomeOf({ code: 200, body: { metadata: { resourceVersion: '7' }, items: [object] } }, operation('list')),
    ).toEqual({ type: 'ok', code: 200, items: [object], listRevision: 7 });
  });

  it('is no object when a delete answers with a Status, or a plain text comes back', () => {
    expect(outcomeOf({ code: 200, body: { kind: 'Status' } }, operation('delete'))).toEqual({ type: 'ok', code: 200 });
    expect(outcomeOf({ code: 200, body: 'ok' }, operation('get'))).toEqual({ type: 'ok', code: 200 });
  });

  it('is the reason and the message of a refusal', () => {
    expect(outcomeOf(failure(409, 'Conflict', 'too late'), operation('update'))).toEqual({
      type: 'fail',
      code: 409,
      reason: 'Conflict',
      message: 'too late',
    });
    expect(outcomeOf({ code: 404, body: 'page not found' }, operation('get'))).toMatchObject({
      reason: '',
      message: 'page not found',
    });
  });
});

describe('faults in words', () => {
  it('name every kind', () => {
    expect(
      [
        { do: 'fail', status: 500 } as const,
        { do: 'stale-list', behind: 3 } as const,
        ...(['refuse', 'lose-response', 'close-watch', 'expire-watch', 'crash', 'start-replica'] as const).map(
          (kind) => ({ do: kind }),
        ),
      ].map(describeFault),
    ).toEqual([
      'fail with 500',
      'answer from 3 revisions ago',
      'refuse the connection',
      'lose the response',
      'close the watch',
      'answer 410 in the watch',
      'crash and restart the target',
      'start a second replica',
    ]);
  });

  it('are worded as an overloaded server words them', () => {
    expect(injectedFailure({ do: 'fail', status: 429 }).body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'TooManyRequests',
      code: 429,
    });
  });
});
