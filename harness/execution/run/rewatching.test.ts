/** Tests how broken watches affect when a run counts as settled. */
import { describe, expect, it } from 'vitest';
import type { Operation, StreamEnd } from '../../model/history.ts';
import { Rewatching } from './rewatching.ts';
import type { World } from './world.ts';

const REWATCH_MS = 5_000;

function watch(label: string, type: 'ok' | 'pending' = 'ok'): Operation {
  return { label, actor: 'controller', verb: 'watch', resource: 'secrets', outcome: { type } } as Operation;
}

function ended(stream: string): StreamEnd {
  return { stream, actor: 'controller', resource: 'secrets', why: 'closed' } as StreamEnd;
}

/** Returns a run in which the target watches secrets; the test adds ended streams and operations, and lets time pass. */
function running(rewatchMs: number): {
  readonly rewatching: Rewatching;
  readonly operations: Operation[];
  readonly streamEnds: StreamEnd[];
  pass(ms: number): void;
} {
  let nowMs = 0;
  const recorder = { operations: [watch('secrets#0')], streamEnds: [] as StreamEnd[], processes: [] };
  const host = { pace: { rewatchMs }, time: { now: () => nowMs } };
  const rewatching = new Rewatching({ recorder, host } as unknown as World);
  return { rewatching, operations: recorder.operations, streamEnds: recorder.streamEnds, pass: (ms) => (nowMs += ms) };
}

describe('a watch', () => {
  it('that is open is not waited for', () => {
    expect(running(REWATCH_MS).rewatching.isPending()).toBe(false);
  });

  it('that was closed is waited for until it is opened again', () => {
    const run = running(REWATCH_MS);

    run.streamEnds.push(ended('secrets#0'));
    expect(run.rewatching.isPending()).toBe(true);

    run.pass(1_000);
    expect(run.rewatching.isPending()).toBe(true);

    run.operations.push(watch('secrets#1', 'pending'));
    expect(run.rewatching.isPending()).toBe(false);
  });

  it('that does not come back is given up', () => {
    const run = running(REWATCH_MS);
    run.streamEnds.push(ended('secrets#0'));
    expect(run.rewatching.isPending()).toBe(true);

    run.pass(REWATCH_MS);

    expect(run.rewatching.isPending()).toBe(false);
  });

  it('gets its time anew each time', () => {
    const run = running(REWATCH_MS);
    run.streamEnds.push(ended('secrets#0'));
    expect(run.rewatching.isPending()).toBe(true);
    run.pass(REWATCH_MS - 1);
    run.operations.push(watch('secrets#1'));
    expect(run.rewatching.isPending()).toBe(false);

    run.streamEnds.push(ended('secrets#1'));
    run.pass(10);

    expect(run.rewatching.isPending()).toBe(true);
  });

  it('is nothing to wait for where windows outlast every client', () => {
    const run = running(0);

    run.streamEnds.push(ended('secrets#0'));

    expect(run.rewatching.isPending()).toBe(false);
  });
});
