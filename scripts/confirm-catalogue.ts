/**
 * Finds what is wrong with the controllers under test on the embedded server, and replays each finding on a real one.
 *
 * `node scripts/confirm-catalogue.ts --only releases --times 5`: one line per wrong variant, k of n, and where the runs part when some come
 * out well. A finding that a real server does not show is a fault of the embedded one, or chance that has to be explained.
 */
import { parseArgs } from 'node:util';
import { CLUSTERS, type ClusterKind } from '../harness/model/cluster.ts';
import { partingOf } from '../harness/execution/parting.ts';
import { controllers, replay, run, type ControllerUnderTest, type Finding } from '../harness/index.ts';
import { expectedProperties, nameOf, optionsFor } from './catalogue.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    times: { type: 'string', default: '5' },
    budget: { type: 'string', default: '60s' },
    cluster: { type: 'string', default: 'envtest' },
  },
});
const cluster = values.cluster as ClusterKind;
if (!CLUSTERS.includes(cluster)) throw new TypeError(`got cluster "${cluster}", expected ${CLUSTERS.join(' or ')}`);

const SHRINK_MS = 5_000;
/** What counts as confirmed: four of five. */
const CONFIRMED = 0.8;

async function findingOf(entry: ControllerUnderTest): Promise<Finding | undefined> {
  const properties = expectedProperties(entry);
  const options = optionsFor(entry, { budget: values.budget, seed: 1, stopAfter: 1, properties });
  return (await run(options, { shrinkMs: SHRINK_MS })).findings[0];
}

let found = 0;
let confirmed = 0;
for (const entry of controllers) {
  const name = nameOf(entry);
  if (entry.expected === 'holds') continue;
  if (values.only.length > 0 && !values.only.some((text) => name.includes(text))) continue;
  const finding = await findingOf(entry);
  if (finding === undefined) {
    console.log(`${name.padEnd(40)} not found on the embedded server in ${values.budget}`);
    continue;
  }
  found++;
  const began = performance.now();
  const { counterexample, violation } = finding;
  const { env = {} } = optionsFor(entry);
  const result = await replay(counterexample, { times: Number(values.times), cluster, env });
  const { k, n } = result.reproduced;
  if (k >= n * CONFIRMED) confirmed++;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${name.padEnd(40)} ${violation.signature.property.padEnd(20)} ${k} of ${n}, ${seconds} s`);
  if (result.missedAnchors.length > 0) console.log(`  never happened: ${result.missedAnchors.join(', ')}`);
  if (result.inconclusive !== undefined) console.log(`  inconclusive: ${result.inconclusive}`);
  if (k === n) continue;
  const embedded = await replay(counterexample, { times: 1, cluster: 'embedded', env });
  const parting = partingOf(embedded.history, result.other ?? result.history);
  if (parting !== undefined)
    console.log(
      `  part after ${parting.after ?? 'the beginning'}: embedded ${parting.one}, ${cluster} ${parting.other}`,
    );
}
console.log(`${confirmed} of ${found} findings come back on ${cluster} in at least four of five runs`);
