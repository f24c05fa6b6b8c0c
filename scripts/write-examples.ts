/**
 * Finds and shrinks the examples of the pages about properties, writers and faults: `node scripts/write-examples.ts [NAME…]`. Writes
 * `docs/examples/NAME.json`; without a name, writes all examples. Run `npm run example-pages` afterwards, and commit the changes.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  encodeCounterexample,
  redactFinding,
  run,
  type Counterexample,
  type StalemateOptions,
} from '../harness/index.ts';
import { loadConfigFile } from '../harness/execution/config/config-file.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';
import { writers } from '../harness/cli/registry.ts';
import { FAULT_KINDS } from '../harness/model/fault-kinds.ts';
import { controllers, nameOf, optionsFor } from './catalogue.ts';
import { configOf } from './examples/pages.ts';
import { doesShow } from './examples/shows.ts';
import { EXAMPLES, type Example } from './examples/table.ts';

/** The maximum number of runs per seed. */
const RUNS_MAX = 3_000;
const SEEDS_MAX = 6;

function only(all: readonly string[], kept: readonly string[]): { readonly [name: string]: boolean } {
  return Object.fromEntries(all.map((name) => [name, kept.includes(name)]));
}

async function optionsOf(example: Example, seed: number): Promise<StalemateOptions> {
  const { property, writers: kept, faults } = example;
  const writersOn = only(
    writers.map(({ name }) => name),
    kept,
  );
  const faultsOn = only(FAULT_KINDS, faults);
  return {
    ...(await targetOf(example)),
    ...{ seed, budget: RUNS_MAX, stopAfter: 1, writers: writersOn, faults: faultsOn },
    properties: [property],
  };
}

async function targetOf(example: Example): Promise<StalemateOptions> {
  const configFile = configOf(example);
  if (configFile !== undefined) return loadConfigFile(resolve(REPOSITORY_ROOT, configFile));
  const entry = controllers.find((one) => nameOf(one) === example.controller);
  if (entry === undefined) throw new Error(`the catalogue has no "${example.controller}"`);
  return optionsFor(entry);
}

/** Returns the first finding that still shows the entry's subject after shrinking. */
async function find(example: Example): Promise<Counterexample | undefined> {
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const configFile = configOf(example);
    const { findings } = await run(await optionsOf(example, seed), {
      cwd: REPOSITORY_ROOT,
      ...(configFile === undefined ? {} : { configFile: resolve(REPOSITORY_ROOT, configFile) }),
    });
    const found = findings
      .map((finding) => redactFinding(finding).counterexample)
      .find((one) => doesShow(one, example));
    if (found !== undefined) return found;
  }
  return undefined;
}

const wanted = process.argv.slice(2);
for (const example of EXAMPLES.filter(({ byHand }) => byHand === undefined).filter(
  ({ name }) => wanted.length === 0 || wanted.includes(name),
)) {
  const found = await find(example);
  if (found === undefined) {
    console.error(`${example.name}: no finding of seeds 1 to ${SEEDS_MAX} shows it`);
    process.exitCode = 1;
    continue;
  }
  const text = encodeCounterexample({ ...found, sentence: found.sentence.replaceAll(/ at \S+:\d+/g, '') });
  writeFileSync(new URL(`../docs/examples/${example.name}.json`, import.meta.url), text);
  console.log(`${example.name}: ${found.sentence}`);
}
