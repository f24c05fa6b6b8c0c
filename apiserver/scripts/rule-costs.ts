/**
 * Sends CRDs with random CEL rules to the embedded server and to a real one, to check that both refuse the same rules because of their
 * estimated cost, with the same message.
 *
 *   npm run rule-costs -- [--count 300] [--seed N]
 *
 * Each rule is in a list whose `maxItems` makes the estimate exceed the limit by a factor below 1.5: the message then prints seven digits.
 * Exit code 1 when an answer differs. Needs the binaries of `scripts/control-plane.ts build` (or envtest's).
 */
import { crdManifest, crdVersion } from '../server/crd/manifest.ts';
import { parseArgs } from 'node:util';
import { declaredOf } from '../server/cel/estimate/declared.ts';
import { estimateCost } from '../server/cel/estimate/estimate.ts';
import { compileRules } from '../server/cel/rules.ts';
import { compileNode } from '../server/schema/node.ts';
import type { ApiClient } from '../fidelity/differential/client.ts';
import { startBoth } from '../fidelity/differential/servers.ts';
import { Random } from './random.ts';
import { isMap } from '../objects/json.ts';
import type { JsonObject } from '../objects/object.ts';
import { randomMessage, randomRule, randomSchema } from './rule-costs/grammar.ts';

/** kube-apiserver's limit for one expression. */
const COST_MAX = 10_000_000;
const RULES = 3;

const { values } = parseArgs({ options: { count: { type: 'string', default: '300' }, seed: { type: 'string' } } });

/** Returns a CRD with a list of items of the schema `spec`, just long enough to make the most expensive rule exceed the limit. */
function definitionOf(spec: JsonObject): JsonObject {
  const items = { ...spec, type: 'object' };
  const node = compileNode({ type: 'object', properties: { spec: items } });
  const inner = node.properties.get('spec');
  const declared = inner === undefined ? undefined : declaredOf(inner, false);
  let most = 0;
  for (const { program } of compileRules(node)?.properties.get('spec')?.rules ?? [])
    if (program !== undefined && declared !== undefined)
      most = Math.max(most, estimateCost(program.parsed, declared, false));
  const maxItems = most === 0 ? 1 : Math.max(1, Math.ceil((COST_MAX * 1.2) / most));
  const schema = { type: 'object', properties: { specs: { type: 'array', maxItems, items } } };
  return crdManifest('rules.example.com', { plural: 'costs', kind: 'Cost' }, [crdVersion('v1', schema)]);
}

async function answer(client: ApiClient, body: JsonObject): Promise<string> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
  const reply = await client.request({ method: 'POST', path, body });
  const message = isMap(reply.body) ? reply.body['message'] : undefined;
  return `${reply.code} ${typeof message === 'string' ? message : ''}`;
}

/** Sorts the errors. A real server sorts them by exact cost; near 2^64 estimates that differ by one are equal here. */
function sorted(text: string): string {
  return text.split(', spec.').toSorted().join();
}

const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(values.seed);
console.log(`seed ${seed}`);
const random = new Random(seed);
const { ours, real, stop } = await startBoth();
const counts = { definitions: 0, refused: 0, uncompiled: 0, different: 0 };
try {
  for (; counts.definitions < Number(values.count); counts.definitions++) {
    const rules = Array.from({ length: RULES }, () => ({
      rule: randomRule(random),
      ...(random.int(3) === 0 ? { messageExpression: randomMessage(random) } : {}),
    }));
    const body = definitionOf(randomSchema(random, rules));
    const [our, their] = await Promise.all([answer(ours.client, body), answer(real.client, body)]);
    if (their.startsWith('422')) counts.refused++;
    // For expressions that do not compile the messages differ in known ways (DIFFERENCES.md).
    if (/compilation failed|instantiation failed/.test(our + their)) {
      counts.uncompiled++;
      continue;
    }
    if (our === their || (their.includes('more than 100x') && sorted(our) === sorted(their))) continue;
    counts.different++;
    console.log(`${JSON.stringify(rules)}\n  ours ${our}\n  real ${their}`);
  }
} finally {
  await stop();
}
console.log(
  `${counts.definitions} definitions of ${RULES} rules, ${counts.refused} refused, ${counts.uncompiled} left out (they do not compile), ${counts.different} answered otherwise`,
);
process.exitCode = counts.different > 0 ? 1 : 0;
