/**
 * The tour: what `npm start` shows. A correct controller that holds, two wrong ones whose counterexamples are found, shrunk, told
 * and replayed. Exit code 0 when all came out as expected.
 */
import path from 'node:path';
import { encodeCounterexample, renderStory, replay, run, tellStory } from '../harness/index.ts';
import type { ControllerUnderTest } from '../harness/index.ts';
import { writeWhole } from '../harness/report/write-files.ts';
import { expectedProperties, nameOf, optionsFor, selected } from './catalogue.ts';

/** What is shown, and how long each may take. */
const CORRECT = { name: 'releases/correct', trials: 2_000 };
const WRONG = [
  { name: 'releases/refreshes-version-only', seed: 11 },
  { name: 'worker-pools/duplicates-on-stale-list', seed: 13 },
];
const BUDGET = '20s';
const WIDTH = process.stdout.isTTY ? process.stdout.columns : Number(process.env['COLUMNS'] ?? '') || 100;

const unexpected: string[] = [];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function entryOf(name: string): ControllerUnderTest {
  const entry = selected([]).find((candidate) => nameOf(candidate) === name);
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
  if (result.outcome !== 'holds') unexpected.push(`${CORRECT.name} came out as ${result.outcome}`);
}

async function showWrong(name: string, seed: number, number: number): Promise<void> {
  const entry = entryOf(name);
  const expected = expectedProperties(entry);
  say(`\n${number}. A wrong one: ${name}\n`);
  const result = await run(optionsFor(entry, { budget: BUDGET, seed, stopAfter: 1 }));
  const finding = result.findings.find((candidate) => expected.includes(candidate.violation.signature.property));
  if (finding === undefined) {
    unexpected.push(`${name} was not caught by ${expected.join(' or ')} within ${BUDGET}: ${result.outcome}`);
    return;
  }
  const file = path.join('.stalemate', 'tour', `${entry.variant}.json`);
  writeWhole(file, encodeCounterexample(finding.counterexample));
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
  if (reproduced.k < reproduced.n) unexpected.push(`${name} replayed in ${reproduced.k} of ${reproduced.n}`);
}

say('stalemate: what contention does to a controller');
await showCorrect();
for (const [index, { name, seed }] of WRONG.entries()) await showWrong(name, seed, index + 2);
say(
  unexpected.length === 0
    ? '\nAll as expected. Next: your own controller, see "Your own controller" in README.md'
    : `\nNot as expected:\n- ${unexpected.join('\n- ')}`,
);
process.exitCode = unexpected.length === 0 ? 0 : 1;
