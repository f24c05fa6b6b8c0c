/**
 * The counters of a search: runs, contention, verdicts, waived violations, load on the server.
 *
 * Owns: the tally that a worker reports, and what one run adds to it. Does not own: adding up workers (`tally-sum.ts`).
 */
import { loadOf, type Load } from '../../model/baseline.ts';
import { signatureText } from '../../model/signature.ts';
import type { Symptom } from '../../model/cause.ts';
import { reasonText, type PropertyTally, type Remark, type TargetUse } from '../../model/finding.ts';
import type { History } from '../../model/history.ts';
import type { LeftOut } from '../../model/left-out.ts';
import { waiverText, type Waiver } from '../../model/waiver.ts';
import { contention } from '../../oracle/assumptions.ts';
import { behaviourOf } from '../../oracle/behaviour.ts';
import { lastLinesOf } from '../../report/last-words.ts';
import type { Property } from '../../oracle/property.ts';
import { situationsOf } from '../../oracle/situations.ts';
import { busyWith } from '../run/busy-with.ts';
import type { Judged } from '../run/judge.ts';
import { NO_USE } from './target-use.ts';

export interface SearchTally {
  runs: number;
  /** The number of trials that were run twice with byte-identical histories (except for the last one, if `divergence` is set). */
  verified: number;
  readonly contention: { [counter: string]: number };
  /** A hash of each distinct behaviour of the target. */
  readonly behaviours: Set<number>;
  /** The distinct situations of any actor, as formatted by {@link situationsOf}. */
  readonly situations: Set<string>;
  readonly counts: { [signature: string]: number };
  /** The number of runs that showed a cause, by its key. */
  readonly causes: { [cause: string]: number };
  /** The symptoms of a cause, by its key and by signature. */
  readonly symptoms: { [cause: string]: { [signature: string]: Symptom } };
  /** Warnings of properties, by signature. */
  readonly remarks: { [signature: string]: Remark };
  readonly inconclusive: { [reason: string]: number };
  /** What the target was doing in the first run that never came to rest, by reason. */
  readonly examples: { [reason: string]: string };
  /** The number of violations that each waiver covers. */
  readonly waived: { [waiver: string]: number };
  inconclusiveRuns: number;
  /** The requests of the target, over all runs. */
  readonly load: { requests: number; writes: number; refused: number };
  readonly perProperty: { [property: string]: { -readonly [K in keyof PropertyTally]: PropertyTally[K] } };
  readonly warnings: string[];
  /** Steps that were skipped for lack of time. */
  readonly left: LeftOut[];
  /** Guarantees that the harness itself broke, which lead to exit code 4. */
  readonly faults: string[];
  divergence: string | undefined;
  /** The target's last log lines in one of the runs. */
  printed: Printed | undefined;
  /** Resource use of a target that is a process. */
  use: TargetUse;
}

/** Log lines of the first inconclusive run, or of the first run if no run is inconclusive. */
export interface Printed {
  readonly lines: readonly string[];
  readonly isUnjudged: boolean;
}

export function newTally(): SearchTally {
  return {
    runs: 0,
    verified: 0,
    contention: noNames(),
    behaviours: new Set(),
    situations: new Set(),
    counts: noNames(),
    causes: noNames(),
    symptoms: noNames(),
    remarks: noNames(),
    inconclusive: noNames(),
    examples: noNames(),
    waived: noNames(),
    load: { requests: 0, writes: 0, refused: 0 },
    inconclusiveRuns: 0,
    perProperty: noNames(),
    warnings: [],
    left: [],
    faults: [],
    divergence: undefined,
    printed: undefined,
    use: NO_USE,
  };
}

/** Returns an empty object without a prototype: its keys are names that users choose, and "constructor" is a valid one. */
function noNames<T>(): { [name: string]: T } {
  return Object.create(null) as { [name: string]: T };
}

export function addLoad(to: SearchTally['load'], { requests, writes, refused }: Load): void {
  to.requests += requests;
  to.writes += writes;
  to.refused += refused;
}

export function countWaived({ waived }: Pick<SearchTally, 'waived'>, waiver: Waiver): void {
  const text = waiverText(waiver);
  waived[text] = (waived[text] ?? 0) + 1;
}

export function addSymptom({ symptoms }: SearchTally, cause: string, { signature, count }: Symptom): void {
  const text = signatureText(signature);
  const of = (symptoms[cause] ??= noNames());
  of[text] = { signature, count: (of[text]?.count ?? 0) + count };
}

export function countContention(history: History, tally: SearchTally): void {
  addLoad(tally.load, loadOf(history));
  for (const [counter, value] of Object.entries(contention(history))) {
    tally.contention[counter] = (tally.contention[counter] ?? 0) + value;
  }
  tally.behaviours.add(behaviourOf(history));
  for (const situation of situationsOf(history)) tally.situations.add(situation);
}

export function countOpinions(judged: Judged, properties: readonly Property[], tally: SearchTally): void {
  const violated = new Set<string>();
  for (const violation of judged.violations) {
    const text = signatureText(violation.signature);
    tally.counts[text] = (tally.counts[text] ?? 0) + 1;
    if (violation.severity === 'error') violated.add(violation.signature.property);
  }
  const isUnjudged = judged.inconclusive.size > 0;
  if (isUnjudged) tally.inconclusiveRuns++;
  if (tally.printed === undefined || (isUnjudged && !tally.printed.isUnjudged))
    tally.printed = { lines: lastLinesOf(judged.history), isUnjudged };
  for (const property of properties) {
    const { name } = property;
    const of = (tally.perProperty[name] ??= {
      holds: 0,
      violated: 0,
      inconclusive: 0,
      vacuous: property.reached !== undefined,
      ...(property.exercised === undefined ? {} : { untested: true }),
    });
    if (of.untested === true && property.exercised?.(judged.history) === true) delete of.untested;
    if (of.vacuous && property.reached?.(judged.history) === true) of.vacuous = false;
    const reason = judged.inconclusive.get(name);
    if (violated.has(name)) of.violated++;
    else if (reason === undefined) of.holds++;
    else {
      of.inconclusive++;
      const text = reasonText({ property: name, reason });
      tally.inconclusive[text] = (tally.inconclusive[text] ?? 0) + 1;
      const busy = busyWith(judged.history);
      if (busy !== undefined) tally.examples[text] ??= busy;
    }
  }
}
