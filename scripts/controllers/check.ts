/**
 * Checks one entry of the catalogue against its expectation, as a process.
 *
 * Owns: the campaigns, their measurements, and the lines of the table. Does not own: which entries are checked, and in which order
 * (`../check-catalogue.ts`). Start at {@link checkWrong} and {@link checkCorrect}.
 */
import path from 'node:path';
import { encodeCounterexample, redactFinding, renderStory, replay, run, tellStory } from '../../harness/index.ts';
import type { Finding } from '../../harness/index.ts';
import { writeWhole } from '../../harness/report/write-files.ts';
import { type ControllerUnderTest, expectedProperties, nameOf, optionsFor } from '../catalogue.ts';

export interface CheckForm {
  /** For a wrong variant, in the form of `--budget`. */
  readonly budget: string;
  /** For a correct controller. */
  readonly trials: number;
  /** Replays of the counterexample. */
  readonly replays: number;
  readonly seed: number;
  /** Checks only the expected properties of a wrong variant, and shrinks little. */
  readonly quick: boolean;
}

export interface WrongResult {
  readonly name: string;
  /** The property that caught it; absent if none did. */
  readonly property?: string;
  /** Time to the finding, including references and shrinking. */
  readonly seconds: number;
  readonly trials: number;
  readonly preemptions: number;
  readonly holds: number;
  readonly faults: number;
  /** Watch events that are delayed by its holds. */
  readonly lag: number;
  readonly k: number;
  readonly n: number;
  /** Other properties that caught it before. */
  readonly beside: readonly string[];
  readonly sentence: string;
  readonly expected: readonly string[];
  readonly outcome: string;
  /** Reasons why it may have been missed. */
  readonly reasons: readonly string[];
  readonly broken: readonly string[];
}

export interface CorrectResult {
  readonly name: string;
  readonly trials: number;
  readonly seconds: number;
  readonly conflicts: number;
  readonly staleReads: number;
  readonly inconclusive: number;
  readonly outcome: string;
  readonly broken: readonly string[];
}

const QUICK_SHRINK_MS = 5_000;

/** Runs until the first finding of an expected property, or to the end of the budget, and replays its counterexample. */
export async function checkWrong(entry: ControllerUnderTest, form: CheckForm): Promise<WrongResult> {
  const expected = expectedProperties(entry);
  const stop = new AbortController();
  const began = performance.now();
  let hit: Finding | undefined;
  let seconds = Number.NaN;
  const beside = new Set<string>();
  const options = optionsFor(entry, {
    budget: form.budget,
    seed: form.seed,
    ...(form.quick ? { properties: expected } : {}),
  });
  const result = await run(options, {
    signal: stop.signal,
    // The expected property may be a symptom of a cause that was first found through another property.
    allSymptoms: true,
    ...(form.quick ? { shrinkMs: QUICK_SHRINK_MS } : {}),
    events: {
      onFinding: (finding) => {
        const { property } = finding.violation.signature;
        if (!expected.includes(property)) beside.add(property);
        else if (hit === undefined) {
          hit = finding;
          seconds = (performance.now() - began) / 1000;
          stop.abort();
        }
      },
    },
  });
  const name = nameOf(entry);
  if (hit === undefined) {
    const reasons = [...Object.keys(result.inconclusive.reasons).slice(0, 3), ...result.warnings];
    return { ...NOTHING, name, trials: result.runs, beside: [...beside], expected, outcome: result.outcome, reasons };
  }
  const { preemptions, holds, faults, heldItems, reproduced } = hit.stats;
  const again = form.replays > 0 ? await replay(hit.counterexample, { times: form.replays }) : { reproduced };
  return {
    name,
    property: hit.violation.signature.property,
    seconds,
    trials: result.runs,
    preemptions,
    holds,
    faults,
    lag: heldItems,
    ...again.reproduced,
    beside: [...beside],
    sentence: hit.violation.sentence,
    expected,
    outcome: result.outcome,
    reasons: [],
    broken: again.reproduced.k === 0 ? [`${name} was caught, but none of ${again.reproduced.n} replays failed`] : [],
  };
}

const NOTHING = {
  seconds: Number.NaN,
  preemptions: Number.NaN,
  holds: Number.NaN,
  faults: Number.NaN,
  lag: Number.NaN,
  k: 0,
  n: 0,
  sentence: '',
  broken: [],
};

/** The message for a variant that was not caught. */
export function missedText({ name, expected, outcome, trials, reasons }: WrongResult): string {
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  return `${name} was not caught by ${expected.join(' or ')}: ${outcome}, ${trials} trials${why}`;
}

/** Runs all trials, even if there are findings. */
export async function checkCorrect(entry: ControllerUnderTest, form: CheckForm): Promise<CorrectResult> {
  const name = nameOf(entry);
  const { outcome, runs, elapsedMs, contention, findings, inconclusive, warnings } = await run(
    optionsFor(entry, { budget: form.trials, seed: form.seed }),
    form.quick ? { shrinkMs: QUICK_SHRINK_MS } : {},
  );
  const broken = findings.map((finding) => `${name}: false alarm:\n${storyOf(name, finding)}`);
  if (outcome !== 'holds' && findings.length === 0) {
    broken.push(`${name} ended as ${outcome}: ${JSON.stringify(inconclusive.reasons)} ${warnings.join('; ')}`);
  }
  return {
    name,
    trials: runs,
    seconds: elapsedMs / 1000,
    conflicts: contention['conflicts'] ?? 0,
    staleReads: contention['staleReads'] ?? 0,
    inconclusive: inconclusive.count,
    outcome,
    broken,
  };
}

/** The story of a false alarm, with the file to replay it. */
function storyOf(name: string, finding: Finding): string {
  const file = path.join(
    '.stalemate',
    'catalogue',
    `${name.replace('/', '-')}-${finding.violation.signature.property}.json`,
  );
  writeWhole(file, encodeCounterexample(redactFinding(finding).counterexample));
  return renderStory(tellStory(finding), { width: 120, color: false, replay: `npx stalemate replay ${file}` });
}

export const WRONG_HEADER = 'wrong variant                        found      s  trials  perturbations  lag  replay  by';

export function wrongLine(result: WrongResult): string {
  const { preemptions, holds, faults } = result;
  const small = `${preemptions + holds + faults} (${preemptions}+${holds}+${faults})`;
  const found = result.property !== undefined;
  return [
    result.name.padEnd(36),
    found ? 'yes' : 'NO ',
    (found ? result.seconds.toFixed(0) : '-').padStart(7),
    String(result.trials).padStart(7),
    (found ? small : '-').padStart(14),
    (found ? String(result.lag) : '-').padStart(4),
    `${result.k}/${result.n}`.padStart(7),
    `  ${result.property ?? ''}${result.beside.length > 0 ? ` (also ${result.beside.join(', ')})` : ''}`.trimEnd(),
  ].join(' ');
}

export const CORRECT_HEADER =
  'correct                              trials      s  conflicts  stale reads  inconclusive  outcome';

export function correctLine(result: CorrectResult): string {
  return [
    result.name.padEnd(36),
    String(result.trials).padStart(6),
    result.seconds.toFixed(0).padStart(6),
    String(result.conflicts).padStart(10),
    String(result.staleReads).padStart(12),
    String(result.inconclusive).padStart(13),
    ` ${result.outcome}`,
  ].join(' ');
}
