/**
 * Runs trials of one target, one after the other, in the process where the target lives.
 *
 * Owns: the base state that every run starts from, and the scheduler that a trial asks for.
 */
import { availableParallelism } from 'node:os';
import type { ClusterState } from '../../clusters/cluster.ts';
import { Random } from '../../determinism/random.ts';
import { realNow } from '../../determinism/real-time.ts';
import { roleOf } from '../../model/actor.ts';
import type { RunSettings } from '../../model/counterexample.ts';
import { isWrite, type History } from '../../model/history.ts';
import { type Schedule, TIME } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { DerivingScheduler } from '../../schedule/derive.ts';
import { anchorsOf, ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import { SearchScheduler } from '../../schedule/search-scheduler.ts';
import type { StrategyHints } from '../../schedule/strategies/strategy.ts';
import { deniedText } from '../project/access.ts';
import { toPodText, undeclaredText } from '../project/undeclared.ts';
import type { RunMode } from './run-mode.ts';
import { runTrial } from './trial.ts';
import { resolveTrial, type Decide, type Habits, type TrialVariant } from './trial-options.ts';
import { Stopwatch, type RunTimes } from './stopwatch.ts';
import type { Host } from './host.ts';

/** The purpose of a sibling: each sibling has a separate host, and is started when first needed. */
type SiblingFor = 'beside' | `lane ${number}`;
/** The initial hints, until the references have been measured. */
const HINTS: StrategyHints = { steps: 60, conflictSteps: 16 };

/** The weight of the latest run in the average duration of a run. */
const LATEST_SHARE = 0.25;

/** The callbacks through which a supervisor observes runs and ends them. */
export interface RunSupervision {
  /** Called before every run, so that a long campaign can be distinguished from a blocked one. May throw like `throwIfTimeIsOver`. */
  readonly onRunBegins: () => void;
  /** Throws if the current work has to end. @throws {CutShort} if its time is over. */
  readonly throwIfTimeIsOver: () => void;
}

const UNSUPERVISED: RunSupervision = { onRunBegins: () => {}, throwIfTimeIsOver: () => {} };

export class TrialRunner {
  readonly host: Host;
  readonly settings: RunSettings;
  hints: StrategyHints = HINTS;
  /** What the references measured about the target's behaviour. */
  readonly habits: Habits = { readsAreActivity: true, pauseMs: 0, drawnNames: {}, sharedNames: [] };
  /** Whether the references are still incomplete. Until then, what the target reads decides which environment controllers are started. */
  learning = true;
  /** The number of runs so far, including probes. */
  runs = 0;
  /** The last run that was cut short. */
  cut: History | undefined;
  /** The real time of the latest run, by part. */
  times: RunTimes | undefined;
  /** The average duration of recent runs, in ms of real time; 0 before the first. */
  usualMs = 0;
  readonly #denials = new Set<string>();
  /** Says that the target connects to a pod, if its output in a run that never came to rest shows it. */
  #toPod: string | undefined;
  readonly #snapshot: ClusterState;
  readonly #supervision: RunSupervision;
  readonly #siblings = new Map<SiblingFor, Promise<TrialRunner>>();
  /** The runner that this one is a lane of. */
  #root: TrialRunner | undefined;
  /** Resolves once the runs so far on the shared sibling are over. */
  #besides: Promise<unknown> = Promise.resolve();

  constructor(host: Host, settings: RunSettings, supervision: RunSupervision = UNSUPERVISED, habits?: Habits) {
    this.#supervision = supervision;
    if (habits !== undefined) this.habits = habits;
    this.host = host;
    this.settings = settings;
    this.#snapshot = host.cluster.snapshot();
  }

  /** How this kind of target is run and judged. */
  get mode(): RunMode {
    return this.host.mode;
  }

  /**
   * Runs one trial.
   *
   * @throws {CutShort} if the time for the run is over before it ends.
   */
  run(trial: Trial, variant: TrialVariant = {}): Promise<History> {
    const there = this.#there(trial);
    return this.#run(there, this.#decide(there), variant);
  }

  /** Whether a run is judged while it is open; probes are then made on a sibling. */
  get judgesLive(): boolean {
    return this.mode.judgesLive && !this.host.isAlone();
  }

  /** Runs a trial while another run is still open: on a separate host, unless hosts share a clock. */
  async beside(trial: Trial, variant: TrialVariant = {}): Promise<History> {
    if (this.host.isAlone()) return this.run(trial, variant);
    if (!this.host.isCostly) return (await this.#sibling('beside')).run(trial, variant);
    const root = this.#root ?? this;
    const run = root.#besides.then(async () => (await root.#sibling('beside')).run(trial, variant));
    root.#besides = run.catch(() => {});
    return run;
  }

  /**
   * Returns up to `wanted` runners, this one included, for parallel runs. Returns only this one if hosts share a clock, a cluster, or the
   * network and thus the ports that the target listens on.
   */
  async lanes(wanted: number): Promise<readonly TrialRunner[]> {
    const { isSingle, isAlone, containment } = this.host;
    if (isSingle || isAlone() || containment?.network !== 'none') return [this];
    const count = Math.max(1, Math.min(wanted, this.mode.laneCount(availableParallelism())));
    const places = Array.from({ length: count - 1 }, (_, index) => this.#sibling(`lane ${index}`));
    return [this, ...(await Promise.all(places))];
  }

  /** Starts what up to `wanted` parallel runs need while the first runs, which mostly wait, are made one after the other. */
  warmUp(wanted: number): void {
    if (!this.host.isCostly || this.host.isSingle || this.host.isAlone()) return;
    // The call that needs a sibling reports why it did not start.
    for (const started of [this.lanes(wanted), this.#sibling('beside')]) started.catch(() => {});
  }

  async #sibling(purpose: SiblingFor): Promise<TrialRunner> {
    const { sibling, reads } = this.host;
    const started =
      this.#siblings.get(purpose) ??
      sibling().then((host) =>
        host === this.host ? this : new TrialRunner(host, this.settings, this.#supervision, this.habits),
      );
    this.#siblings.set(purpose, started);
    const runner = await started;
    if (runner === this) return this;
    runner.#root = this.#root ?? this;
    runner.hints = this.hints;
    runner.learning = false;
    for (const resource of reads) runner.host.reads.add(resource);
    return runner;
  }

  /** Runs a searching trial and expresses the decisions of its strategy as a stored schedule. */
  async derive(
    trial: Trial,
    variant: TrialVariant = {},
  ): Promise<{ readonly history: History; readonly schedule: Schedule }> {
    const there = this.#there(trial);
    const decide = this.#decide(there);
    let schedule = (): Schedule => there.schedule;
    const history = await this.#run(
      there,
      (note) => {
        const deriving = new DerivingScheduler(decide(note).scheduler);
        schedule = () => deriving.schedule();
        return { scheduler: deriving, missed: () => [] };
      },
      variant,
    );
    return { history, schedule: this.host.places.back(schedule()) };
  }

  /** Returns the requests that the server denied the target for lack of an RBAC rule, one line each, in all runs so far. */
  denials(): readonly string[] {
    return this.#toPod === undefined ? [...this.#denials] : [...this.#denials, this.#toPod];
  }

  async #run(trial: Trial, decide: Decide, variant: TrialVariant): Promise<History> {
    this.runs++;
    this.#supervision.onRunBegins();
    const { host, settings, habits } = this;
    const { places } = host;
    const began = realNow();
    const stopwatch = new Stopwatch();
    const { drainMs } = host;
    const start = { host, snapshot: this.#snapshot, workload: trial.workload, decide, stopwatch };
    const asSeenThere = await runTrial(resolveTrial(start, settings, habits, places.options(variant)));
    const tookMs = realNow() - began;
    this.times = stopwatch.times(host.drainMs - drainMs);
    this.usualMs += (tookMs - this.usualMs) * (this.usualMs === 0 ? 1 : LATEST_SHARE);
    if (asSeenThere.settlement.result === 'cut-short') {
      this.cut = asSeenThere;
      // A run that was cut short because its time is over must not be judged. A run that was cut short for another reason is judged.
      this.#supervision.throwIfTimeIsOver();
    }
    places.check(asSeenThere);
    const history = places.back(asSeenThere);
    for (const warning of host.warnings()) this.#denials.add(warning);
    if (this.learning) for (const resource of readBy(history)) host.reads.add(resource);
    for (const denied of host.cluster.deniedRequests()) this.#denials.add(deniedText(places.back(denied)));
    for (const line of undeclaredText(host.cluster.undeclared?.() ?? [])) this.#denials.add(line);
    // One address is enough: a target that waits for pods repeats these lines.
    if (history.settlement.result !== 'quiescent') this.#toPod ??= toPodText(history.logs ?? []);
    return history;
  }

  /** Translates a trial to the cluster's namespace names. */
  #there(trial: Trial): Trial {
    return this.host.places.trial(trial);
  }

  #decide({ search, schedule }: Trial): Decide {
    if (search !== undefined) {
      const hints = { ...this.hints, links: this.host.disturbance.links };
      return () => ({ scheduler: new SearchScheduler(search, new Random(search.seed), hints), missed: () => [] });
    }
    return (note) => {
      const replay = new ReplayScheduler(schedule, (kind, label, detail) =>
        note(kind, label, kind === 'preemption' ? `run ${detail === TIME ? 'time' : detail}` : detail),
      );
      return { scheduler: replay, missed: () => anchorsOf(schedule).filter((label) => !replay.hit.has(label)) };
    };
  }
}

/** Returns the resources that the target gets, lists or watches. */
function readBy({ operations }: History): readonly string[] {
  return operations.flatMap(({ actor, verb, resource }) =>
    roleOf(actor) === 'target' && !isWrite(verb) && resource !== '' ? [resource] : [],
  );
}
