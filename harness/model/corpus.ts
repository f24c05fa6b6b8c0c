/**
 * The corpus: findings that a project keeps beside its code, and the results of running them again.
 *
 * Owns: the types. Does not own: the stored form (`schedule/codec/corpus-entry.ts`), how entries are run (`execution/replay/revisit.ts`).
 */
import type { Counterexample } from './counterexample.ts';
import type { History } from './history.ts';
import type { Label } from './label.ts';
import type { Reanchored } from './schedule.ts';
import type { Violation } from './check-result.ts';
import type { Waiver } from './waiver.ts';

/**
 * `open`: known and not fixed; it fails the run while the violation occurs. `fixed`: the bug is fixed; a violation is a regression.
 * `quarantined`: known, and for a stated reason it does not fail the run.
 */
export type CorpusState = 'open' | 'fixed' | 'quarantined';

export const CORPUS_STATES: readonly CorpusState[] = ['open', 'fixed', 'quarantined'];

type NotKept = 'crds' | 'project' | 'confirmed';

/**
 * A finding as stored in the corpus. It omits what the project provides anyway (CRDs, manifests), whose current versions are used, and the
 * confirmation on a real server, which applied to another build of the target.
 */
export interface CorpusEntry extends Omit<Counterexample, 'kind' | NotKept> {
  readonly kind: 'corpus-entry';
  readonly state: CorpusState;
  /** The reason for the state; never empty for `quarantined`. */
  readonly reason: string;
  /** The date of the last change of state, `2026-11-22`. */
  readonly since: string;
}

/** An entry with the name of its file. */
export interface NamedEntry {
  /** `lost-update-9669dc`. */
  readonly name: string;
  readonly entry: CorpusEntry;
}

/**
 * The outcome of replaying an entry. `fails`: the violation occurred again. `fails-otherwise`: the same property is violated in another
 * way. `holds`: every step of the schedule occurred and the property holds. `stale`: the target no longer makes requests that the schedule
 * is anchored on. `unclear`: the property is inconclusive, or the target could not be run. `not-reached`: no time was left. `other-target`:
 * the entry is about another target.
 */
export const REVISIT_OUTCOMES = [
  'fails',
  'fails-otherwise',
  'holds',
  'stale',
  'unclear',
  'not-reached',
  'other-target',
] as const;

export type RevisitOutcome = (typeof REVISIT_OUTCOMES)[number];

export interface Revisited extends NamedEntry {
  readonly outcome: RevisitOutcome;
  /** `k` of `n` runs failed. */
  readonly k: number;
  readonly n: number;
  /** Labels of the schedule that never occurred. */
  readonly missed: readonly Label[];
  /** The reason for `unclear`, or the other violation. */
  readonly detail?: string;
  /** The labels that had to be moved to reproduce the failure after an edit of the target. */
  readonly reanchored?: Reanchored;
  /** The history of the run that failed, else of the first run; absent if nothing ran. */
  readonly history?: History;
  readonly violation?: Violation;
  /** The waiver that covers the violation, if any. */
  readonly waiver?: Waiver;
  /** The real server of the runs, such as `kube-apiserver 1.36.3`; absent for the embedded one. */
  readonly server?: string;
}

/** The fields that a corpus entry and a counterexample share. */
type Kept = Omit<Counterexample, 'kind' | NotKept>;

function keptOf({
  version,
  signature,
  cause,
  sentence,
  target,
  namespace,
  cluster,
  workload,
  schedule,
  config,
  foundWith,
}: Kept): Kept {
  const where = cluster === undefined ? {} : { cluster };
  const because = cause === undefined ? {} : { cause };
  return {
    version,
    signature,
    ...because,
    sentence,
    target,
    namespace,
    ...where,
    workload,
    schedule,
    config,
    foundWith,
  };
}

/** Returns the corpus entry of a counterexample, without what the project provides anyway. */
export function corpusEntryOf(
  counterexample: Counterexample,
  { state, reason, since }: Pick<CorpusEntry, 'state' | 'reason' | 'since'>,
): CorpusEntry {
  return { kind: 'corpus-entry', state, reason, since, ...keptOf(counterexample) };
}

/** Restores a counterexample, with the project's current CRDs and manifests. */
export function counterexampleOfEntry(
  entry: CorpusEntry,
  { crds, project }: Pick<Counterexample, 'crds' | 'project'>,
): Counterexample {
  return { kind: 'counterexample', ...keptOf(entry), crds, ...(project === undefined ? {} : { project }) };
}

/** Returns the result for an entry for which no time was left. */
export function notReached(named: NamedEntry): Revisited {
  return { ...named, outcome: 'not-reached', k: 0, n: 0, missed: [] };
}

/** Reports whether the entry fails the run: a violation that is neither quarantined nor waived. */
export function isFailure({ entry, outcome, waiver }: Revisited): boolean {
  return (
    entry.state !== 'quarantined' && waiver === undefined && (outcome === 'fails' || outcome === 'fails-otherwise')
  );
}

/** Reports whether the violation of a fixed entry occurred again. */
export function isRegression(revisited: Revisited): boolean {
  return revisited.entry.state === 'fixed' && isFailure(revisited);
}

/** Reports whether the replay was inconclusive: the entry is stale or unclear, or it is fixed and there was no time to replay it. */
export function saysNothing({ state, outcome }: Pick<CorpusSummaryEntry, 'state' | 'outcome'>): boolean {
  if (state === 'quarantined') return false;
  return outcome === 'stale' || outcome === 'unclear' || (outcome === 'not-reached' && state === 'fixed');
}

/** As {@link saysNothing}, for a replayed entry. */
export function isSilent({ entry: { state }, outcome }: Revisited): boolean {
  return saysNothing({ state, outcome });
}

/** What a report says about a replayed entry. */
export interface CorpusSummaryEntry {
  readonly name: string;
  readonly state: CorpusState;
  readonly outcome: RevisitOutcome;
  /** True if the violation of a fixed entry occurred again. */
  readonly regression: boolean;
  readonly property: string;
  readonly signature: string;
  readonly sentence: string;
  readonly reason: string;
  readonly reproduced: { readonly k: number; readonly n: number };
  readonly missedAnchors: readonly string[];
  readonly detail?: string;
  readonly moves?: readonly { readonly from: string; readonly to: string }[];
  /** True if the entry fails but a waiver covers it. */
  readonly waived?: true;
}

/** What a report says about all entries. */
export interface CorpusSummary {
  readonly budgetMs: number | null;
  readonly elapsedMs: number;
  readonly entries: readonly CorpusSummaryEntry[];
}
