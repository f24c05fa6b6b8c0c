/**
 * Prints one digest of many histories for each controller that runs inside the harness: a refactoring must not change them.
 *
 * `node scripts/history-digests.ts --seeds 10000 [--only TEXT]` divides the seeds among the controllers. Start at `main`.
 */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { encodeHistory, openLab } from '../harness/index.ts';
import { type ControllerUnderTest, nameOf, optionsFor, selected, some } from './catalogue.ts';
import { parseFlags, runMain } from './run-main.ts';
import { wholeNumber } from './whole-number.ts';

/** Returns a digest over the texts of all histories. */
async function digestOf(entry: ControllerUnderTest, first: number, count: number): Promise<string> {
  const hash = createHash('sha256');
  await using lab = await openLab(optionsFor(entry));
  for (let seed = first; seed < first + count; seed++) {
    const [trial] = fc.sample(lab.trials(), { seed, numRuns: 1 });
    if (trial === undefined) throw new TypeError('expected a trial');
    const { history, violations, inconclusive } = await lab.run(trial);
    hash.update(encodeHistory(history));
    hash.update(JSON.stringify([violations, [...inconclusive]]));
  }
  return hash.digest('hex').slice(0, 32);
}

await runMain(async () => {
  const { values } = parseFlags({
    options: { seeds: { type: 'string', default: '10000' }, only: { type: 'string', multiple: true, default: [] } },
  });
  const entries = some(selected(values.only), values.only);
  const share = Math.ceil(wholeNumber('--seeds', values.seeds) / entries.length);
  for (const [index, entry] of entries.entries()) {
    console.log(`${nameOf(entry).padEnd(42)} ${await digestOf(entry, index * share + 1, share)}`);
  }
});
