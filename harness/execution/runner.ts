/**
 * Runs trials of one target, one after the other, in the process where the target lives.
 *
 * Owns: the base state that every run starts from, and the scheduler that a trial asks for.
 */
import type { ServerSnapshot } from '../apiserver/server.ts';
import { Random } from '../determinism/random.ts';
import type { RunSettings } from '../model/counterexample.ts';
import type { History } from '../model/history.ts';
import type { Scheduler } from '../model/item.ts';
import type { Schedule } from '../model/schedule.ts';
import { TIME } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import { DerivingScheduler } from '../schedule/derive.ts';
import { anchorsOf, ReplayScheduler } from '../schedule/replay-scheduler.ts';
import { SearchScheduler } from '../schedule/search-scheduler.ts';
import type { StrategyHints } from '../schedule/strategies/strategy.ts';
import { runTrial } from './trial.ts';
import type { TrialOptions } from './trial.ts';
import type { Host } from './world.ts';

/** Until the references have measured better. */
const HINTS: StrategyHints = { steps: 60, conflictSteps: 16 };

export class TrialRunner {
  readonly host: Host;
  readonly settings: RunSettings;
  hints: StrategyHints = HINTS;
  /** Reads do not count as activity for a target that polls by nature. */
  readsAreActivity = true;
  /** Runs made so far, probes included. */
  runs = 0;
  readonly #snapshot: ServerSnapshot;
  readonly #beat: () => void;

  /** `beat` is called before every run, so that a supervisor can tell a long campaign from a blocked one. */
  constructor(host: Host, settings: RunSettings, beat: () => void = () => {}) {
    this.#beat = beat;
    this.host = host;
    this.settings = settings;
    this.#snapshot = host.server.snapshot();
  }

  /** Whether the same trial gives the same history: not where the target is a process with a clock of its own. */
  get repeatable(): boolean {
    return this.host.control !== undefined;
  }

  /** Runs one trial. */
  run(trial: Trial, variant: Partial<TrialOptions> = {}): Promise<History> {
    return this.#run(trial, this.#scheduler(trial), variant);
  }

  /** Runs a searching trial and expresses what its strategy did as a stored schedule. */
  async derive(trial: Trial): Promise<{ readonly history: History; readonly schedule: Schedule }> {
    const deriving = new DerivingScheduler(this.#scheduler(trial).scheduler);
    const history = await this.#run(trial, { scheduler: deriving }, {});
    return { history, schedule: deriving.schedule() };
  }

  #run(
    trial: Trial,
    chosen: { readonly scheduler: Scheduler; readonly replay?: ReplayScheduler },
    variant: Partial<TrialOptions>,
  ): Promise<History> {
    this.runs++;
    this.#beat();
    const { replay } = chosen;
    return runTrial({
      host: this.host,
      snapshot: this.#snapshot,
      settings: this.settings,
      workload: trial.workload,
      scheduler: chosen.scheduler,
      readsAreActivity: this.readsAreActivity,
      ...(replay === undefined
        ? {}
        : { missed: () => anchorsOf(trial.schedule).filter((label) => !replay.hit.has(label)) }),
      ...variant,
    });
  }

  #scheduler(trial: Trial): { scheduler: Scheduler; replay?: ReplayScheduler } {
    if (trial.search !== undefined) {
      return { scheduler: new SearchScheduler(trial.search, new Random(trial.search.seed), this.hints) };
    }
    const replay = new ReplayScheduler(trial.schedule, (kind, label, detail) => {
      const text = kind === 'preemption' ? `run ${detail === TIME ? 'time' : detail}` : detail;
      this.host.current?.recorder.decision(kind, label, text);
    });
    return { scheduler: replay, replay };
  }
}
