/** A second copy of a target that says it elects a leader, and of one that does not need to. */
import { expect, it } from 'vitest';
import { controllers, nameOf, optionsFor } from '../../scripts/catalogue.ts';
import { run, type CampaignResult, type StalemateOptions } from '../index.ts';

/** Runs a controller of which both copies are always active. */
function withoutLock(more: StalemateOptions): Promise<CampaignResult> {
  const entry = controllers.find((candidate) => nameOf(candidate) === 'elected-pools/no-leader-check');
  if (entry === undefined) throw new Error('the catalogue lost its example');
  const { replicas: _, leaderElection: __, ...options } = optionsFor(entry, { seed: 1, budget: 300 });
  return run({ ...options, properties: ['one-active-leader', 'survival'], ...more });
}

it('is not started where no lock was taken, with a warning', async () => {
  const { warnings, contention, perProperty } = await withoutLock({ leaderElection: true });

  expect(warnings).toContainEqual(expect.stringContaining('the target took no lock in its undisturbed runs'));
  expect(contention.faults).toBeGreaterThan(0);
  expect(perProperty['one-active-leader']).toMatchObject({ untested: true });
});

it('is started where it is declared to need no lock', async () => {
  const { warnings, perProperty } = await withoutLock({ replicas: 2 });

  expect(warnings).not.toContainEqual(expect.stringContaining('lock'));
  expect(perProperty['one-active-leader']).not.toHaveProperty('untested');
});
