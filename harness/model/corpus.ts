/**
 * The corpus: findings that a project keeps beside its code, and what became of them when they were run again.
 *
 * Owns: the nouns. What is stored is `schedule/codec/corpus-entry.ts`, how entries are run `execution/replay/revisit.ts`.
 */
import type { Counterexample } from './counterexample.ts';
import type { History } from './history.ts';
import type { Label } from './label.ts';
import type { Reanchored } from './schedule.ts';
import type { Violation } from './check-result.ts';
import type { Waiver } from './waiver.ts';

/**
 * `open`: known and not fixed; it fails a run as long as it fails. `fixed`: the bug is fixed; failing again is a regression.
 * `quarantined`: known, and for a stated reason it fails no run.
 */
export type CorpusState = 'open' | 'fixed' | 'quarantined';

export const CORPUS_STATES: readonly CorpusState[] = ['open', 'fixed', 'quarantined'];

type NotKept = 'crds' | 'project' | 'confirmed';

/**
 * A finding as it is kept: without what the project has anyway (CRDs, manifests), which is taken from there as it is today, and without
 * what a real server said to another build of the target.
 */
export interface CorpusEntry extends Omit<Counterexample, 'kind' | NotKept> {
  readonly kind: 'corpus-entry';
  readonly state: CorpusState;
  /** Why it is in that state; never empty for `quarantined`. */
  readonly reason: string;
  /** The day of its last change of state, `2026-11-22`. */
  readonly since: string;
}

/** An entry under the name of its file. */
export interface NamedEntry {
  /** `lost-update-9669dc`. */
  readonly name: string;
  readonly entry: CorpusEntry;
}

/**
 * What a run of an entry came to. `fails`: the violation is back. `fails-otherwise`: the same property is violated in another way.
 * `holds`: the whole story happened and ended well. `stale`: the target no longer does what the schedule is anchored on.
 * `unclear`: the property has no opinion, or the target could not be run. `not-reached`: the time was up. `other-target`: it is not
 * about the target of this run.
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
  /** Runs that failed, of how many. */
  readonly k: number;
  readonly n: number;
  /** Labels of the schedule that never came up. */
  readonly missed: readonly Label[];
  /** Why the outcome is `unclear`, or what the other violation is. */
  readonly detail?: string;
  /** What had to be moved for the failure to come back, when the target was edited. */
  readonly reanchored?: Reanchored;
  /** Of the run that failed, else of the first; absent where nothing ran. */
  readonly history?: History;
  readonly violation?: Violation;
  /** The waiver that covers it, when it fails. */
  readonly waiver?: Waiver;
}

/** What both have in common. */
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

/** The counterexample without what the project has anyway. */
export function corpusEntryOf(
  counterexample: Counterexample,
  { state, reason, since }: Pick<CorpusEntry, 'state' | 'reason' | 'since'>,
): CorpusEntry {
  return { kind: 'corpus-entry', state, reason, since, ...keptOf(counterexample) };
}

/** The counterexample again, with the CRDs and manifests of today. */
export function counterexampleOfEntry(
  entry: CorpusEntry,
  { crds, project }: Pick<Counterexample, 'crds' | 'project'>,
): Counterexample {
  return { kind: 'counterexample', ...keptOf(entry), crds, ...(project === undefined ? {} : { project }) };
}

/** Of an entry that there was no time for. */
export function notReached(named: NamedEntry): Revisited {
  return { ...named, outcome: 'not-reached', k: 0, n: 0, missed: [] };
}

/** Whether it fails a run: a violation that nobody has put aside. */
export function isFailure({ entry, outcome, waiver }: Revisited): boolean {
  return (
    entry.state !== 'quarantined' && waiver === undefined && (outcome === 'fails' || outcome === 'fails-otherwise')
  );
}

/** Fixed once, and back. */
export function isRegression(revisited: Revisited): boolean {
  return revisited.entry.state === 'fixed' && isFailure(revisited);
}

/** Whether an entry says neither that it fails nor that it holds: not any more, or for want of time, of what was fixed once. */
export function saysNothing({ state, outcome }: Pick<CorpusSummaryEntry, 'state' | 'outcome'>): boolean {
  if (state === 'quarantined') return false;
  return outcome === 'stale' || outcome === 'unclear' || (outcome === 'not-reached' && state === 'fixed');
}

/** The same of one that was replayed. */
export function isSilent({ entry: { state }, outcome }: Revisited): boolean {
  return saysNothing({ state, outcome });
}

/** What is told of an entry that was replayed. */
export interface CorpusSummaryEntry {
  readonly name: string;
  readonly state: CorpusState;
  readonly outcome: RevisitOutcome;
  /** Fixed once, and back. */
  readonly regression: boolean;
  readonly property: string;
  readonly signature: string;
  readonly sentence: string;
  readonly reason: string;
  readonly reproduced: { readonly k: number; readonly n: number };
  readonly missedAnchors: readonly string[];
  readonly detail?: string;
  readonly moves?: readonly { readonly from: string; readonly to: string }[];
  /** Fails, and is covered by a waiver. */
  readonly waived?: true;
}

/** What is told of all of them. */
export interface CorpusSummary {
  readonly budgetMs: number | null;
  readonly elapsedMs: number;
  readonly entries: readonly CorpusSummaryEntry[];
}
