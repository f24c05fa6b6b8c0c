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
import type { Scheduler } from '../../model/item.ts';
import { type Schedule, TIME } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { DerivingScheduler } from '../../schedule/derive.ts';
import { anchorsOf, ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import { SearchScheduler } from '../../schedule/search-scheduler.ts';
import type { StrategyHints } from '../../schedule/strategies/strategy.ts';
import { deniedText } from '../project/access.ts';
import { undeclaredText } from '../project/undeclared.ts';
import type { RunMode } from './run-mode.ts';
import { runTrial } from './trial.ts';
import { resolveTrial, type Habits, type TrialVariant } from './trial-options.ts';
import { Stopwatch, type RunTimes } from './stopwatch.ts';
import { WARM_SETTLE_MS, WarmPlace } from './warm-place.ts';
import type { Host } from './host.ts';

/** What a sibling is for: each has a host of its own, and is started when it is first needed. */
type SiblingFor = 'beside' | 'warm' | `lane ${number}`;
/** Until the references have measured better. */
const HINTS: StrategyHints = { steps: 60, conflictSteps: 16 };

/** How much the latest run counts of how long one takes. */
const LATEST_SHARE = 0.25;

export class TrialRunner {
  readonly host: Host;
  readonly settings: RunSettings;
  hints: StrategyHints = HINTS;
  /** What the references measured about how the target goes about its work. */
  readonly habits: Habits = { readsAreActivity: true, pauseMs: 0, drawnNames: {} };
  /** Until the references are taken: what the target reads decides what of its environment comes to life. */
  learning = true;
  /** Runs made so far, probes included. */
  runs = 0;
  /** The last run that was cut short. */
  cut: History | undefined;
  /** Where the time of the latest run went. */
  times: RunTimes | undefined;
  /** How long a run takes lately, in ms of real time; 0 before the first. */
  usualMs = 0;
  readonly #denials = new Set<string>();
  readonly #snapshot: ClusterState;
  readonly #beat: () => void;
  readonly #siblings = new Map<SiblingFor, Promise<TrialRunner>>();
  readonly #place = new WarmPlace();

  /** `beat` is called before every run, so that a supervisor can tell a long campaign from a blocked one. */
  constructor(host: Host, settings: RunSettings, beat: () => void = () => {}, habits?: Habits) {
    this.#beat = beat;
    if (habits !== undefined) this.habits = habits;
    this.host = host;
    this.settings = settings;
    this.#snapshot = host.cluster.snapshot();
  }

  /** How runs are made, and what is done with them. */
  get mode(): RunMode {
    return this.host.mode;
  }

  /**
   * Runs one trial.
   *
   * @throws {CutShort} when its time is over before it ends.
   */
  run(trial: Trial, variant: TrialVariant = {}): Promise<History> {
    const there = this.#there(trial);
    return this.#run(there, this.#scheduler(there), variant);
  }

  /** Whether a run is judged while it stands: others are made beside it then. */
  get judgesLive(): boolean {
    return this.mode.judgesLive && this.host.isAlone?.() !== true;
  }

  /** Runs a trial beside a run that still stands: on a host of its own, where hosts do not share a clock. */
  async beside(trial: Trial, variant: TrialVariant = {}): Promise<History> {
    if (this.host.isAlone?.() === true) return this.run(trial, variant);
    return (await this.#sibling('beside')).run(trial, variant);
  }

  /**
   * This one and others like it, for so many runs at once. Only this one where hosts share a clock or a cluster, or
   * the network, and with it whatever ports the target listens on.
   */
  async lanes(wanted: number): Promise<readonly TrialRunner[]> {
    if (this.host.isSingle === true) return [this];
    if (this.host.sibling === undefined || this.host.containment?.network !== 'none') return [this];
    if (this.host.isAlone?.() === true) return [this];
    const count = Math.max(1, Math.min(wanted, this.mode.laneCount(availableParallelism())));
    const places = Array.from({ length: count - 1 }, (_, index) => this.#sibling(`lane ${index}`));
    return [this, ...(await Promise.all(places))];
  }

  async #sibling(purpose: SiblingFor): Promise<TrialRunner> {
    const { sibling, reads } = this.host;
    if (sibling === undefined) return this;
    const started =
      this.#siblings.get(purpose) ??
      sibling().then((host) => new TrialRunner(host, this.settings, this.#beat, this.habits));
    this.#siblings.set(purpose, started);
    const runner = await started;
    runner.hints = this.hints;
    runner.learning = false;
    for (const resource of reads) runner.host.reads.add(resource);
    return runner;
  }

  /** Runs a searching trial and expresses what its strategy did as a stored schedule. */
  async derive(
    trial: Trial,
    variant: TrialVariant = {},
  ): Promise<{ readonly history: History; readonly schedule: Schedule }> {
    const there = this.#there(trial);
    const deriving = new DerivingScheduler(this.#scheduler(there).scheduler);
    const history = await this.#run(there, { scheduler: deriving }, variant);
    const schedule = deriving.schedule();
    return { history, schedule: this.host.places?.back(schedule) ?? schedule };
  }

  /** The same on a process that has lived through the runs before, where there is one: quick, and no proof. */
  async deriveWarm(
    trial: Trial,
    variant: TrialVariant,
  ): Promise<{ readonly history: History; readonly schedule: Schedule }> {
    const runner = await this.#sibling('warm');
    return runner.derive(trial, { ...variant, place: this.#place, settleWindowMs: WARM_SETTLE_MS, pauseMs: 0 });
  }

  /** What the server refused the target for want of a rule, one line for each, in all runs so far. */
  denials(): readonly string[] {
    return [...this.#denials];
  }

  async #run(
    trial: Trial,
    chosen: { readonly scheduler: Scheduler; readonly replay?: ReplayScheduler },
    variant: TrialVariant,
  ): Promise<History> {
    this.runs++;
    this.#beat();
    const { replay } = chosen;
    const { places } = this.host;
    const began = realNow();
    const stopwatch = new Stopwatch();
    const drainedMs = this.host.drainMs ?? 0;
    const { host, settings, habits } = this;
    const missed = (): readonly string[] =>
      replay === undefined ? [] : anchorsOf(trial.schedule).filter((label) => !replay.hit.has(label));
    const start = { host, snapshot: this.#snapshot, workload: trial.workload, scheduler: chosen.scheduler };
    const asSeenThere = await runTrial(
      resolveTrial({ ...start, missed, stopwatch }, settings, habits, places?.options(variant) ?? variant),
    );
    const tookMs = realNow() - began;
    this.times = stopwatch.times((this.host.drainMs ?? 0) - drainedMs);
    this.usualMs += (tookMs - this.usualMs) * (this.usualMs === 0 ? 1 : LATEST_SHARE);
    if (asSeenThere.settlement.result === 'cut-short') {
      this.cut = asSeenThere;
      // Of a run whose time was over nobody is to judge anything: it rejects.
      this.#beat();
    }
    places?.check(asSeenThere);
    const history = places?.back(asSeenThere) ?? asSeenThere;
    for (const warning of this.host.warnings?.() ?? []) this.#denials.add(warning);
    if (this.learning) for (const resource of readBy(history)) this.host.reads.add(resource);
    for (const denied of this.host.cluster.deniedRequests())
      this.#denials.add(deniedText(places?.back(denied) ?? denied));
    for (const line of undeclaredText(this.host.cluster.undeclared?.() ?? [])) this.#denials.add(line);
    return history;
  }

  /** As the cluster calls what it is about. */
  #there(trial: Trial): Trial {
    return this.host.places?.trial(trial) ?? trial;
  }

  #scheduler(trial: Trial): { scheduler: Scheduler; replay?: ReplayScheduler } {
    if (trial.search !== undefined) {
      const { links } = this.host.disturbance ?? {};
      const hints = links === undefined ? this.hints : { ...this.hints, links };
      return { scheduler: new SearchScheduler(trial.search, new Random(trial.search.seed), hints) };
    }
    const replay = new ReplayScheduler(trial.schedule, (kind, label, detail) => {
      const text = kind === 'preemption' ? `run ${detail === TIME ? 'time' : detail}` : detail;
      this.host.current?.recorder.decision(kind, label, text);
    });
    return { scheduler: replay, replay };
  }
}

/** The resources that the target gets, lists or watches. */
function readBy({ operations }: History): readonly string[] {
  return operations.flatMap(({ actor, verb, resource }) =>
    roleOf(actor) === 'target' && !isWrite(verb) && resource !== '' ? [resource] : [],
  );
}
