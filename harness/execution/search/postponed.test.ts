import { expect, it } from 'vitest';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { emptyHistory } from '../run/empty-history.ts';
import { violation } from '../run/test-verdicts.ts';
import { label, workload } from '../run/testing.ts';
import type { Failed } from './found.ts';
import { KnownCauses, type Suspect } from './known-causes.ts';
import { exploreUntil, hasExplored, Postponed } from './postponed.ts';

function suspect(key: string, certain = true): Suspect {
  return { violation: violation({ field: key }), causes: { candidates: [{ key, text: key }], certain } };
}

function failed(suspects: readonly Suspect[], size = 1): Failed {
  const ops = Array.from({ length: size }, (_, at) => label(`${at}`));
  return {
    trial: { workload: workload([{ actor: 'writer-1', writer: 'label-toucher', ops }]), schedule: EMPTY_SCHEDULE },
    judged: { history: emptyHistory(''), violations: [], inconclusive: new Map() },
    schedule: () => Promise.resolve(EMPTY_SCHEDULE),
    suspects,
  };
}

async function taken(runs: readonly Failed[], known = new KnownCauses([])): Promise<readonly (number | undefined)[]> {
  const postponed = new Postponed(known);
  for (const run of runs) await postponed.add(run);
  expect(postponed.size).toBe(runs.length);
  const sightings = postponed.take();
  expect(postponed).toMatchObject({ size: 0, causes: 0 });
  return sightings.map(({ failure }) => (failure === undefined ? undefined : runs.indexOf(failure)));
}

it('explores for three fifths of the time, where proofs are expensive', () => {
  expect(exploreUntil({ exploresFirst: true }, 100, 300)).toBe(220);
  expect(exploreUntil({ exploresFirst: false }, 100, 300)).toBeLessThan(100);
});

it.each([
  [20, 10, 10, true],
  [19, 10, 10, false],
  [20, 9, 10, false],
  [20, 10, 9, false],
  [60, 0, 0, true],
])('has explored after %i runs with %i conflicts and %i stale reads: %s', (runs, conflicts, staleReads, enough) => {
  expect(hasExplored({ runs, inconclusiveRuns: 0, contention: { conflicts, staleReads } })).toBe(enough);
});

it('takes one example of each cause before the second of any, and smaller ones first', async () => {
  const runs = [
    failed([suspect('a')], 3),
    failed([suspect('a')], 2),
    failed([suspect('b')], 5),
    failed([suspect('a')], 1),
  ];

  expect(await taken(runs)).toEqual([3, 2, 1, 0]);
});

it('takes runs that name their cause before those that only show an outcome', async () => {
  expect(await taken([failed([suspect('outcome', false)], 1), failed([suspect('cause')], 9)])).toEqual([1, 0]);
});

it('only counts further runs of a cause with enough examples', async () => {
  const runs = [1, 2, 3, 4].map((size) => failed([suspect('a')], size));

  expect(await taken(runs)).toEqual([0, 1, 2, undefined]);
});

it('announces the first run of each cause', async () => {
  const postponed = new Postponed(new KnownCauses([]));
  const [a, again, b] = [suspect('a'), suspect('a'), suspect('b')];

  const seen = [await postponed.add(failed([a])), await postponed.add(failed([again, b]))];

  expect(seen.map((of) => of.map((one) => one.violation.cause.key))).toEqual([['a'], ['b']]);
  expect([a, again, b].map((one) => postponed.wasFirst(one))).toEqual([true, false, true]);
  expect(postponed.causes).toBe(2);
});
