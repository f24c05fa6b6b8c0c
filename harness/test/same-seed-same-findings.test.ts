import { expect, it } from 'vitest';
import { controllers, nameOf, optionsFor } from '../../scripts/catalogue.ts';
import { encodeCounterexample, encodeHistory, run } from '../index.ts';
import type { CampaignResult } from '../index.ts';

const BUDGET = 60;

function campaign(seed: number): Promise<CampaignResult> {
  const entry = controllers.find((candidate) => nameOf(candidate) === 'releases/refreshes-version-only');
  if (entry === undefined) throw new Error('the catalogue lost its example');
  return run(optionsFor(entry, { seed, budget: BUDGET, properties: ['no-lost-update', 'survival'] }));
}

/** Returns the parts of a result that do not depend on the speed of this machine. */
function story(result: CampaignResult): unknown {
  const { elapsedMs: _, findings, ...counted } = result;
  return {
    ...counted,
    findings: findings.map(({ counterexample, record, stats, violation }) => ({
      counterexample: encodeCounterexample(counterexample),
      record: encodeHistory(record),
      stats,
      violation,
    })),
  };
}

it('finds the same, counts the same and shrinks to the same histories with the same seed', async () => {
  const [first, second, other] = await Promise.all([campaign(3), campaign(3), campaign(12)]);

  expect(first.runs).toBe(BUDGET);
  expect(first.findings.length).toBeGreaterThan(0);
  expect(story(second)).toEqual(story(first));
  expect(other.contention).not.toEqual(first.contention);
});
