/**
 * Makes the reference runs: runs of the target without writers and faults, with different seeds and clocks.
 *
 * Owns: which undisturbed runs are made, and how they are made comparable. Does not own: what they show about ownership
 * (`oracle/reference.ts`), what writers aim at (`aim.ts`), problems of the undisturbed target (`undisturbed-trouble.ts`).
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { realNow } from '../../determinism/real-time.ts';
import { roleOf } from '../../model/actor.ts';
import { loadOf, rounded, type Measures } from '../../model/baseline.ts';
import { phaseStart, type History, type Mark } from '../../model/history.ts';
import type { Reference } from '../../model/reference.ts';
import { given } from '../../model/given.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { specHash } from '../../model/spec-hash.ts';
import type { Trial } from '../../model/trial.ts';
import type { Declarations } from '../../model/declarations.ts';
import type { ProgramOp, Workload } from '../../model/workload.ts';
import { sharedNamesIn } from '../../oracle/shared-names.ts';
import { drawnNamesIn } from '../../oracle/drawn-names.ts';
import { leaseSeconds, lockHolder } from '../../oracle/leadership.ts';
import { ownPauseMs } from '../../oracle/pace.ts';
import { isRestless, itemsUntil } from '../../oracle/rest.ts';
import { buildReference, idleRates, type ReferenceRun } from '../../oracle/reference.ts';
import { withWholeConditions } from '../../schedule/workload/schema-view.ts';
import type { StrategyHints } from '../../schedule/strategies/strategy.ts';
import type { Aim, SpecChange } from '../../schedule/workload/writer.ts';
import { inLanes } from './lanes.ts';
import { aimOf, possibleChanges, targetsOf } from './aim.ts';
import type { Live } from './live.ts';
import type { TrialRunner } from './runner.ts';
import type { Habit } from './trial-options.ts';
import { checkAlive, undisturbedWarnings } from './undisturbed-trouble.ts';

/** The seeds and clocks of the base runs, which differ so that values that depend on them are recognised as volatile. */
const BASE_RUNS = [
  { seed: 11, clockOffsetMs: 0 },
  { seed: 22, clockOffsetMs: 86_400_000 * 45 + 12_345_678 },
  { seed: 33, clockOffsetMs: 86_400_000 * 400 + 7 },
] as const;
/** The number of windows that a process gets in later reference runs if it never came to rest in the first one. */
const RESTLESS_WINDOWS = 2;
/** The number of spec changes tried beyond the sample's own values. */
const SPEC_CHANGES_MAX = 8;

export interface References {
  readonly reference: Reference;
  readonly aim: Aim;
  /** The history of the first base run; absent if the references came from the cache. */
  readonly history?: History;
  /** Problems of the target that occur even when it is undisturbed. */
  readonly warnings: readonly string[];
  /** The number of spec changes that were not tried for lack of time. */
  readonly changesLeft?: number;
}

/** Returns the load that the undisturbed target puts on the server. */
export function undisturbedMeasures({ reference, history }: References): Measures {
  const load = history === undefined ? undefined : loadOf(history);
  const { requestsPerMinute, writesPerMinute } = reference.idle;
  return {
    ...(load === undefined ? {} : { requestsUndisturbed: load.requests, writesUndisturbed: load.writes }),
    idleRequestsPerMinute: rounded(requestsPerMinute),
    idleWritesPerMinute: rounded(writesPerMinute),
    largestBurst: reference.burstMax,
  };
}

/** Returns the references with the user's declarations about fields added. */
export function withDeclared(references: References, declared: Declarations | undefined): References {
  if (declared === undefined || declared.coOwned.length + declared.volatile.length === 0) return references;
  return { ...references, reference: { ...references.reference, declared } };
}

/**
 * Makes the reference runs.
 *
 * @param spareUntil Real time in ms after which optional runs, those with a spec change, are skipped.
 */
export async function takeReferences(
  runner: TrialRunner,
  base: Workload,
  crds: readonly KubeObject[],
  spareUntil: number = Number.POSITIVE_INFINITY,
): Promise<References> {
  const trial: Trial = { workload: { ...base, start: 'empty', programs: [] }, schedule: EMPTY_SCHEDULE };
  let { runs: undisturbed, look } = await baseRuns(runner, trial);
  const drawnNames = drawnNamesIn(undisturbed);
  const sharedNames = sharedNamesIn(undisturbed);
  if (Object.keys(drawnNames).length > 0 || sharedNames.length > 0) {
    // Names that the target itself generates at random are replaced by ordinals, as for `generateName`, so that the runs are comparable.
    runner.habits.drawnNames = drawnNames;
    runner.habits.sharedNames = sharedNames;
    ({ runs: undisturbed, look } = await baseRuns(runner, trial));
  }
  runner.habits.readsAreActivity = idleRates(undisturbed).requestsPerMinute === 0;
  const runs: ReferenceRun[] = undisturbed.map((history) => ({ kind: 'base', history }));
  const [first] = undisturbed;
  const settled: Trial = { ...trial, workload: { ...trial.workload, start: 'settled' } };
  const healthy: SpecChange[] = [];
  const hashes = new Set(base.sample.map((object) => specHash(object)));
  // A target that never stops changing things has no healthy spec values to switch between.
  const restless = undisturbed.some(isRestless);
  const changes = restless ? [] : possibleChanges(runner, base, crds).slice(0, SPEC_CHANGES_MAX);
  const deletions = targetsOf(runner, base).map((target): ProgramOp => ({ do: 'delete', target }));
  let changesLeft = 0;
  const programs = function* (): Generator<{ readonly change?: SpecChange; readonly ops: readonly ProgramOp[] }> {
    for (const change of changes) {
      if (realNow() < spareUntil) yield { change, ops: [setOp(change)] };
      else changesLeft++;
    }
    yield { ops: deletions };
  };
  const settledRuns = await inLanes(
    await runner.lanes(changes.length + 1),
    programs(),
    async (lane, { change, ops }) => ({
      change,
      history: await lane.run(settled, { afterRest: [{ actor: 'user', writer: 'user', ops }] }),
    }),
  );
  for (const { change, history } of settledRuns) {
    if (change === undefined) runs.push({ kind: 'deletion', history });
    else if (settledHealthy(history) && (cameToRest(history) || !undisturbed.every(cameToRest))) {
      // A value that a target at rest otherwise makes it poll for, such as the name of a missing Secret, is no change of its usual work.
      healthy.push(change);
      for (const revision of history.revisions) {
        if (revision.actor === 'user' && revision.type === 'MODIFIED') hashes.add(specHash(revision.object));
      }
      runs.push({ kind: 'spec-change', history });
    }
  }
  if (runner.mode.measuresPauses) runner.habits.habit = habitOf(runs.map(({ history }) => history));
  const wholeConditions = withWholeConditions(crds);
  const reference: Reference = {
    ...buildReference(runs, [...hashes], look?.history),
    suspectSettleMs: runner.host.pace.suspectMs,
    ...given({ backOffMs: runner.host.pace.backOffMs, aloneMs: runner.host.pace.aloneMs }),
    ...(Object.keys(drawnNames).length === 0 ? {} : { drawnNames }),
    ...(wholeConditions.length === 0 ? {} : { wholeConditions }),
  };
  // From here on a run depends on its trial alone, not on earlier runs.
  runner.learning = false;
  // Estimates the steps of contention: apart from writers' items, it takes about as many as an undisturbed start.
  runner.hints = {
    ...runner.hints,
    steps: Math.max(runner.hints.steps, first.steps),
    watched: watchedBy(first),
    mayDelay: !runner.mode.waitsForReal,
    ...lockOf(first),
  };
  return {
    reference,
    aim: {
      ...aimOf(runner, first, reference, base, healthy, crds),
      ...(look === undefined || look.waitsMs.length === 0 ? {} : { waitsMs: look.waitsMs }),
    },
    history: first,
    warnings: undisturbedWarnings(first),
    ...(changesLeft === 0 ? {} : { changesLeft }),
  };
}

/** Returns the median number of watches and changes before contention. */
function habitOf(runs: readonly History[]): Habit {
  const before = ({ at }: Mark, run: History): boolean => at < phaseStart(run, 'contention');
  const mostly = (of: readonly History[], count: (run: History) => number): number =>
    of.map(count).toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
  return {
    watches: mostly(
      runs,
      (run) =>
        run.operations.filter(
          ({ verb, outcome, answered }) =>
            verb === 'watch' && outcome.type === 'ok' && answered !== undefined && before(answered, run),
        ).length,
    ),
    changes: mostly(
      runs.filter((run) => run.revisions.some((revision) => revision.actor === 'user' && before(revision, run))),
      (run) => run.revisions.filter((revision) => roleOf(revision.actor) === 'target' && before(revision, run)).length,
    ),
  };
}

type Look = Awaited<ReturnType<Live['lookOn']>>;

interface BaseRuns {
  readonly runs: readonly [History, ...(readonly History[])];
  /** What the target does when left alone for hours; absent if it never came to rest. */
  readonly look: Look | undefined;
}

/**
 * Makes undisturbed runs with different seeds and clocks. For a program, the first run also measures how long the target pauses and how
 * many watches it opens.
 */
async function baseRuns(runner: TrialRunner, trial: Trial): Promise<BaseRuns> {
  const { host, habits, mode } = runner;
  const { idleMs, firstWindowMs } = host.pace;
  const [opening, ...again] = BASE_RUNS;
  // These runs must show whether polling is normal for the target.
  const readsAreActivity = 'when-new';
  let look: Look | undefined;
  const atRest = async (live: Live): Promise<void> => {
    if (cameToRest(live.history)) look = await live.lookOn();
  };
  const first = await runner.run(trial, {
    ...opening,
    readsAreActivity,
    idleMs,
    atRest,
    settleWindowMs: firstWindowMs,
  });
  checkAlive(first, host.containment);
  if (mode.measuresPauses) {
    const { watches } = habitOf([first]);
    habits.habit = { watches };
    habits.pauseMs = Math.max(habits.pauseMs, ownPauseMs([first]));
  }
  // For a program, one observation at rest is enough, and so is one run that never comes to rest: both take real time.
  const restless = !cameToRest(first);
  const idle = !mode.measuresPauses ? { idleMs } : restless ? { windowsMax: RESTLESS_WINDOWS } : {};
  // The window is at least as long as the longest pause in the first run. A target that becomes busy again after such a window acts at
  // intervals; it is not in the middle of work.
  const longer =
    firstWindowMs === undefined ? {} : { settleWindowMs: Math.max(firstWindowMs, habits.pauseMs), pauseMs: 0 };
  const further = await inLanes(await runner.lanes(again.length), again, (lane, variant) =>
    lane.run(trial, { ...variant, readsAreActivity, ...idle, ...longer }),
  );
  for (const history of further) checkAlive(history, host.containment);
  const runs: BaseRuns['runs'] = [first, ...further];
  // A target that spins undisturbed never finishes its work. For a target that polls, only the items before the idle phase count.
  if (!runs.some(isRestless)) {
    const ends = runs.map((run) => phaseStart(run, cameToRest(run) ? 'idle' : 'settle'));
    habits.workItems = Math.max(...runs.map((run, at) => itemsUntil(run, ends[at] ?? 0)));
  }
  if (mode.measuresPauses) habits.pauseMs = runs.every(cameToRest) ? Math.max(habits.pauseMs, ownPauseMs(further)) : 0;
  return { runs, look };
}

function cameToRest({ settlement }: History): boolean {
  return settlement.result === 'quiescent';
}

/** Returns the resources that the target watches, except locks, which do not affect its decisions. */
function watchedBy({ operations }: History): readonly string[] {
  const watches = operations.filter(({ actor, verb }) => verb === 'watch' && roleOf(actor) === 'target');
  return [...new Set(watches.map(({ resource }) => resource))].filter((resource) => !resource.startsWith('leases.'));
}

/** Returns the longest duration of the locks that the target took. */
function lockOf({ revisions }: History): Pick<StrategyHints, 'lockMs'> {
  const locks = revisions.filter(({ actor, object }) => roleOf(actor) === 'target' && lockHolder(object) !== undefined);
  return locks.length === 0 ? {} : { lockMs: Math.max(...locks.map(({ object }) => leaseSeconds(object) * 1000)) };
}

function settledHealthy(history: History): boolean {
  if (isRestless(history)) return false;
  if (!history.revisions.some((revision) => revision.actor === 'user' && revision.type === 'MODIFIED')) return false;
  const since = phaseStart(history, 'settle');
  return !history.operations.some(
    ({ actor, invoked, outcome }) =>
      roleOf(actor) === 'target' &&
      invoked.at > since &&
      outcome.type === 'fail' &&
      outcome.code !== 404 &&
      outcome.code !== 409,
  );
}

function setOp(change: SpecChange): ProgramOp {
  return { do: 'set', target: change.target, path: change.path, value: change.value, via: 'update' };
}
