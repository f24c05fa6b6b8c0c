/**
 * Checks the controllers under test in other languages: every wrong variant must be found, and no correct one may have a finding.
 *
 *   npm run catalogue -- [--language go …] [--only TEXT …] [--budget 5m] [--trials 200] [--replays 20] [--seed N] [--jobs N] [--quick]
 *                        [--json FILE]
 *
 * A wrong variant is searched for `--budget`, until an expected property is violated, and its counterexample is replayed `--replays` times;
 * a correct one gets `--trials` trials. `--jobs` campaigns run in parallel. `--quick` is short enough for every CI run: for a wrong variant
 * it checks only the expected properties, shrinks little and stops after forty seconds, which misses the rarer bugs, so it fails only if
 * more than 70 % of the variants are missed; a correct one gets few trials. A language without its toolchain is skipped with a message, or
 * fails if `--language` names it. Exit code 1 if an expectation fails.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { HarnessError } from '../harness/index.ts';
import { type ControllerUnderTest, isCorrect, nameOf, selectedIn } from './catalogue.ts';
import {
  checkCorrect,
  checkWrong,
  CORRECT_HEADER,
  correctLine,
  missedText,
  WRONG_HEADER,
  wrongLine,
} from './controllers/check.ts';
import type { CheckForm, CorrectResult, WrongResult } from './controllers/check.ts';
import { buildLanguage, hasSources, LANGUAGES, missingProgram } from './controllers/builds.ts';
import { StepFailed } from './languages/processes.ts';
import { parseFlags, runMain } from './run-main.ts';

const { values } = parseFlags({
  options: {
    language: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true, default: [] },
    budget: { type: 'string' },
    trials: { type: 'string' },
    replays: { type: 'string' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

const form: CheckForm = {
  budget: values.budget ?? (values.quick ? '40s' : '5m'),
  trials: Number(values.trials ?? (values.quick ? 60 : 200)),
  replays: Number(values.replays ?? (values.quick ? 0 : 20)),
  seed: Number(values.seed),
  quick: values.quick,
};
/** Share of the wrong variants that `--quick` may miss: its budget is too short for all. */
const QUICK_MISSES_MAX = 0.7;

const broken: string[] = [];
const wrong: WrongResult[] = [];
const correct: CorrectResult[] = [];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Builds the selected languages, and returns those that can be checked. */
async function ready(): Promise<readonly string[]> {
  const asked = values.language.flatMap((text) => text.split(','));
  const unknown = asked.find((language) => !LANGUAGES.includes(language));
  if (unknown !== undefined) {
    throw new HarnessError('USAGE', `got --language "${unknown}", expected some of ${LANGUAGES.join(', ')}`);
  }
  const built: string[] = [];
  for (const language of asked.length > 0 ? asked : LANGUAGES.filter(hasSources)) {
    const missing = missingProgram(language);
    if (missing !== undefined) {
      const sentence = `${language}: "${missing}" is not installed; its ${selectedIn(language, []).length} controllers are skipped`;
      if (asked.length > 0) broken.push(sentence);
      say(sentence);
      continue;
    }
    try {
      if (await buildLanguage(language)) say(`${language}: built`);
      built.push(language);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      broken.push(`${language}: ${error.message}`);
    }
  }
  return built;
}

async function check(entry: ControllerUnderTest): Promise<void> {
  try {
    if (isCorrect(entry)) {
      const result = await checkCorrect(entry, form);
      correct.push(result);
      say(correctLine(result));
      broken.push(...result.broken);
    } else {
      const result = await checkWrong(entry, form);
      wrong.push(result);
      say(wrongLine(result));
      broken.push(...result.broken);
    }
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    broken.push(`${nameOf(entry)}: ${error.message}`);
    say(`${nameOf(entry)}: ${error.message}`);
  }
}

/** Runs campaigns in parallel: each mostly waits for its target. */
async function checkAll(entries: readonly ControllerUnderTest[]): Promise<void> {
  const waiting = [...entries];
  const work = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) await check(entry);
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
}

async function main(): Promise<number> {
  const began = performance.now();
  const entries = (await ready()).flatMap((language) => selectedIn(language, values.only));
  // Correct controllers first: they take longest, and none of them should run alone at the end.
  const ordered = [...entries.filter(isCorrect), ...entries.filter((entry) => !isCorrect(entry))];
  say(
    `${ordered.length} controllers, seed ${form.seed}, ${form.budget} for a wrong one, ${form.trials} trials for a correct one\n`,
  );
  await checkAll(ordered);
  const missed = wrong.filter(({ property }) => property === undefined);
  if (!values.quick || missed.length > wrong.length * QUICK_MISSES_MAX) broken.push(...missed.map(missedText));
  const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
    one.name < other.name ? -1 : 1;
  say(`\n${[WRONG_HEADER, ...wrong.toSorted(byName).map(wrongLine)].join('\n')}`);
  say(`\n${[CORRECT_HEADER, ...correct.toSorted(byName).map(correctLine)].join('\n')}`);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ form, wrong, correct, broken }, null, 2)}\n`);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  say(`\n${broken.length === 0 ? 'all as expected' : `${broken.length} not as expected`}, in ${seconds} s`);
  for (const text of broken) say(`- ${text}`);
  return broken.length === 0 ? 0 : 1;
}

await runMain(async () => {
  process.exitCode = await main();
});
