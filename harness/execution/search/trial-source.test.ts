import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_SCHEDULE, scheduleSize } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Program, Workload } from '../../model/workload.ts';
import { historyBuilder } from '../../oracle/test-history.ts';
import { workload } from '../run/testing.ts';
import { TrialSource } from './trial-source.ts';

const RANDOM: Trial = {
  workload: workload(),
  schedule: EMPTY_SCHEDULE,
  search: { strategy: 'pos', seed: 1, fairAfter: 1, faults: {} },
};

function startsAs(start: Workload['start'], writer: string): Workload {
  const target = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: writer };
  const stir: Program = { actor: 'user', writer, ops: [{ do: 'delete', target }] };
  return { ...workload(), start, programs: [stir, { actor: 'writer-1', writer: 'rival', ops: [] }] };
}

const CALM = [startsAs('settled', 'a'), startsAs('settled', 'a'), startsAs('settled', 'b'), startsAs('empty', 'a')];

function source(): TrialSource {
  return new TrialSource({
    trials: fc.constant(RANDOM),
    workloads: fc.constantFrom(...CALM),
    faults: [],
    seed: 1,
  });
}

/** Returns a run in which the target receives this many events. */
function told(events: number): ReturnType<ReturnType<typeof historyBuilder>['build']> {
  const h = historyBuilder().phase('contention');
  for (let n = 0; n < events; n++) {
    h.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${n}` } });
  }
  return h.deliver('controller', 'configmaps').phase('heal').phase('settle').build();
}

test('every other trial is random, and the others are calm runs of all that may happen to the target', () => {
  const trials = [...source().batch(7, 10)];
  const own = trials.filter((trial) => trial !== RANDOM);

  expect(trials.filter((_, index) => index % 2 === 0)).toEqual(Array.from({ length: 5 }, () => RANDOM));
  expect(own.map(({ schedule }) => scheduleSize(schedule))).toEqual([0, 0, 0]);
  expect(new Set(own.map((trial) => `${trial.workload.start} ${trial.workload.programs[0]?.writer}`)).size).toBe(3);
});

test('what calm runs have shown is deviated from, in turns, and then it is over', () => {
  const from = source();
  const calm = [...from.batch(7, 6)].filter((trial) => trial !== RANDOM);
  for (const trial of calm) from.learn(trial, told(2));
  const after = [...from.batch(8, 20)].filter((trial) => trial !== RANDOM);

  expect(after.map(({ schedule }) => scheduleSize(schedule))).toEqual([1, 1, 1, 1, 1, 1]);
  expect(after.slice(0, 3).map((trial) => trial.workload)).toEqual(calm.map((trial) => trial.workload));
});

test('of a calm run that has shown much, only some is tried', () => {
  const from = source();
  const calm = [...from.batch(7, 2)].filter((trial) => trial !== RANDOM);
  for (const trial of calm) from.learn(trial, told(24));
  const after = [...from.batch(8, 200)].filter((trial) => trial !== RANDOM && scheduleSize(trial.schedule) > 0);

  expect(after.length).toBe(6);
});

test('a trial that was not its own teaches nothing', () => {
  const from = source();
  from.learn(RANDOM, told(2));

  expect([...from.batch(7, 3)].every(({ schedule }) => scheduleSize(schedule) === 0)).toBe(true);
});

test('every other deviation leads to what the search lacks', () => {
  const lacking = new TrialSource({
    trials: fc.constant(RANDOM),
    workloads: fc.constantFrom(...CALM),
    faults: ['close-watch'],
    seed: 1,
    lacks: () => 'stale read',
  });
  const calm = [...lacking.batch(7, 6)].filter((trial) => trial !== RANDOM);
  const history = historyBuilder().phase('contention');
  history.create('user', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
  history.deliver('controller', 'configmaps').edit('controller', 'configmaps', 'c', ['data', 'done'], 'yes');
  for (const trial of calm) lacking.learn(trial, history.phase('heal').phase('settle').build());
  const after = [...lacking.batch(8, 12)].filter((trial) => trial !== RANDOM);

  expect(after.map(({ schedule }) => schedule.holds.length)).toEqual([1, 0, 1, 0, 1, 0]);
});
