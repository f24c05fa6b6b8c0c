/**
 * Finds the bugs of the controllers under test on the embedded server, and replays each finding on a real one.
 *
 * `node scripts/confirm-catalogue.ts [--only TEXT]… [--times 5] [--budget 60s] [--cluster envtest] [--keep DIR]`: prints one line per wrong
 * variant with k of n, and where the runs diverge if some replays pass. With `--keep DIR`, findings are stored there and not searched
 * again, and the table covers all calls with that folder. A finding that does not reproduce on a real server is a bug of the embedded one,
 * or chance, which has to be explained.
 */
import { CLUSTERS, type ClusterKind } from '../harness/model/cluster.ts';
import { partingOf } from '../harness/execution/replay/parting.ts';
import { HarnessError, replay, run, type Counterexample } from '../harness/index.ts';
import { controllers, type ControllerUnderTest, expectedProperties, nameOf, optionsFor } from './catalogue.ts';
import { isConfirmed, tableOf, type Confirmed } from './confirm/table.ts';
import { keptIn, memory } from './confirm/keeping.ts';
import { parseFlags } from './run-main.ts';

const { values } = parseFlags({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    times: { type: 'string', default: '5' },
    budget: { type: 'string', default: '60s' },
    cluster: { type: 'string', default: 'envtest' },
    keep: { type: 'string' },
  },
});
const cluster = values.cluster as ClusterKind;
if (!CLUSTERS.includes(cluster)) throw new TypeError(`got cluster "${cluster}", expected ${CLUSTERS.join(' or ')}`);

const SHRINK_MS = 5_000;
const kept = values.keep === undefined ? memory() : keptIn(values.keep);

async function search(entry: ControllerUnderTest): Promise<Counterexample | undefined> {
  const properties = expectedProperties(entry);
  const options = optionsFor(entry, { budget: values.budget, seed: 1, stopAfter: 1, properties });
  return (await run(options, { shrinkMs: SHRINK_MS })).findings[0]?.counterexample;
}

async function confirm(entry: ControllerUnderTest): Promise<Confirmed> {
  const name = nameOf(entry);
  const about = { name, language: entry.language ?? 'typescript', cluster };
  const counterexample = kept.counterexample(name) ?? (await search(entry));
  if (counterexample === undefined) return { ...about, found: null, k: 0, n: 0, seconds: 0 };
  kept.keep(name, counterexample);
  const began = performance.now();
  const { env = {} } = optionsFor(entry);
  const result = await replay(counterexample, { times: Number(values.times), cluster, env });
  const seconds = Math.round((performance.now() - began) / 1000);
  if (result.missedAnchors.length > 0) console.log(`  never happened: ${result.missedAnchors.join(', ')}`);
  if (result.inconclusive !== undefined) console.log(`  inconclusive: ${result.inconclusive}`);
  const { k, n } = result.reproduced;
  if (k < n) {
    const embedded = await replay(counterexample, { times: 1, cluster: 'embedded', env });
    const parting = partingOf(embedded.history, result.other ?? result.history);
    if (parting !== undefined)
      console.log(
        `  diverge after ${parting.after ?? 'the start'}: embedded ${parting.one}, ${cluster} ${parting.other}`,
      );
  }
  return { ...about, found: counterexample.signature.property, k, n, seconds };
}

for (const entry of controllers) {
  const name = nameOf(entry);
  if (entry.expected === 'holds') continue;
  if (values.only.length > 0 && !values.only.some((text) => name.includes(text))) continue;
  const result = await confirm(entry).catch((error: unknown) => {
    if (!(error instanceof HarnessError)) throw error;
    console.log(`${name.padEnd(40)} failed: ${error.message}`);
    return undefined;
  });
  if (result === undefined) continue;
  kept.note(result);
  const { found, k, n, seconds } = result;
  const text =
    found === null
      ? `not found on the embedded server in ${values.budget}`
      : `${found.padEnd(20)} ${k} of ${n}, ${seconds} s`;
  console.log(`${name.padEnd(40)} ${text}${found === null || isConfirmed(result) ? '' : '  ✗'}`);
}
console.log(tableOf(kept.results().filter((result) => result.cluster === cluster)));
