import { describe, expect, it } from 'vitest';
import { isCorrect, nameOf, optionsFor, selected } from '../../scripts/catalogue.ts';
import { run } from '../index.ts';

const SEED = 20;
const RUNS = 300;
/** Minimum counts, well below those that these runs reach, but far above zero: runs that did not disturb the controllers must not pass. */
const FLOORS = { conflicts: 3, staleReads: 8, foreignWritesBetweenReadAndWrite: 8, faults: 30, heldEvents: 100 };

describe(`correct controllers in ${RUNS} trials (seed ${SEED})`, { timeout: 240_000 }, () => {
  const correct = selected([])
    .filter(isCorrect)
    .map((entry) => ({ name: nameOf(entry), entry }));

  it.concurrent.each(correct)('$name holds every claim, under contention', async ({ entry }) => {
    const { outcome, runs, findings, inconclusive, contention, perProperty } = await run(
      optionsFor(entry, { seed: SEED, budget: RUNS }),
    );

    expect(findings.map(({ violation }) => violation.sentence)).toEqual([]);
    expect({ outcome, runs, inconclusive: inconclusive.count }).toEqual({
      outcome: 'holds',
      runs: RUNS,
      inconclusive: 0,
    });
    expect(Object.values(perProperty).map(({ holds }) => holds)).toEqual(Object.keys(perProperty).map(() => RUNS));
    const below = Object.entries(FLOORS).filter(([counter, floor]) => (contention[counter] ?? 0) < floor);
    expect(below).toEqual([]);
  });
});
