/**
 * The story of a finding as data: the first screen, in the terminal and at the top of the page.
 *
 * Owns: which steps are shown and in which order. Does not own: the text of a request (`operation-text.ts`), which actor had
 * received what (`knowledge.ts`), layout (`terminal.ts`). Start with {@link tellStory}.
 */
import { roleOf, type ActorId } from '../model/actor.ts';
import type { Violation } from '../model/check-result.ts';
import { confirmationText } from '../model/confirmation.ts';
import type { Finding, FindingStats } from '../model/finding.ts';
import { phaseStart, phaseStartMs } from '../model/history.ts';
import { compareAtRest, type Comparison } from './at-rest.ts';
import { deviationRows } from './deviation-rows.ts';
import { foldCycles, keepWithin, withWaits } from './fold.ts';
import { indexHistory, type HistoryIndex } from './history-index.ts';
import { involvedKeys } from './involved.ts';
import { fixOf } from './suggested-fix.ts';
import { operationRows } from './operation-rows.ts';
import { eventRows } from './event-rows.ts';
import { reconcilesBeside } from './target-use.ts';
import { becauseOf, symptomLines } from './symptoms.ts';
import { titleOf } from './title.ts';
import { waiverLine } from './waiver-line.ts';
import type { StoryRow } from './story-row.ts';
import { given } from '../model/given.ts';

export interface Story {
  /** For example `LOST UPDATE`. */
  readonly title: string;
  readonly sentence: string;
  /** The cause; absent in files from versions without causes, and if it adds nothing to the sentence. */
  readonly cause?: string;
  /** Other symptoms of the cause, which are known after the end of the campaign. */
  readonly symptoms: readonly string[];
  /** Actors with rows: the target last, all others before it. */
  readonly actors: readonly ActorId[];
  /** For example `deployments/web`, if the story is about one object. */
  readonly object?: string;
  readonly rows: readonly StoryRow[];
  /** Number of steps on other objects. */
  readonly unrelatedSteps: number;
  /** Differences at rest from a fresh copy with the same input. */
  readonly atRest: readonly Comparison[];
  readonly missed: readonly string[];
  /** The target's own count of reconciles; for findings about rates. */
  readonly reconciles?: string;
  /** Evidence for the finding; absent for a replay. */
  readonly stats?: FindingStats;
  /** Whether it reproduced on a real API server or was not tried there; absent for findings of a real server. */
  readonly confirmed?: string;
  /** What usually fixes such a finding; absent for the user's own claims. */
  readonly fix?: string;
  /** The waiver to paste into the configuration. */
  readonly waiver: string;
  /** Whether a run can be repeated step by step: false if the target is a process in real time. */
  readonly deterministic: boolean;
}

/** Maximum number of rows: the first screen has 40 lines, and head and foot take the rest. */
const ROWS_MAX = 25;

/** A finding, or the replay of one. */
export type StoryInput = Omit<Finding, 'stats'> & { readonly stats?: FindingStats };

/** Builds the story of a finding. Pure. */
export function tellStory({ record: history, violation, counterexample, stats }: StoryInput): Story {
  const index = indexHistory(history);
  const keys = involvedKeys(index, violation);
  const from = beginning(index, violation);
  const requests = operationRows(index, keys, violation, from);
  const rows: readonly StoryRow[] = [
    ...requests.rows,
    ...deviationRows(history, counterexample.schedule, stats?.counterfactuals ?? []),
    ...eventRows(history, from, violation, namesOf(keys)),
  ];
  const ordered = [...rows].sort((a, b) => a.at - b.at);
  const kept = withWaits(keepWithin(foldCycles(ordered), ROWS_MAX), phaseStartMs(history, 'contention'));
  const [key] = requests.objects.size === 1 ? requests.objects : [];
  const object = key === undefined ? undefined : index.shortName(key);
  const confirmed = confirmationText(counterexample);
  const fix = fixOf(index, violation);
  const { cause, symptoms = [] } = becauseOf(violation, stats ?? {});
  return {
    title: titleOf(violation.signature),
    sentence: violation.sentence,
    ...(cause === undefined || cause.key === cause.text ? {} : { cause: cause.text }),
    symptoms: symptoms.length < 2 ? [] : symptomLines(symptoms),
    actors: actorsOf(kept),
    ...given({ object }),
    rows: kept,
    unrelatedSteps: requests.unrelated,
    atRest: compareAtRest(index, keys, violation),
    missed: history.missed,
    ...reconciled(violation, history),
    ...given({ stats, confirmed, fix }),
    waiver: waiverLine({ violation, record: history, counterexample }),
    // On a real cluster, even a module runs as a process in real time.
    deterministic: !('command' in counterexample.target) && (counterexample.cluster ?? 'embedded') === 'embedded',
  };
}

/** Returns the names of objects as log lines contain them: namespace and name only. */
function namesOf(keys: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...keys].map((key) => key.split('/').slice(1).join('/')));
}

function reconciled({ signature }: Violation, { measurements }: StoryInput['record']): Pick<Story, 'reconciles'> {
  const reconciles = reconcilesBeside(signature.property, measurements);
  return given({ reconciles });
}

/**
 * Returns where the story begins: with contention, or earlier if the violation does, because a target can be wrong while
 * undisturbed.
 */
function beginning(index: HistoryIndex, violation: Violation): number {
  const start = phaseStart(index.history, 'contention');
  const moments = violation.operations.flatMap((id) => index.operation(id)?.invoked.at ?? []);
  const [guilty] = moments;
  const from = Number.isFinite(start) ? start : 0;
  // Versions received before contention are shown as known, unless the guilty request itself was earlier.
  return guilty !== undefined && guilty < from ? Math.min(...moments) : from;
}

const COLUMN_ORDER = { user: 0, writer: 1, environment: 2, target: 3 } as const;

function actorsOf(rows: readonly StoryRow[]): readonly ActorId[] {
  const actors = new Set<ActorId>();
  for (const row of rows) {
    if (row.row === 'operation' || row.row === 'seen' || row.row === 'event') actors.add(row.actor);
  }
  return [...actors].sort((a, b) => COLUMN_ORDER[roleOf(a)] - COLUMN_ORDER[roleOf(b)] || (a < b ? -1 : 1));
}
