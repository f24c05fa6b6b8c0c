/**
 * Benchmark of the search: which share of small mistakes in correct controllers does it find, and how soon?
 *
 *   npm run bench:search -- [--controller NAME …] [--operator NAME …] [--language NAME …] [--id TEXT …] [--strategy NAME …] [--seed N …]
 *                           [--budget 60s] [--jobs N] [--sample N] [--against REF-OR-FOLDER] [--json FILE] [--record] [--list]
 *
 * Each mutant is searched until its first finding, or to the end of the budget (60 s for a module, 120 s for a program). `--strategy` runs
 * a separate search with each of these strategies alone. `--against` also searches with the harness of another checkout, and prints both
 * results side by side. `--sample` draws N modules with the first seed from those that were killed quickly in the recorded results, gives
 * each a short budget, and fails (exit code 1) if too few are killed. `--record` writes the results to `scripts/mutants/results.json` and
 * the table to `docs/search-benchmark.md`. A mutant that fails in an undisturbed run does not count; a new mutant is run undisturbed before
 * its first search. `--list` prints the mutants and searches none.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Random } from '../harness/determinism/random.ts';
import { EXIT, HarnessError } from '../harness/index.ts';
import { given } from '../harness/model/given.ts';
import type { StrategyName } from '../harness/model/trial.ts';
import { strategies } from '../harness/schedule/strategies/index.ts';
import { budgetMs } from './budget.ts';
import { buildLanguage, missingProgram } from './controllers/builds.ts';
import { checkout } from './mutants/checkout.ts';
import { equivalents } from './mutants/equivalents.ts';
import { mutantsOf, type Mutant } from './mutants/generate.ts';
import { inLanes, type Kill, Lane } from './mutants/jobs.ts';
import { IDIOMS } from './mutants/operators/idioms.ts';
import { writePage } from './mutants/page.ts';
import { placed, removeModules } from './mutants/place.ts';
import { digestOf, type MutantResult, readResults, writeResults } from './mutants/results.ts';
import { build, isCompiled } from './mutants/schemata.ts';
import { sift } from './mutants/sift.ts';
import { type Source, SOURCES } from './mutants/sources.ts';
import { LANGUAGES } from './mutants/syntax.ts';
import { comparison, type Measured, summary } from './mutants/tables.ts';
import { refusedTypes } from './mutants/type-check.ts';
import { parseFlags, readFlags, runMain } from './run-main.ts';
import { wholeNumber } from './whole-number.ts';

const { values } = parseFlags({
  options: {
    controller: { type: 'string', multiple: true, default: [] },
    operator: { type: 'string', multiple: true, default: [] },
    language: { type: 'string', multiple: true, default: [] },
    id: { type: 'string', multiple: true, default: [] },
    strategy: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', multiple: true, default: ['1'] },
    budget: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    sample: { type: 'string' },
    against: { type: 'string' },
    json: { type: 'string' },
    record: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

/** A column of a comparison: one strategy, or one version of the harness. */
interface Series {
  readonly name: string;
  readonly strategies?: readonly StrategyName[];
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SAMPLE_BUDGET_S = 8;
const BUDGET_S = { module: 60, program: 120 } as const;
/** The share of a sample's mutants that may survive, because machines differ in speed. */
const TOLERANCE = 0.1;
const STRATEGY_NAMES = Object.keys(strategies) as readonly StrategyName[];
const { seeds, jobs, sample, budget } = readFlags(() => ({
  seeds: values.seed.map((text) => wholeNumber('--seed', text)),
  jobs: wholeNumber('--jobs', values.jobs),
  budget: values.budget === undefined ? undefined : budgetMs(values.budget),
  sample: values.sample === undefined ? undefined : wholeNumber('--sample', values.sample),
}));
const isSample = sample !== undefined;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function check(what: string, given: readonly string[], names: readonly string[]): void {
  const unknown = given.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new HarnessError('USAGE', `got --${what} "${unknown}", expected one of ${names.join(', ')}`);
}

/** Returns the selected controllers; a sample consists of modules unless a controller or language is named. */
function chosenSources(): readonly Source[] {
  check(
    'controller',
    values.controller,
    SOURCES.map(({ controller }) => controller),
  );
  check('language', values.language, LANGUAGES);
  check('operator', values.operator, Object.keys(IDIOMS));
  check('strategy', values.strategy, STRATEGY_NAMES);
  const usual: readonly string[] = isSample && values.controller.length === 0 ? ['typescript'] : LANGUAGES;
  const languages = values.language.length > 0 ? values.language : usual;
  return SOURCES.filter(
    ({ controller, language }) =>
      languages.includes(language) && (values.controller.length === 0 || values.controller.includes(controller)),
  );
}

/** Returns the selected mutants that compile and whose toolchain is installed. */
async function chosenMutants(): Promise<readonly Mutant[]> {
  const chosen: Mutant[] = [];
  for (const [language, sources] of Map.groupBy(chosenSources(), (source) => source.language)) {
    if (language !== 'typescript') {
      const missing = missingProgram(language);
      if (missing !== undefined) {
        say(`${language}: "${missing}" is not installed; its mutants are skipped`);
        continue;
      }
      await buildLanguage(language);
    }
    const made = sources.flatMap((source) => mutantsOf(source));
    const refused = isCompiled(language) ? await build(language) : await refusedTypes(language, made);
    chosen.push(...made.filter(({ id }) => !refused.has(id)));
  }
  return chosen.filter(
    ({ id, operator }) =>
      (values.operator.length === 0 || values.operator.includes(operator)) &&
      (values.id.length === 0 || values.id.some((text) => id.includes(text))),
  );
}

function budgetSeconds({ source: { language } }: Mutant): number {
  if (budget !== undefined) return budget / 1000;
  if (isSample) return SAMPLE_BUDGET_S;
  return language === 'typescript' ? BUDGET_S.module : BUDGET_S.program;
}

class Bench {
  readonly #lanes: readonly Lane[];
  readonly #results: Map<string, MutantResult>;

  constructor(other?: string) {
    this.#lanes = Array.from({ length: jobs }, () => new Lane(other));
    this.#results = new Map(readResults().mutants.map((result) => [result.id, result]));
  }

  get results(): readonly MutantResult[] {
    return [...this.#results.values()];
  }

  /** Returns the recorded result of a mutant, unless its sources have changed since. */
  recorded(mutant: Mutant): MutantResult | undefined {
    const result = this.#results.get(mutant.id);
    return result?.digest === digestOf(mutant) ? result : undefined;
  }

  /** Reports whether a recorded kill took at most a quarter of the budget, so that slower machines manage it too. */
  promises(mutant: Mutant): boolean {
    const { kill } = this.recorded(mutant) ?? {};
    return kill !== undefined && kill !== null && kill.ms <= (budgetSeconds(mutant) * 1000) / 4;
  }

  /** Returns the mutants that count: those that behave like their original in an undisturbed run. New mutants are run undisturbed first. */
  async counting(mutants: readonly Mutant[]): Promise<readonly Mutant[]> {
    const unknown = mutants.filter((mutant) => this.recorded(mutant) === undefined);
    if (unknown.length > 0) say(`${unknown.length} new mutants: each is run undisturbed first`);
    await sift(this.#lanes, unknown, (result) => {
      this.#results.set(result.id, result);
      this.#keep();
      say(`  ${result.id.padEnd(60)} ${result.left ?? 'counts'}`);
    });
    return mutants.filter((mutant) => this.recorded(mutant)?.left === undefined);
  }

  async search(mutants: readonly Mutant[], { strategies }: Series): Promise<readonly Measured[]> {
    const measured: Measured[] = [];
    const searches = seeds.flatMap((seed) => mutants.map((mutant) => ({ seed, mutant })));
    await inLanes(this.#lanes, searches, async (lane, { seed, mutant }) => {
      const seconds = budgetSeconds(mutant);
      const options = { ...placed(mutant), budget: `${seconds}s`, seed };
      const job = { options, ...given({ strategies }) };
      const { kill, runs, reasons } = await lane
        .search(mutant.source.controller, job, seconds * 1000)
        .catch((error: unknown) => ({
          kill: null,
          runs: 0,
          reasons: [error instanceof Error ? error.message : String(error)],
        }));
      measured.push({ mutant, kill, isEquivalent: equivalents.has(mutant.id) });
      if (values.record) {
        this.#results.set(mutant.id, {
          id: mutant.id,
          digest: digestOf(mutant),
          kill: rounded(kill),
          ...(kill === null ? { runs } : {}),
        });
        this.#keep();
      }
      const outcome =
        kill === null
          ? `SURVIVED ${runs} runs ${reasons.join('; ').slice(0, 120)}`
          : `${(kill.ms / 1000).toFixed(1).padStart(6)} s ${String(kill.runs).padStart(5)} runs  ${kill.property}, ${kill.strategy ?? 'one deviation'}`;
      say(`  ${mutant.id.padEnd(60)} ${outcome}`);
    });
    return measured;
  }

  close(): void {
    for (const lane of this.#lanes) lane.close();
  }

  #keep(): void {
    if (!values.record) return;
    const results = { version: 1, measured: new Date().toISOString().slice(0, 10), mutants: this.results } as const;
    writeResults(results);
  }
}

function rounded(kill: Kill | null): Kill | null {
  return kill === null ? null : { ...kill, ms: Math.round(kill.ms) };
}

/** Fails if too many mutants of a sample survived: all of them were killed in the recorded results. */
function judgeSample(measured: readonly Measured[]): void {
  if (measured.length === 0) {
    say('none of these mutants is recorded as killed quickly; record results with --record');
    process.exitCode = EXIT.inconclusive;
    return;
  }
  const missed = measured.filter(({ kill }) => kill === null);
  const least = Math.floor(measured.length * (1 - TOLERANCE));
  const killed = measured.length - missed.length;
  say(`${killed} of ${measured.length} mutants of the sample were killed, expected at least ${least}`);
  for (const { mutant } of missed) say(`  missed: ${mutant.id}`);
  if (killed < least) process.exitCode = EXIT.violated;
}

function list(mutants: readonly Mutant[]): void {
  for (const { id, file, line, before, after } of mutants) say(`${id}  ${file}:${line}\n  - ${before}\n  + ${after}`);
  say(`${mutants.length} mutants`);
}

async function main(): Promise<void> {
  const mutants = await chosenMutants();
  if (values.list) return list(mutants);
  const series: readonly Series[] =
    values.strategy.length > 0
      ? values.strategy.map((name): Series => ({ name, strategies: [name as StrategyName] }))
      : [{ name: 'this version' }];
  // Both versions run as campaigns with a time budget, in workers of their own: only this works in the same way in every version.
  const bench = new Bench(values.against === undefined ? undefined : ROOT);
  const all: { name: string; of: readonly Measured[] }[] = [];
  try {
    const counting = (await bench.counting(mutants)).filter((mutant) => !isSample || bench.promises(mutant));
    const searched = sample === undefined ? counting : new Random(seeds[0] ?? 1).shuffle(counting).slice(0, sample);
    say(
      `${searched.length} of ${counting.length} mutants that ${isSample ? 'are recorded as killed quickly' : 'count'} are searched`,
    );
    for (const one of series) {
      const of = await bench.search(searched, one);
      all.push({ name: one.name, of });
      say(`\n== ${one.name}\n\n${summary(of)}`);
    }
    if (values.against !== undefined) {
      const other = new Bench(checkout(values.against));
      try {
        all.push({ name: values.against, of: await other.search(searched, { name: values.against }) });
      } finally {
        other.close();
      }
    }
    const [first, ...others] = all;
    if (first === undefined) return;
    for (const other of others) say(`\n${comparison(first, other)}`);
    if (isSample && values.strategy.length === 0) judgeSample(first.of);
  } finally {
    bench.close();
    removeModules();
  }
  if (values.record) writePage(readResults());
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, undefined, 1)}\n`);
}

await runMain(main);
