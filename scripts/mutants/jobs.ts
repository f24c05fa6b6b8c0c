/** The messages between the benchmark and its lanes (`worker.ts`), and the distribution of work over lanes. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { StalemateOptions, Trial } from '../../harness/index.ts';
import type { StrategyName } from '../../harness/model/trial.ts';

export interface Campaign {
  readonly do: 'search';
  readonly options: StalemateOptions;
  readonly strategies?: readonly StrategyName[];
  /** The maximum number of runs, in addition to the budget. */
  readonly runs?: number;
}

export interface LookUndisturbed {
  readonly do: 'undisturbed';
  readonly options: StalemateOptions;
  /** The options of the correct controller. */
  readonly original: StalemateOptions;
  /** The steps of the user; `null` to derive them from the reference runs. */
  readonly script: Trial | null;
}

export type Job = Campaign | LookUndisturbed;

/** The first violation that was reproduced. */
export interface Kill {
  readonly property: string;
  readonly class: string;
  /**
   * The time from the start of the search until the violation was seen, including reference runs, without shrinking and reproduction: CPU
   * time for a module, wall-clock time for a program.
   */
  readonly ms: number;
  readonly runs: number;
  /** The strategy of the trial; `null` if the trial was one deviation from an undisturbed run. */
  readonly strategy: StrategyName | null;
}

export interface Searched {
  readonly kill: Kill | null;
  readonly runs: number;
  readonly ms: number;
  /** Possible reasons why the search found nothing. */
  readonly reasons: readonly string[];
}

export interface Undisturbed {
  readonly script: Trial | null;
  readonly states: readonly string[];
  /** The failure in the undisturbed run; `null` if there is none. */
  readonly broken: string | null;
}

interface Answer {
  readonly ready?: true;
  readonly result?: unknown;
  readonly error?: string;
}

/** Enough for the reference runs and one run of a program. */
const UNDISTURBED_MS = 30_000;
const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
/** A lane counts as blocked by its target once it has taken `times` times its budget plus `ms`. */
const PATIENCE = { times: 21, ms: 60_000 } as const;

/** A process that does one job at a time. It is replaced for each new controller, and after it was blocked. */
export class Lane {
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #controller = '';
  #pending: PromiseWithResolvers<unknown> = Promise.withResolvers();

  /** @param other - The checkout whose harness runs the search; absent for this checkout. */
  constructor(other?: string) {
    this.#args = other === undefined ? [] : [other];
  }

  search(controller: string, job: Omit<Campaign, 'do'>, budgetMs: number): Promise<Searched> {
    return this.#ask(controller, { do: 'search', ...job }, budgetMs) as Promise<Searched>;
  }

  undisturbed(controller: string, job: Omit<LookUndisturbed, 'do'>): Promise<Undisturbed> {
    return this.#ask(controller, { do: 'undisturbed', ...job }, UNDISTURBED_MS) as Promise<Undisturbed>;
  }

  close(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #ask(controller: string, job: Job, budgetMs: number): Promise<unknown> {
    if (this.#child === undefined || this.#controller !== controller) await this.#open(controller);
    this.#pending = Promise.withResolvers();
    const limit = setTimeout(
      () => {
        this.close();
        this.#pending.reject(new Error('the process was blocked'));
      },
      budgetMs * PATIENCE.times + PATIENCE.ms,
    );
    this.#child?.send(job);
    try {
      return await this.#pending.promise;
    } finally {
      clearTimeout(limit);
    }
  }

  async #open(controller: string): Promise<void> {
    this.close();
    this.#controller = controller;
    this.#pending = Promise.withResolvers();
    const child = fork(WORKER, this.#args, {
      execArgv: ['--max-semi-space-size=64'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', ({ ready, result, error }: Answer) => {
      if (error === undefined) this.#pending.resolve(ready ?? result);
      else this.#pending.reject(new Error(error));
    });
    child.on('exit', (code) => {
      this.#child = undefined;
      this.#pending.reject(new Error(`the process ended with exit code ${code}`));
    });
    await this.#pending.promise;
  }
}

/** Processes all items, one at a time in each lane. */
export async function inLanes<T>(
  lanes: readonly Lane[],
  items: Iterable<T>,
  work: (lane: Lane, item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = queue.next(); next.done !== true; next = queue.next()) await work(lane, next.value);
    }),
  );
}
