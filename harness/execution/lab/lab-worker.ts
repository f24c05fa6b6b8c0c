/**
 * The worker of a lab: handles one request at a time, and is replaced if the target took it down during a request.
 *
 * Owns: the order of requests and the lifetime of the worker. Does not own: the handling of an answer or a loss (`lab.ts`).
 */
import { subjectOf } from '../search/counterexample.ts';
import { lostInReference, workerError } from '../worker/lost-worker.ts';
import type { LostWorker } from '../worker/lost-worker.ts';
import type { FromWorker, LabRequest } from '../worker/protocol.ts';
import type { RunConfig } from '../config/run-config.ts';
import { HarnessError } from '../../model/errors.ts';
import type { Trial } from '../../model/trial.ts';
import { superviseWorker } from '../worker/supervisor.ts';
import type { WorkerHandle, WorkerOptions } from '../worker/supervisor.ts';

export type Ready = Extract<FromWorker, { say: 'ready' }>;
export type Ran = Extract<FromWorker, { say: 'ran' }>;

/** The result of a request, or of the start. */
type Answer = Ready | Ran | LostWorker;

/** One worker, from its start to its end. */
interface Running {
  readonly handle: WorkerHandle;
  readonly ended: Promise<void>;
  /** Returns the next answer. */
  readonly answer: () => Promise<Answer>;
}

export class LabWorker {
  readonly #supervision: Pick<WorkerOptions, 'entry' | 'job' | 'blockedMs'>;
  #running: Running | undefined;
  #phase = 'load';
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** `blockedMs`: how long a target may block the worker; default 10 s. */
  constructor(config: RunConfig, entry: URL, blockedMs?: number) {
    this.#supervision = { entry, job: { job: 'lab', subject: subjectOf(config) }, blockedMs };
  }

  /**
   * Starts a worker and waits for its references.
   *
   * @throws {TARGET_FAILED} {TARGET_UNCONTROLLED} {MANIFEST_INVALID}
   */
  async ready(): Promise<Ready> {
    this.#phase = 'load';
    this.#running = this.#start();
    const answer = await this.#running.answer();
    if ('end' in answer) throw lostInReference(answer, this.#phase);
    if (answer.say === 'ready') return answer;
    throw new Error('the worker answered a request that it was not sent');
  }

  /** Runs one trial, after all trials that were requested earlier. */
  run(trial: Trial, properties: readonly string[]): Promise<Ran | LostWorker> {
    const next = this.#last.then(() => this.#ask({ trial, properties }));
    this.#last = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#running?.handle.end();
    await this.#running?.ended;
  }

  async #ask(request: LabRequest): Promise<Ran | LostWorker> {
    if (this.#closed)
      throw new HarnessError('USAGE', 'the lab is closed, expected an open one; close it after the last trial');
    if (this.#running === undefined) await this.ready();
    const running = this.#running;
    if (running === undefined) throw new Error('the worker ended before it was asked anything');
    const answered = running.answer();
    running.handle.send(request);
    const answer = await answered;
    if ('end' in answer || answer.say === 'ran') return answer;
    throw new Error('the worker started twice');
  }

  #start(): Running {
    let handle: WorkerHandle | undefined;
    let pending: PromiseWithResolvers<Answer> | undefined;
    const supervised = superviseWorker({
      ...this.#supervision,
      started: (started) => {
        handle = started;
      },
      listen: (message) => {
        if (message.say === 'phase') this.#phase = message.phase;
        if (message.say === 'ready' || message.say === 'ran') pending?.resolve(message);
      },
    });
    const settle = async (): Promise<void> => {
      const end = await supervised;
      this.#running = undefined;
      if (end.error !== undefined) pending?.reject(workerError(end.error, end.output));
      else if (end.end !== 'finished' && end.end !== 'overdue') pending?.resolve(end);
      else pending?.reject(new HarnessError('USAGE', 'the lab was closed while a trial ran; await the trial first'));
    };
    const ended = settle();
    // The supervisor passes the handle before it returns.
    if (handle === undefined) throw new Error('the worker was not started');
    return {
      handle,
      ended,
      answer: () => {
        pending = Promise.withResolvers<Answer>();
        return pending.promise;
      },
    };
  }
}
