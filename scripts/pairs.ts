/**
 * Are findings grouped too coarsely? Runs campaigns on twenty controllers with two different planted bugs each, and expects both to be
 * reported.
 *
 *   npm run pairs -- [--only TEXT]… [--runs 3000] [--seed 1] [--whole | --quick] [--alone]
 *
 * Each campaign ends once both bugs are reported, or with `--whole` at the end of its runs: then the number of findings shows whether they
 * are grouped too finely. `--quick` uses only the pairs that are found quickly. `--alone` tests each controller with one bug at a time
 * instead: that bug must be found, and no finding may match the other one, or the pair proves nothing. Exit code 1 if more than one of all
 * pairs is missed, or any of a selection.
 */
import { EXIT, HarnessError, run } from '../harness/index.ts';
import { signatureText } from '../harness/model/signature.ts';
import type { Finding } from '../harness/model/finding.ts';
import { type Pair, PAIRS, type PlantedBug } from '../controllers-under-test/pairs/pairs.ts';
import { nameOf, optionsFor } from './pairs/options.ts';
import { mistakenFor, proves } from './pairs/proof.ts';
import { parseFlags, readFlags } from './run-main.ts';
import { wholeNumber } from './whole-number.ts';

const { values } = parseFlags({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    runs: { type: 'string', default: '3000' },
    seed: { type: 'string', default: '1' },
    whole: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
  },
});
/** How many of all pairs may be missed. */
const MISSED_MAX = 1;
const { runsMax, seed } = readFlags(() => ({
  runsMax: wholeNumber('--runs', values.runs),
  seed: wholeNumber('--seed', values.seed),
}));

interface Reported {
  readonly finding: Finding;
  /** The number of runs when it was reported. */
  readonly run: number;
}

interface Hunt {
  readonly reported: readonly Reported[];
  /** The findings at the end, with all their symptoms. */
  readonly findings: readonly Finding[];
  readonly runs: number;
  readonly seconds: number;
  readonly inconclusive: number;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs a campaign against a controller with these bugs, until all of `wanted` are reported or the runs are used up. */
async function hunt(pair: Pair, bugs: readonly PlantedBug[], wanted: readonly PlantedBug[]): Promise<Hunt> {
  const stop = new AbortController();
  const began = performance.now();
  const reported: Reported[] = [];
  let made = 0;
  const result = await run(optionsFor(pair, bugs, { budget: runsMax, seed }), {
    signal: stop.signal,
    events: {
      onProgress: ({ runs }) => {
        made = runs;
      },
      onFinding: (finding) => {
        reported.push({ finding, run: made });
        const isOver = wanted.length > 0 && wanted.every((bug) => reported.some((one) => proves(one.finding, bug)));
        if (isOver && !values.whole) stop.abort();
      },
    },
  });
  const seconds = (performance.now() - began) / 1000;
  return { reported, findings: result.findings, runs: result.runs, seconds, inconclusive: result.inconclusive.count };
}

function foundText(bug: PlantedBug, reported: readonly Reported[]): string {
  const first = reported.find(({ finding }) => proves(finding, bug));
  return first === undefined ? `${bug.bug} NOT REPORTED` : `${bug.bug} @${first.run}`;
}

/** Prints findings that prove neither bug: a further symptom, or a false alarm. */
function printOthers(pair: Pair, reported: readonly Reported[]): void {
  for (const { finding, run: at } of reported) {
    if (pair.bugs.some((bug) => proves(finding, bug))) continue;
    say(`     other finding @${at}: ${signatureText(finding.violation.signature)}: ${finding.violation.sentence}`);
  }
}

async function tryPair(pair: Pair): Promise<boolean> {
  const { reported, findings, runs, seconds, inconclusive } = await hunt(pair, pair.bugs, pair.bugs);
  const isBoth = pair.bugs.every((bug) => reported.some(({ finding }) => proves(finding, bug)));
  const count = `${reported.length} finding${reported.length === 1 ? '' : 's'}`;
  say(
    `${isBoth ? 'both  ' : 'MISSED'} ${nameOf(pair, pair.bugs)}: ${pair.bugs.map((bug) => foundText(bug, reported)).join(', ')}; ` +
      `${count} in ${runs} runs, ${inconclusive} inconclusive, ${seconds.toFixed(0)} s`,
  );
  for (const bug of pair.bugs) {
    if (reported.some(({ finding }) => proves(finding, bug))) continue;
    const other = mistakenFor(findings, bug);
    if (other !== undefined) say(`     ${bug.bug} IS A SYMPTOM OF ${other.violation.sentence}`);
  }
  printOthers(pair, reported);
  return isBoth;
}

/** Returns whether each bug is found without the other, and no finding matches the other one. */
async function tryAlone(pair: Pair): Promise<boolean> {
  let isRight = true;
  for (const bug of pair.bugs) {
    const other = pair.bugs.find((one) => one !== bug);
    const { reported, runs, seconds } = await hunt(pair, [bug], [bug]);
    const mistaken = reported.filter(({ finding }) => other !== undefined && proves(finding, other));
    const isFound = reported.some(({ finding }) => proves(finding, bug));
    isRight &&= isFound && mistaken.length === 0;
    say(
      `${isFound ? 'alone ' : 'MISSED'} ${nameOf(pair, [bug])}: ${foundText(bug, reported)}; ${reported.length} in ${runs} runs, ${seconds.toFixed(0)} s`,
    );
    for (const { finding } of mistaken)
      say(
        `     TAKEN FOR ${other?.bug ?? ''}: ${signatureText(finding.violation.signature)}: ${finding.violation.sentence}`,
      );
    printOthers(pair, reported);
  }
  return isRight;
}

const pairs = PAIRS.filter(
  (pair) =>
    (!values.quick || pair.isSoon === true) &&
    (values.only.length === 0 || values.only.some((text) => nameOf(pair, pair.bugs).includes(text))),
);
if (pairs.length === 0) {
  throw new HarnessError(
    'USAGE',
    `got --only ${values.only.join(' ')}, expected part of a name such as ${PAIRS.map((pair) => nameOf(pair, pair.bugs)).join(', ')}`,
  );
}
let right = 0;
for (const pair of pairs) if (await (values.alone ? tryAlone : tryPair)(pair)) right++;
say(`\n${values.alone ? 'each found alone' : 'both reported'} in ${right} of ${pairs.length}`);
const missedMax = pairs.length === PAIRS.length && !values.alone ? MISSED_MAX : 0;
process.exitCode = right >= pairs.length - missedMax ? EXIT.holds : EXIT.violated;
