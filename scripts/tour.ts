/**
 * The tour that `npm start` runs: a correct controller that holds, two wrong ones whose counterexamples are found, shrunk, printed and
 * replayed, and a wrong one in Go, as a process. `node scripts/tour.ts program` shows only the last one. Exit code 0 if everything was as
 * expected.
 */
import path from 'node:path';
import {
  encodeCounterexample,
  properties,
  redactFinding,
  renderStory,
  replay,
  run,
  tellStory,
} from '../harness/index.ts';
import type { CampaignResult } from '../harness/index.ts';
import { linkFrom } from '../harness/cli/reports.ts';
import { versions } from '../harness/execution/versions.ts';
import { runPage } from '../harness/report/html/run/run-page.ts';
import type { Scenario } from '../harness/report/run/document.ts';
import { makeRun, makeScenario, type FindingPaths } from '../harness/report/run/make-document.ts';
import { findingPage } from '../harness/report/html/index.ts';
import { writeWhole } from '../harness/report/write-files.ts';
import { buildLanguage, missingProgram } from './controllers/builds.ts';
import { StepFailed } from './languages/processes.ts';
import { controllers, type ControllerUnderTest, expectedProperties, nameOf, optionsFor } from './catalogue.ts';

/** The controllers of the tour, and their budgets. */
const CORRECT = { name: 'releases/correct', trials: 2_000 };
const WRONG = [
  { name: 'releases/refreshes-version-only', seed: 11 },
  { name: 'worker-pools/duplicates-on-stale-list', seed: 13 },
];
const BUDGET = '20s';
/** A program in another language, behind the gate; skipped, with a message, if it cannot be built. */
const PROCESS = { name: 'go/duplicates-on-stale-list', seed: 2, budget: '240s', shrinkMs: 30_000 };
const WIDTH = process.stdout.isTTY ? process.stdout.columns : Number(process.env['COLUMNS'] ?? '') || 100;

const unexpected: string[] = [];
/** The content of the tour's page. */
const scenarios: Scenario[] = [];
const FOLDER = path.join('.stalemate', 'tour');

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function entryOf(name: string): ControllerUnderTest {
  const entry = controllers.find((candidate) => nameOf(candidate) === name);
  if (entry === undefined) throw new Error(`the catalogue has no "${name}"`);
  return entry;
}

async function showCorrect(): Promise<void> {
  say(`\n1. A correct controller: ${CORRECT.name}, ${CORRECT.trials} trials with adversarial writers, lag and faults`);
  const result = await run(optionsFor(entryOf(CORRECT.name), { budget: CORRECT.trials, seed: 1 }));
  const { conflicts = 0, staleReads = 0 } = result.contention;
  const perSecond = Math.round((result.runs / result.elapsedMs) * 1000);
  say(
    `   ${result.outcome}: ${result.runs} trials (${perSecond}/s), ${conflicts} conflicts and ${staleReads} stale reads survived`,
  );
  tellOnPage(CORRECT.name, `${CORRECT.trials} runs`, result, {});
  if (result.outcome !== 'holds') unexpected.push(`${CORRECT.name} ended as ${result.outcome}`);
}

/** Adds a controller to the page; a finding with files gets links to them. */
function tellOnPage(name: string, budget: string, result: CampaignResult, files: Partial<FindingPaths>): void {
  const judged = properties.filter((property) => result.perProperty[property.name] !== undefined);
  const none = { counterexample: null, record: null, page: null };
  const findings = result.findings.map((finding) => redactFinding(finding));
  const facts = { name, target: name, cluster: 'embedded', budget, file: null, properties: judged };
  const pathsOf = (): FindingPaths => ({ ...none, ...files });
  scenarios.push(makeScenario({ ...result, findings }, { ...facts, pathsOf }));
}

function writeTourPage(): string {
  const file = path.join(FOLDER, 'index.html');
  const link = (target: string): string => linkFrom(path.resolve(FOLDER), path.resolve(target));
  writeWhole(file, runPage(makeRun(scenarios, versions()), link));
  return file;
}

interface Wrong {
  readonly name: string;
  readonly seed: number;
  readonly budget?: string;
  readonly shrinkMs?: number;
}

async function showWrong({ name, seed, budget = BUDGET, shrinkMs }: Wrong, number: number): Promise<void> {
  const entry = entryOf(name);
  const expected = expectedProperties(entry);
  say(`\n${number}. A wrong one${entry.language === undefined ? '' : ` in ${LANGUAGE_NAME}, as a process`}: ${name}\n`);
  const result = await run(
    optionsFor(entry, { budget, seed, stopAfter: 1, properties: [...expected] }),
    shrinkMs === undefined ? {} : { shrinkMs },
  );
  const finding = result.findings.find((candidate) => expected.includes(candidate.violation.signature.property));
  if (finding === undefined) {
    unexpected.push(`${name} was not caught by ${expected.join(' or ')} within ${budget}: ${result.outcome}`);
    return;
  }
  // Two languages may have variants with the same name.
  const stem = nameOf(entry).replaceAll('/', '-');
  const file = path.join(FOLDER, `${stem}.json`);
  writeWhole(file, encodeCounterexample(redactFinding(finding).counterexample));
  const page = path.join(FOLDER, `${stem}.html`);
  writeWhole(page, findingPage(redactFinding(finding), { counterexample: file }));
  tellOnPage(name, budget, { ...result, findings: [finding] }, { counterexample: file, page });
  say(
    renderStory(tellStory(finding), {
      width: WIDTH,
      color: process.stdout.isTTY,
      replay: `npx stalemate replay ${file}`,
    }),
  );
  const { reproduced } = await replay(finding.counterexample, { times: 5 });
  say(
    `\n   replayed: ${reproduced.k} of ${reproduced.n}, after ${result.runs} trials in ${(result.elapsedMs / 1000).toFixed(1)} s`,
  );
  // Runs of a process vary, so one of its replays is enough.
  const enough = entry.language === undefined ? reproduced.n : 1;
  if (reproduced.k < enough) unexpected.push(`${name} replayed in ${reproduced.k} of ${reproduced.n}`);
}

const LANGUAGE_NAME = 'Go';

/** Builds the Go controllers on first use; prints why if that is not possible. */
async function canShowGo(): Promise<boolean> {
  const missing = missingProgram('go');
  if (missing !== undefined) {
    say(`\n4. A wrong one in Go is skipped: "${missing}" is not installed`);
    return false;
  }
  try {
    say('\n   (building the controllers in Go, on first use)');
    await buildLanguage('go');
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    say(`\n4. A wrong one in Go is skipped, because it could not be built: ${error.message}`);
    return false;
  }
}

say('stalemate: what contention does to a controller');
const isProgramOnly = process.argv[2] === 'program';
if (!isProgramOnly) {
  await showCorrect();
  for (const [index, wrong] of WRONG.entries()) await showWrong(wrong, index + 2);
}
if (await canShowGo()) await showWrong(PROCESS, WRONG.length + 2);
else if (isProgramOnly) unexpected.push('the program could not be shown');
say(
  unexpected.length === 0
    ? '\nAll as expected. Next: your own controller, see "Your own controller" in README.md'
    : `\nNot as expected:\n- ${unexpected.join('\n- ')}`,
);
say(`report: ${writeTourPage()} (open it in a browser)`);
process.exitCode = unexpected.length === 0 ? 0 : 1;
