import { describe, expect, it } from 'vitest';
import { PAIRS } from '../../controllers-under-test/pairs/pairs.ts';
import { optionsFor } from '../../scripts/pairs/options.ts';
import { run } from '../index.ts';

const SEED = 20;
const RUNS = 50;

describe(`controllers with planted bugs, without them, in ${RUNS} trials (seed ${SEED})`, () => {
  const twins = [...new Set(PAIRS.map(({ controller }) => controller))].map((controller) => ({ controller }));

  it.concurrent.each(twins)('$controller holds every claim', async (twin) => {
    const { outcome, runs, findings, inconclusive } = await run(optionsFor(twin, [], { seed: SEED, budget: RUNS }));

    expect(findings.map(({ violation }) => violation.sentence)).toEqual([]);
    expect({ outcome, runs, inconclusive: inconclusive.count }).toEqual({
      outcome: 'holds',
      runs: RUNS,
      inconclusive: 0,
    });
  });
});
