import { expect, it } from 'vitest';
import { WIDGETS_PATH } from 'stalemate-apiserver/testing';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { ProgramOp } from '../../model/workload.ts';
import { takeReferences } from './references.ts';
import { label, runnerOf, setReady, thinTarget, time, workload, type Send } from './testing.ts';

const POLL_MS = 300_000;

/** Lists all widgets every five minutes. */
function polls(send: Send): void {
  setInterval(() => void send('GET', WIDGETS_PATH), POLL_MS);
}

const later = (op: ProgramOp, afterMs: number): ProgramOp => ({ ...op, afterMs });
const trialWith = (ops: readonly ProgramOp[]): Trial => ({
  workload: workload([{ actor: 'user', writer: 'user', ops }]),
  schedule: EMPTY_SCHEDULE,
});

it('knows when a target does something by itself', async () => {
  const { aim } = await takeReferences(runnerOf(thinTarget(setReady, polls)), workload(), []);

  const [first = 0, second = 0, ...more] = aim.waitsMs ?? [];

  expect(first).toBeGreaterThan(POLL_MS / 3);
  expect(first).toBeLessThan(POLL_MS);
  expect(second).toBeGreaterThan(POLL_MS);
  expect(second).toBeLessThan(2 * POLL_MS);
  expect(more.length).toBeGreaterThan(5);
  expect(Math.max(...more)).toBeGreaterThan(10 * 3_600_000);
});

it('knows of nothing where nothing comes by itself', async () => {
  const { aim } = await takeReferences(runnerOf(thinTarget(setReady)), workload(), []);

  expect(aim.waitsMs).toBeUndefined();
});

it('lets an operation wait until shortly before the next of these moments', async () => {
  const runner = runnerOf(thinTarget(setReady, polls));

  const history = await runner.run(trialWith([label('x'), later(label('y'), POLL_MS / 2)]));

  const edits = history.operations.filter(({ actor, verb }) => actor === 'user' && verb === 'update');
  const [poll] = history.operations.filter(({ verb, invoked }) => verb === 'list' && invoked.timeMs > 60_000);
  expect(edits).toHaveLength(2);
  const [first, second] = edits.map(({ invoked }) => invoked.timeMs) as [number, number];
  const pollMs = poll?.invoked.timeMs ?? 0;
  expect(first).toBeLessThan(POLL_MS / 2);
  expect(pollMs).toBeGreaterThan(second);
  expect(pollMs - second).toBeLessThan(20);
});

it('waits for as long as it says where the target does nothing by itself', async () => {
  const runner = runnerOf(thinTarget(setReady));

  const { operations } = await runner.run(trialWith([later(label('x'), 3_600_000)]));

  const edit = operations.find(({ actor, verb }) => actor === 'user' && verb === 'get');
  expect(edit?.invoked.timeMs).toBeGreaterThanOrEqual(3_600_000);
  expect(edit?.invoked.timeMs).toBeLessThan(3_601_000);
});

it('gives the same run each time', async () => {
  const runner = runnerOf(thinTarget(setReady, polls));
  const trial = trialWith([later(label('x'), POLL_MS)]);

  expect(await runner.run(trial)).toEqual(await runner.run(trial));
  expect(time.pendingImmediates()).toBe(0);
});

it('ends a wait early if the schedule calls its actor', async () => {
  const at = 'controller/get/configmaps/default/x#0!sent';
  const runner = runnerOf(
    thinTarget(setReady, (send) => {
      setTimeout(() => void send('GET', '/api/v1/namespaces/default/configmaps/x'), 30_000);
    }),
  );
  const trial = trialWith([later(label('x'), 3_600_000)]);

  const { operations, missed } = await runner.run({
    ...trial,
    schedule: { ...EMPTY_SCHEDULE, preemptions: [{ before: at, run: 'user' }] },
  });

  const edit = operations.find(({ actor, verb }) => actor === 'user' && verb === 'update');
  const get = operations.find(({ resource, verb }) => resource === 'configmaps' && verb === 'get');
  expect(missed).toEqual([]);
  expect(edit?.invoked.timeMs).toBeGreaterThanOrEqual(30_000);
  expect(edit?.invoked.timeMs).toBeLessThan(31_000);
  expect(edit?.sent?.at).toBeLessThan(get?.sent?.at ?? 0);
});
