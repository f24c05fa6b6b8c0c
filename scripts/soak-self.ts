/**
 * The long self-checks: does stalemate keep its own promises? `npm run soak:self` runs them in full, `-- --quick` in a bounded form.
 *
 * Flags: --quick, --only TEXT (part of a controller's or variant's name; repeatable), --section NAME (repeatable: canary, seeds, alarms,
 * determinism, edits, kills, interrupts), --seed N (of kills and interrupts), --seeds N, --trials N, --kills N, --interrupts N, --budget 10s
 * (per seed), --json FILE. Exit code 1 if a check fails.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { Random } from '../harness/determinism/random.ts';
import { HarnessError, run } from '../harness/index.ts';
import { expectedProperties, isCorrect, nameOf, optionsFor, selected, selectedIn, some } from './catalogue.ts';
import { builtFolder } from './controllers/builds.ts';
import { checkFalseAlarms, falseAlarmsLine } from './soak-self/false-alarms.ts';
import { checkHarmlessEdits, editsOf } from './soak-self/harmless-edits.ts';
import { interruptCampaigns, lacksForInterrupts } from './soak-self/interrupts.ts';
import { checkSeeds, SEEDS_HEADER, seedsLine } from './soak-self/seeds.ts';
import type { SeedsResult } from './soak-self/seeds.ts';
import { killSoaks } from './soak-self/soak-kills.ts';
import { median, quantile, shown } from './soak-self/statistics.ts';
import { wholeNumber } from './whole-number.ts';
import { parseFlags, runMain } from './run-main.ts';

const SECTIONS = ['canary', 'seeds', 'alarms', 'determinism', 'edits', 'kills', 'interrupts'] as const;

/** The size of each section in both forms. */
const FORMS = {
  quick: {
    seeds: 1,
    // Most bugs are found within seconds; the rest is a margin for busy machines.
    budget: '3m',
    trials: 700,
    verified: 120,
    editSeeds: 1,
    kills: 5,
    interrupts: 6,
    merges: 4,
  },
  full: {
    seeds: 30,
    budget: '60s',
    trials: 100_000,
    verified: 10_000,
    editSeeds: 5,
    kills: 50,
    interrupts: 200,
    merges: 20,
  },
} as const;

/** Share of stored counterexamples that must survive a harmless edit. */
const SURVIVAL_MIN = 0.95;

const { values } = parseFlags({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    section: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    trials: { type: 'string' },
    kills: { type: 'string' },
    interrupts: { type: 'string' },
    budget: { type: 'string' },
    json: { type: 'string' },
  },
});
const form = values.quick ? FORMS.quick : FORMS.full;
const entries = selected(values.only);
const wrong = entries.filter((entry) => !isCorrect(entry));
const broken: string[] = [];
const record: Record<string, unknown> = {};

/** Returns the number that a flag sets, or that of the form. */
function countOf(name: 'seeds' | 'trials' | 'kills' | 'interrupts'): number {
  const { [name]: text } = values;
  return text === undefined ? form[name] : wholeNumber(`--${name}`, text);
}

function title(text: string): void {
  process.stdout.write(`\n== ${text}\n`);
}

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The canary must fail: a harness that does not find its bug finds nothing. */
async function canary(): Promise<void> {
  title('canary: a controller that must be caught');
  const entry = selected([]).find((candidate) => candidate.variant === 'updates-every-reconcile');
  if (entry === undefined) throw new Error('the canary is missing from the catalogue');
  const result = await run(optionsFor(entry, { budget: '20s', seed: 1, stopAfter: 1 }));
  line(`${nameOf(entry)}: ${result.outcome} after ${result.runs} trials`);
  if (result.outcome !== 'violated') broken.push(`the canary ${nameOf(entry)} was not caught: ${result.outcome}`);
}

async function seeds(): Promise<void> {
  const count = countOf('seeds');
  const budget = values.budget ?? form.budget;
  title(`seeds: every wrong variant, ${count} seed(s), budget ${budget} each, one core`);
  line(SEEDS_HEADER);
  const results: SeedsResult[] = [];
  for (const entry of wrong) {
    const result = await checkSeeds(
      entry,
      Array.from({ length: count }, (_, index) => 1000 + index),
      budget,
    );
    results.push(result);
    line(seedsLine(result));
    if (result.found < result.seeds) {
      broken.push(
        `${result.name} was found in ${result.found} of ${result.seeds} seeds (expected by ${expectedProperties(entry).join(' or ')})`,
      );
    }
  }
  line(
    `all: median of medians ${shown(median(results.map((of) => of.secondsMedian)), 2)} s, slowest ${shown(
      quantile(
        results.map((of) => of.secondsMax),
        1,
      ),
    )} s, ` +
      `deviations ${shown(median(results.map((of) => of.deviationsMedian)))}, steps ${shown(median(results.map((of) => of.stepsMedian)))}, ` +
      `actors ${shown(median(results.map((of) => of.actorsMedian)))}, executions ${shown(median(results.map((of) => of.executionsMedian)))}`,
  );
  record['seeds'] = results;
}

async function alarms(): Promise<void> {
  const trials = countOf('trials');
  title(`false alarms: every correct controller, ${trials} trials`);
  const results = [];
  for (const entry of entries.filter(isCorrect)) {
    const result = await checkFalseAlarms(entry, trials, 4242);
    results.push(result);
    line(falseAlarmsLine(result));
    for (const { violation } of result.result.findings) {
      line(`    ${violation.signature.property}: ${violation.sentence}`);
      broken.push(`${result.name}: false alarm: ${violation.sentence}`);
    }
    if (result.result.outcome !== 'holds' && result.result.findings.length === 0) {
      broken.push(
        `${result.name} ended as ${result.result.outcome}: ${JSON.stringify(result.result.inconclusive.reasons)} ${result.result.warnings.join('; ')}`,
      );
    }
  }
  record['alarms'] = results.map(({ name, heapGrownMb, grownMb, result }) => ({
    name,
    runs: result.runs,
    elapsedMs: result.elapsedMs,
    findings: result.findings.length,
    outcome: result.outcome,
    heapGrownMb,
    grownMb,
  }));
}

async function determinism(): Promise<void> {
  title(`determinism: trials run twice, histories compared byte by byte`);
  const correct = entries.filter(isCorrect);
  let verified = 0;
  for (const entry of correct) {
    const budget = Math.ceil(form.verified / correct.length);
    const result = await run(optionsFor(entry, { budget, seed: 77 }), { verifyEvery: 1 });
    verified += result.verified;
    line(`${nameOf(entry).padEnd(42)} ${result.verified} of ${result.runs} identical`);
    for (const warning of result.warnings) broken.push(`${nameOf(entry)}: ${warning}`);
  }
  line(`identical: ${verified}`);
  record['determinism'] = verified;
}

async function edits(): Promise<void> {
  title('harmless edits: stored counterexamples replayed on edited controllers');
  let survived = 0;
  let tried = 0;
  for (const entry of wrong.filter((candidate) => editsOf(candidate).length > 0)) {
    const result = await checkHarmlessEdits(
      entry,
      Array.from({ length: form.editSeeds }, (_, index) => 500 + index),
    );
    survived += result.survived;
    tried += result.tried;
    line(`${result.name.padEnd(42)} ${result.survived} of ${result.tried} still fail`);
    for (const lost of result.lost) line(`    lost: ${lost}`);
  }
  record['edits'] = { survived, tried };
  if (tried === 0 || survived / tried < SURVIVAL_MIN)
    broken.push(`only ${survived} of ${tried} counterexamples survived harmless edits`);
}

/** A killed soak must resume, and must not lose a finding. */
async function kills(): Promise<void> {
  const times = countOf('kills');
  title(`kills: shards of a soak killed with SIGKILL at ${times} random times`);
  const random = new Random(wholeNumber('--seed', values.seed));
  const { findings, cut, merges, complaints } = await killSoaks({
    ...{ times, merges: form.merges, random, tell: line },
  });
  line(`${times} kills, ${findings.join(' and ')} distinct findings recorded, ${cut} truncated lines`);
  line(`${merges} merges in random order, with duplicate lines and files; ${complaints.length} problems`);
  if (Math.min(...findings) === 0) broken.push('a killed shard had no finding, so that nothing could be lost');
  broken.push(...complaints);
  record['kills'] = { times, findings, cut };
}

/** Findings that were printed must be on disk, however a campaign is interrupted, and no process may remain. */
async function interrupts(): Promise<void> {
  const times = countOf('interrupts');
  title(`interrupts: ${times} campaigns with findings, from a terminal, to the process group and by kill`);
  const lacks = lacksForInterrupts();
  if (lacks !== undefined) {
    line(`skipped: ${lacks}`);
    // If the section was selected, it must not be skipped.
    if (values.section.includes('interrupts')) broken.push(`interrupts were skipped: ${lacks}`);
    return;
  }
  const programs = existsSync(builtFolder('go')) ? selectedIn('go', values.only).filter((one) => !isCorrect(one)) : [];
  if (programs.length === 0)
    line('only modules: the programs are not built (run "node scripts/controllers.ts build go")');
  const result = await interruptCampaigns({
    times,
    modules: wrong,
    programs,
    random: new Random(wholeNumber('--seed', values.seed)),
    tell: line,
  });
  const { runs, sent, withFindings, withAny, findings, unproved, replayed, endedMs, complaints } = result;
  line(
    `${runs} campaigns, ${withFindings} with printed findings, ${withAny} with findings or violations on disk; ${sent} interrupts`,
  );
  line(`${findings} findings printed, ${unproved} unproved, ${replayed} replayed`);
  for (const [count, { median: middle, max }] of Object.entries(endedMs))
    line(`ended after ${count} interrupt(s): median ${shown(middle, 0)} ms, longest ${shown(max, 0)} ms`);
  line(`${complaints.length} problems`);
  if (findings === 0) broken.push('no interrupted campaign had a finding, so that nothing could be lost');
  broken.push(...complaints);
  record['interrupts'] = result;
}

async function main(): Promise<void> {
  const { section: asked, only, json } = values;
  const unknown = asked.find((name) => !SECTIONS.some((section) => section === name));
  if (unknown !== undefined)
    throw new HarnessError('USAGE', `got --section "${unknown}", expected some of ${SECTIONS.join(', ')}`);
  some([...entries, ...selectedIn('go', only)], only);
  const checks = { canary, seeds, alarms, determinism, edits, kills, interrupts };
  for (const section of SECTIONS) if (asked.length === 0 || asked.includes(section)) await checks[section]();
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(record, null, 2)}\n`);
  title(broken.length === 0 ? 'all checks passed' : `${broken.length} failure(s)`);
  for (const text of broken) line(`- ${text}`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}

await runMain(main);
