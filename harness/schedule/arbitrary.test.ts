import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultKind, Schedule } from '../model/schedule.ts';
import { EMPTY_SCHEDULE, scheduleSize } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import type { Workload } from '../model/workload.ts';
import { depositSchedule, shrunkFrom, STRATEGY_MIX, trialArbitrary } from './arbitrary.ts';

const WORKLOAD: Workload = {
  version: 1,
  start: 'settled',
  sample: [],
  programs: ['writer-1', 'writer-2'].map((actor) => ({ actor, writer: 'test', ops: [] })),
};
const SCHEDULE: Schedule = {
  ...EMPTY_SCHEDULE,
  preemptions: [0, 1, 2].map((n) => ({ before: `controller/update/a#${n}!sent`, run: 'writer-1' })),
};
const FAULTS: readonly FaultKind[] = ['fail', 'crash'];
const arbitrary = trialArbitrary({ workload: fc.constant(WORKLOAD), faults: FAULTS });

function sample(numRuns: number): readonly Trial[] {
  return fc.sample(arbitrary, { seed: 5, numRuns });
}

/** Returns the first values of a shrink stream and, recursively, of their own streams. */
function walk(value: Trial, context: unknown, depth: number): readonly unknown[] {
  return [...arbitrary.shrink(value, context).take(6)].map(({ value_: below, context: further }) => [
    below,
    depth === 0 ? [] : walk(below, further, depth - 1),
  ]);
}

describe('generated trials', () => {
  it('ask for a search, from all strategies of the mix, the same for the same seed', () => {
    const trials = sample(60);

    // Here no watch may expire, which is what a gap needs, and no second copy may start, which a lost lock needs.
    const possible = STRATEGY_MIX.filter((name) => name !== 'gap' && name !== 'lost-lock');
    expect(new Set(trials.map(({ search }) => search?.strategy))).toEqual(new Set(possible));
    expect(trials.every(({ schedule }) => schedule === EMPTY_SCHEDULE)).toBe(true);
    expect(sample(60)).toEqual(trials);
  });

  it('are without any fault about half of the time, and switch whole kinds off in the rest', () => {
    const faults = sample(400).map(({ search }) =>
      Object.keys(search?.faults ?? {})
        .toSorted()
        .join(' '),
    );
    const without = faults.filter((kinds) => kinds === '').length;

    expect(new Set(faults)).toEqual(new Set(['', 'fail', 'crash', 'crash fail']));
    expect(without).toBeGreaterThan(200);
    expect(without).toBeLessThan(350);
  });

  it('leave out strategies about a fault that is switched off, and give the others theirs', () => {
    const strategies = ['lag', 'intermediate-state', 'stale-state'] as const;
    const drawn = (faults: readonly FaultKind[]): readonly Trial[] =>
      fc.sample(trialArbitrary({ workload: fc.constant(WORKLOAD), faults, strategies }), { seed: 5, numRuns: 60 });

    expect(new Set(drawn(['fail']).map(({ search }) => search?.strategy))).toEqual(new Set(['lag']));
    const stale = drawn(['crash', 'stale-list']).filter(({ search }) => search?.strategy === 'stale-state');
    expect(stale.length).toBeGreaterThan(5);
    expect(stale.every(({ search }) => search?.faults['crash'] !== undefined)).toBe(true);
  });

  it('do not shrink before somebody says what the search amounted to', () => {
    const [trial] = sample(1);
    if (trial === undefined) throw new TypeError('no trial was generated');

    expect(walk(trial, {}, 0)).toEqual([]);
  });
});

describe('shrinking a trial', () => {
  it('offers the deposited schedule first, and remembers where it came from', () => {
    const [trial] = sample(1);
    if (trial === undefined) throw new TypeError('no trial was generated');
    depositSchedule(trial, SCHEDULE);

    const [first, second] = [...arbitrary.shrink(trial, {}).take(2)].map(({ value_ }) => value_);

    expect(first).toEqual({ workload: trial.workload, schedule: SCHEDULE });
    expect(second?.workload.programs).toEqual([]);
    expect(first === undefined ? undefined : shrunkFrom(first)).toBe(trial);
    expect(shrunkFrom(trial)).toBeUndefined();
  });

  it('walks the same tree again, at every depth', () => {
    const [trial] = sample(1);
    if (trial === undefined) throw new TypeError('no trial was generated');
    depositSchedule(trial, SCHEDULE);

    const first = walk(trial, {}, 2);

    expect(first.length).toBeGreaterThan(3);
    expect(walk(trial, {}, 2)).toEqual(first);
  });

  it('gives the same tree when a stream is left half-way and taken up later', () => {
    const stored: Trial = { workload: WORKLOAD, schedule: SCHEDULE };
    const values = [...arbitrary.shrink(stored, undefined)];
    const third = values[2];
    if (third === undefined) throw new TypeError('too few candidates');
    const below = JSON.stringify(walk(third.value_, third.context, 1));

    for (const { value_, context } of values) walk(value_, context, 0);

    expect(JSON.stringify(walk(third.value_, third.context, 1))).toBe(below);
  });

  it('takes stored trials without a context, and nothing else', () => {
    const stored: Trial = { workload: WORKLOAD, schedule: SCHEDULE };

    expect(arbitrary.canShrinkWithoutContext(stored)).toBe(true);
    expect(walk(stored, undefined, 0).length).toBeGreaterThan(0);
    expect(arbitrary.canShrinkWithoutContext(sample(1)[0])).toBe(false);
    for (const other of [undefined, null, 3, 'trial', {}]) expect(arbitrary.canShrinkWithoutContext(other)).toBe(false);
  });

  it('brings fast-check from an example to what the failure needs', () => {
    const stored: Trial = { workload: WORKLOAD, schedule: SCHEDULE };
    const needed = SCHEDULE.preemptions[1];

    const outcome = fc.check(
      fc.property(arbitrary, ({ schedule }) => !schedule.preemptions.some(({ before }) => before === needed?.before)),
      { examples: [[stored]], numRuns: 1 },
    );

    const [smallest] = outcome.counterexample ?? [];
    expect(smallest?.schedule.preemptions).toEqual([needed]);
    expect(smallest?.workload.programs.map(({ actor }) => actor)).toEqual(['writer-1']);
    expect(scheduleSize(smallest?.schedule ?? SCHEDULE)).toBe(1);
  });
});
