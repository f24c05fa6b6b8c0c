/**
 * Known bugs: pairs of releases, one with a bug that was found by other means and one without, searched with the defaults.
 *
 *   node scripts/known-bugs.ts [NAME …] [--seeds 1-5] [--budget 10m] [--replays 20] [--confirm 5] [--without 1000]
 *   node scripts/known-bugs.ts --quick      checks with one seed that two of them are still found; stores nothing
 *   node scripts/known-bugs.ts build [NAME …]
 *   node scripts/known-bugs.ts replay [NAME …]     replays stored findings without searching again
 *   node scripts/known-bugs.ts table        writes docs/track-record.md from the stored results
 *
 * Searches the release with the bug until the bug is found, once with each seed, replays the first finding on the embedded server and on a
 * real one, and runs the release without the bug. The search does not know the bug: it checks all properties, and other findings are
 * reported as well. `--replays 0`, `--confirm 0` and `--without 0` skip those parts. Exit code 1 if a bug was not found, or was reported
 * for the release without it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import {
  decodeCounterexample,
  encodeCounterexample,
  EXIT,
  HarnessError,
  redactFinding,
  renderStory,
  replay,
  run,
  tellStory,
  type Counterexample,
  type StalemateOptions,
} from '../harness/index.ts';
import { writeWhole } from '../harness/report/write-files.ts';
import { findingLine, hunt } from './hunt.ts';
import { buildRelease, type BuiltRelease } from './known-bugs/builds.ts';
import { isTheBug, readPairs, type Pair } from './known-bugs/pairs.ts';
import { keepResult, readResults, writePage, type Search, type Share } from './known-bugs/results.ts';
import { StepFailed } from './languages/processes.ts';
import { parseFlags, readFlags, runMain } from './run-main.ts';
import { wholeNumber } from './whole-number.ts';

/** Pairs that build within a minute or two and need few runs: 8 and 48 when this was written. */
const QUICK: readonly string[] = ['kopf-1106', 'kuberay-715'];
/** Long enough to reproduce a finding. */
const QUICK_SHRINK_MS = 15_000;

const { positionals, values } = parseFlags({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    seeds: { type: 'string' },
    budget: { type: 'string' },
    replays: { type: 'string' },
    confirm: { type: 'string' },
    without: { type: 'string' },
  },
});

function numberOr(flag: 'replays' | 'confirm' | 'without', usual: number): number {
  const given = values[flag];
  return given === undefined ? usual : wholeNumber(`--${flag}`, given);
}

const budget = values.budget ?? (values.quick ? '8m' : '10m');
const { seeds, replays, confirmations, runsWithout } = readFlags(() => ({
  seeds: seedsOf(values.seeds ?? (values.quick ? '1' : '1-5')),
  replays: numberOr('replays', values.quick ? 0 : 20),
  confirmations: numberOr('confirm', values.quick ? 0 : 5),
  runsWithout: numberOr('without', values.quick ? 0 : 1000),
}));

function seedsOf(text: string): readonly number[] {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (first === undefined)
    throw new HarnessError('USAGE', `got --seeds "${text}", expected a number or a range like 1-5`);
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
}

function keep(name: string, part: Parameters<typeof keepResult>[1]): void {
  if (!values.quick) keepResult(name, part, new Date().toISOString().slice(0, 10));
}

function environment(pair: Pair, built: BuiltRelease): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(pair.env).map(([name, text]) => [name, inPlace(text, pair, built)]));
}

function inPlace(text: string, pair: Pair, built: BuiltRelease): string {
  return text.replaceAll('{built}', built.folder).replaceAll('{sources}', pair.folder);
}

function optionsOf(pair: Pair, built: BuiltRelease, seed: number, length: string | number): StalemateOptions {
  return {
    command: pair.command.map((word) => inPlace(word, pair, built)),
    env: environment(pair, built),
    // This folder is visible to the program, and contains its packages.
    directory: built.folder,
    crds: [...built.crds],
    samples: pair.samples.map((path) => join(pair.folder, path)),
    budget: length,
    seed,
  };
}

function findingFile({ name }: Pair, seed: number): string {
  return join('.stalemate', 'known-bugs', `${name}-seed${seed}.json`);
}

function load(): number {
  return Math.round(loadavg()[0] ?? 0);
}

interface Hit {
  readonly search: Search;
  readonly counterexample?: Counterexample;
}

/** Searches the release with the bug, with one seed. */
async function search(pair: Pair, built: BuiltRelease, seed: number): Promise<Hit> {
  const others: string[] = [];
  const { result, seconds, hit } = await hunt(
    optionsOf(pair, built, seed, budget),
    (finding) => isTheBug(finding, pair),
    (finding, after) => {
      console.log(`   other finding after ${after} s: ${findingLine(finding)}`);
      others.push(`${finding.violation.signature.property}: ${finding.violation.sentence}`);
    },
    values.quick ? { shrinkMs: QUICK_SHRINK_MS } : {},
  );
  const { runs, outcome, inconclusive } = result;
  for (const warning of result.warnings) console.log(`   warning: ${warning}`);
  if (hit === undefined) {
    const ended = [outcome, ...Object.entries(inconclusive.reasons).map(([why, count]) => `${count} × ${why}`)].join(
      '; ',
    );
    console.log(`   seed ${seed}: NOT FOUND in ${seconds} s, ${runs} runs: ${ended}`);
    return { search: { seed, found: false, seconds, runs, load: load(), others, ended } };
  }
  const { finding, afterSeconds } = hit;
  const file = findingFile(pair, seed);
  writeWhole(file, encodeCounterexample(redactFinding(finding).counterexample));
  console.log(renderStory(tellStory(finding), { width: 110, color: false, replay: `npx stalemate replay ${file}` }));
  console.log(`   seed ${seed}: found after ${afterSeconds} s, ${runs} runs: ${findingLine(finding)}`);
  const { preemptions, holds, faults, stepsAfter, reproduced } = finding.stats;
  return {
    search: {
      seed,
      found: true,
      seconds: afterSeconds,
      runs,
      load: load(),
      property: finding.violation.signature.property,
      sentence: finding.violation.sentence,
      deviations: preemptions + holds + faults,
      steps: stepsAfter,
      reproduced: { k: reproduced.k, n: reproduced.n },
      others,
    },
    counterexample: finding.counterexample,
  };
}

async function repeat(
  pair: Pair,
  built: BuiltRelease,
  counterexample: Counterexample,
  times: number,
  cluster: 'embedded' | 'envtest',
): Promise<Share> {
  const { reproduced, inconclusive } = await replay(counterexample, { times, cluster, env: environment(pair, built) });
  const { k, n } = reproduced;
  console.log(
    `   replayed on ${cluster}: ${k} of ${n}${inconclusive === undefined ? '' : `, inconclusive: ${inconclusive}`}`,
  );
  return { k, n };
}

async function replayAll(pair: Pair, built: BuiltRelease, found: Counterexample): Promise<void> {
  if (replays > 0) keep(pair.name, { replays: await repeat(pair, built, found, replays, 'embedded') });
  if (confirmations > 0) keep(pair.name, { confirmed: await repeat(pair, built, found, confirmations, 'envtest') });
}

/** Replays the stored finding with the lowest seed. */
async function replayKept(pair: Pair): Promise<void> {
  const { searches = [] } = readResults().find(({ name }) => name === pair.name) ?? {};
  const files = searches.filter(({ found }) => found).map(({ seed }) => findingFile(pair, seed));
  const file = files.find((path) => existsSync(path));
  if (file === undefined) {
    console.log(`${pair.name}: there is no stored finding of an earlier search`);
    return;
  }
  console.log(`${pair.name}: ${file}`);
  const built = await buildRelease(pair, pair.withBug);
  await replayAll(pair, built, decodeCounterexample(readFileSync(file, 'utf8'), file));
}

/** Runs the release without the bug; returns whether the bug was reported. */
async function runWithout(pair: Pair): Promise<boolean> {
  const built = await buildRelease(pair, pair.withoutBug);
  const { findings, outcome, runs, elapsedMs, contention, inconclusive, warnings } = await run(
    optionsOf(pair, built, 1, runsWithout),
  );
  const { conflicts = 0, staleReads = 0 } = contention;
  const seconds = Math.round(elapsedMs / 1000);
  console.log(
    `   ${pair.withoutBug}: ${outcome}, ${runs} runs in ${seconds} s, ${conflicts} conflicts, ${staleReads} stale reads, ${inconclusive.count} inconclusive`,
  );
  for (const [reason, count] of Object.entries(inconclusive.reasons)) console.log(`   ${count} × ${reason}`);
  for (const warning of warnings) console.log(`   warning: ${warning}`);
  const accused = findings.some((finding) => isTheBug(finding, pair));
  for (const finding of findings)
    console.log(`   ${isTheBug(finding, pair) ? 'THE BUG' : 'other finding'}: ${findingLine(finding)}`);
  const others = findings
    .filter((finding) => !isTheBug(finding, pair))
    .map(({ violation }) => `${violation.signature.property}: ${violation.sentence}`);
  keep(pair.name, { without: { runs, seconds, accused, others } });
  return accused;
}

/** Returns whether the pair is as expected. */
async function tryPair(pair: Pair): Promise<boolean> {
  console.log(`\n== ${pair.name}, ${pair.withBug}: ${pair.what} (${pair.issue})`);
  const built = await buildRelease(pair, pair.withBug);
  let ok = true;
  let first: Counterexample | undefined;
  for (const seed of seeds) {
    const { search: searched, counterexample } = await search(pair, built, seed);
    keep(pair.name, { searches: [searched] });
    first ??= counterexample;
    ok &&= searched.found;
  }
  if (first !== undefined) await replayAll(pair, built, first);
  if (runsWithout > 0) ok = !(await runWithout(pair)) && ok;
  if (!values.quick) writePage(readPairs());
  return ok;
}

function named(pairs: readonly Pair[], names: readonly string[]): readonly Pair[] {
  const unknown = names.find((name) => !pairs.some((pair) => pair.name === name));
  if (unknown !== undefined)
    throw new HarnessError('USAGE', `got "${unknown}", expected names of ${pairs.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? pairs : pairs.filter(({ name }) => names.includes(name));
}

async function main(words: readonly string[]): Promise<boolean> {
  const [first] = words;
  const pairs = readPairs();
  if (first === 'table') {
    writePage(pairs);
    return true;
  }
  if (first === 'build') {
    for (const pair of named(pairs, words.slice(1)))
      for (const version of [pair.withBug, pair.withoutBug]) console.log((await buildRelease(pair, version)).folder);
    return true;
  }
  if (first === 'replay') {
    for (const pair of named(pairs, words.slice(1))) await replayKept(pair);
    writePage(pairs);
    return true;
  }
  let ok = true;
  for (const pair of named(pairs, words.length === 0 && values.quick ? QUICK : words)) {
    try {
      ok = (await tryPair(pair)) && ok;
    } catch (error) {
      // A pair that cannot be built or started must not stop the others.
      if (!(error instanceof HarnessError) && !(error instanceof StepFailed)) throw error;
      console.log(`   failed: ${error.message}`);
      ok = false;
    }
  }
  return ok;
}

await runMain(async () => {
  process.exitCode = (await main(positionals)) ? EXIT.holds : EXIT.violated;
});
