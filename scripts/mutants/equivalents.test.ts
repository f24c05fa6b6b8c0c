import { afterAll, describe, expect, it } from 'vitest';
import { equivalents, perhapsEquivalent } from './equivalents.ts';
import { allMutants } from './generate.ts';
import { Lane } from './jobs.ts';
import { placed } from './place.ts';
import { readResults } from './results.ts';

const mutants = new Map(allMutants().map((mutant) => [mutant.id, mutant]));
/** The number of runs of each search. */
const RUNS = 40;
/** A time budget that is enough for these runs on any machine. */
const SECONDS = 150;

describe('equivalent mutants', () => {
  const lane = new Lane();
  afterAll(() => lane.close());

  it('are at most a tenth of those that count', () => {
    const counting = readResults().mutants.filter(({ left }) => left === undefined);
    expect(equivalents.size).toBeLessThanOrEqual(counting.length / 10);
  });

  it.each([...equivalents, ...perhapsEquivalent])(
    '%s exists, and a search finds nothing in it',
    { timeout: 200_000 },
    async (id, because) => {
      const mutant = mutants.get(id);
      if (mutant === undefined) throw new Error(`there is no mutant "${id}"`);
      expect(because.length).toBeGreaterThan(40);
      const options = { ...placed(mutant), budget: `${SECONDS}s`, seed: 1 };
      const { kill, runs } = await lane.search(mutant.source.controller, { options, runs: RUNS }, SECONDS * 1000);
      expect(kill).toBeNull();
      expect(runs).toBeGreaterThanOrEqual(RUNS);
    },
  );
});
