/**
 * What a search counts: runs, contention, opinions, what is put up with, what the target asked of the server.
 *
 * Owns: the tally that a worker reports, and what one run adds to it. Does not own: adding up workers (`campaign.ts`).
 */
import { loadOf, type Load } from '../model/baseline.ts';
import { signatureText } from '../model/check-result.ts';
import type { PropertyTally, TargetUse } from '../model/finding.ts';
import type { History } from '../model/history.ts';
import { waiverText, type Waiver } from '../model/waiver.ts';
import { contention } from '../oracle/assumptions.ts';
import { behaviourOf } from '../oracle/behaviour.ts';
import type { Property } from '../oracle/property.ts';
import type { Judged } from './judge.ts';
import { NO_USE } from './target-use.ts';

export interface SearchTally {
  runs: number;
  /** Trials that were run twice and gave byte-identical histories (all but the last, if `divergence` is set). */
  verified: number;
  readonly contention: { [counter: string]: number };
  /** One number for each way that the target went. */
  readonly behaviours: Set<number>;
  readonly counts: { [signature: string]: number };
  readonly inconclusive: { [reason: string]: number };
  /** Violations by the waiver that covers them. */
  readonly waived: { [waiver: string]: number };
  inconclusiveRuns: number;
  /** What the target asked of the server, over all runs. */
  readonly load: { requests: number; writes: number; refused: number };
  readonly perProperty: { [property: string]: { -readonly [K in keyof PropertyTally]: PropertyTally[K] } };
  readonly warnings: string[];
  /** Broken guarantees of the harness itself: exit code 4. */
  readonly faults: string[];
  divergence: string | undefined;
  /** Of a target that is a process. */
  use: TargetUse;
}

export function newTally(): SearchTally {
  return {
    runs: 0,
    verified: 0,
    contention: {},
    behaviours: new Set(),
    counts: {},
    inconclusive: {},
    waived: {},
    load: { requests: 0, writes: 0, refused: 0 },
    inconclusiveRuns: 0,
    perProperty: {},
    warnings: [],
    faults: [],
    divergence: undefined,
    use: NO_USE,
  };
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

export function countContention(history: History, tally: SearchTally): void {
  addLoad(tally.load, loadOf(history));
  for (const [counter, value] of Object.entries(contention(history))) {
    tally.contention[counter] = (tally.contention[counter] ?? 0) + value;
  }
  tally.behaviours.add(behaviourOf(history));
}

export function countOpinions(judged: Judged, properties: readonly Property[], tally: SearchTally): void {
  const violated = new Set<string>();
  for (const violation of judged.violations) {
    const text = signatureText(violation.signature);
    tally.counts[text] = (tally.counts[text] ?? 0) + 1;
    if (violation.severity === 'error') violated.add(violation.signature.property);
  }
  if (judged.inconclusive.size > 0) tally.inconclusiveRuns++;
  for (const property of properties) {
    const { name } = property;
    const of = (tally.perProperty[name] ??= {
      holds: 0,
      violated: 0,
      inconclusive: 0,
      vacuous: property.reached !== undefined,
    });
    if (of.vacuous && property.reached?.(judged.history) === true) of.vacuous = false;
    const reason = judged.inconclusive.get(name);
    if (violated.has(name)) of.violated++;
    else if (reason === undefined) of.holds++;
    else {
      of.inconclusive++;
      tally.inconclusive[`${name}: ${reason}`] = (tally.inconclusive[`${name}: ${reason}`] ?? 0) + 1;
    }
  }
}
