/** A second copy of a target that says it elects a leader, and of one that does not need to. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { controllers, nameOf, optionsFor } from '../../scripts/catalogue.ts';
import { openLab, run, type StalemateOptions } from '../index.ts';

/** Returns the options of a controller that takes no lock, so that both copies are always active. */
function withoutLock(more: StalemateOptions): StalemateOptions {
  const entry = controllers.find((candidate) => nameOf(candidate) === 'elected-pools/no-leader-check');
  if (entry === undefined) throw new Error('the catalogue lost its example');
  const { replicas: _, leaderElection: __, ...options } = optionsFor(entry, { seed: 1, budget: 300 });
  return { ...options, properties: ['one-active-leader', 'survival'], ...more };
}

/** Reports whether the trials of a lab may start a second copy. */
async function startsOneInLab(more: StalemateOptions): Promise<boolean> {
  await using lab = await openLab(withoutLock(more));
  const trials = fc.sample(lab.trials(), { numRuns: 200, seed: 1 });
  return trials.some(({ search }) => search?.faults['start-replica'] !== undefined);
}

it('is not started where no lock was taken, with a warning', async () => {
  const { warnings, contention, perProperty } = await run(withoutLock({ leaderElection: true }));

  expect(warnings).toContainEqual(expect.stringContaining('the target took no lock in its undisturbed runs'));
  expect(contention.faults).toBeGreaterThan(0);
  expect(perProperty['one-active-leader']).toMatchObject({ untested: true });
});

it('is started where it is declared to need no lock', async () => {
  const { warnings, perProperty } = await run(withoutLock({ replicas: 2 }));

  expect(warnings).not.toContainEqual(expect.stringContaining('lock'));
  expect(perProperty['one-active-leader']).not.toHaveProperty('untested');
});

it('is not started by a lab either where no lock was taken', async () => {
  expect(await startsOneInLab({ leaderElection: true })).toBe(false);
  expect(await startsOneInLab({ replicas: 2 })).toBe(true);
});
