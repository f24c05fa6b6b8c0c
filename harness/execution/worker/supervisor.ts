/**
 * Supervises one worker thread: receives its messages, monitors its heartbeat, ends it if it is blocked or the caller stops it.
 *
 * A target that blocks the event loop, leaks or ends the thread ends its worker, never the campaign. Owns: the lifetime of a worker. Does
 * not own: the reaction to a lost worker (`campaign/campaign.ts`, `replay/replay.ts`).
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import { realClearInterval, realNow, realProcessorMs, realSetInterval } from '../../determinism/real-time.ts';
import { moduleEnvironment } from '../../actors/process/command.ts';
import { endWorker } from './closing.ts';
import type { FromWorker, Job, LabRequest, WorkerData } from './protocol.ts';
import { SLOT, SLOTS } from './protocol.ts';

/** The time in ms without a run after which a worker counts as blocked. Loading a target may take the same time. */
const BLOCKED_MS = 10_000;
/**
 * A silent worker counts as blocked only if this process has used a processor for this share of the limit: on a loaded machine, a worker
 * that waits for a processor is silent too.
 */
const BLOCKED_PROCESSOR_PART = 0.5;
/** The time in ms without a run after which a worker counts as blocked, however little processor time it has used. */
const STARVED_MS = 180_000;
/**
 * The time in ms without a heartbeat after which a worker of a process target counts as stuck. Its target cannot block it, so it can only
 * be waiting for a cluster. Starting and resetting a cluster and its nodes have time-outs of a minute each, with better messages: this time
 * is longer than all of those together.
 */
const SILENT_BESIDE_MS = 300_000;
const LOOK_EVERY_MS = 250;
/** A worker that has not ended by itself this long after the user stopped its work, in ms, is ended. */
const STOPPED_MAX_MS = 20_000;
/** The heap limit in MB; a target that needs more has a leak. */
const HEAP_MB = 2_048;
/**
 * The size of the young generation in MB: trials create much short-lived garbage, which would be promoted from a smaller young generation.
 */
const YOUNG_MB = 64;
/** The messages after which a worker sends no more messages. */
const LAST_WORDS: ReadonlySet<FromWorker['say']> = new Set(['done', 'error', 'replayed', 'revisited-all', 'tried-all']);
/** The number of characters of the target's output that are kept for error messages. */
const OUTPUT_MAX = 4_000;

/** The embedded server is blamed for a silence if it accounts for more than this share of it. */
const SERVER_PART = 0.5;

/** How a worker ended. */
export type WorkerEnd =
  | { readonly end: 'finished' }
  /** The worker completed no run for too long: `forMs`. */
  | { readonly end: 'blocked'; readonly forMs: number }
  /** The thread ended by itself: it ran out of memory, or exited in a way that could not be intercepted. */
  | { readonly end: 'died'; readonly detail: string }
  /** The worker was stopped because its time was over, or the user had stopped its work; it had been silent for `silentMs`. */
  | { readonly end: 'overdue'; readonly silentMs: number };

export interface WorkerOptions {
  readonly entry: URL;
  readonly job: Job;
  readonly listen?: (message: FromWorker) => void;
  readonly signal?: AbortSignal | undefined;
  /** When the worker is stopped, in ms of real time, whatever it does; absent for no limit. */
  readonly until?: number;
  /** How long a target in the worker may block it, in ms; default 10 s. */
  readonly blockedMs?: number | undefined;
  /** How long a worker may go on after `signal`, in ms; default 20 s. */
  readonly stoppedMaxMs?: number;
  /** Called with the handle of the worker, for jobs that take requests. */
  readonly started?: (handle: WorkerHandle) => void;
}

export interface WorkerHandle {
  send(request: LabRequest): void;
  /** Ends the worker, whatever it does. */
  end(): void;
}

/** Returns how long a worker may be silent, and the error to report if its target cannot be the reason. */
export function silenceOf(
  job: Job,
  blockedMs: number = BLOCKED_MS,
): {
  readonly maxMs: number;
  /** Present if the worker may be waiting for a processor: how long it may be silent if it has used less than this processor time. */
  readonly starving?: { readonly processorMs: number; readonly maxMs: number };
  readonly error?: Extract<FromWorker, { readonly say: 'error' }>;
} {
  if (!('subject' in job) || job.subject.process === null) {
    return { maxMs: blockedMs, starving: { processorMs: blockedMs * BLOCKED_PROCESSOR_PART, maxMs: STARVED_MS } };
  }
  const message = `nothing happened for ${SILENT_BESIDE_MS / 1000} s outside of the target, expected a cluster that answers and properties of your own that return; check both and the load of the machine, and run it again`;
  return { maxMs: SILENT_BESIDE_MS, error: { say: 'error', code: 'CLUSTER_UNAVAILABLE', message, stack: '' } };
}

/** Reports whether a silence is too long; `processorMs` is the processor time of this process during the silence. */
export function isTooLong(
  { maxMs, starving }: Pick<ReturnType<typeof silenceOf>, 'maxMs' | 'starving'>,
  silence: { readonly ms: number; readonly processorMs: number },
): boolean {
  if (silence.ms <= maxMs) return false;
  return starving === undefined || silence.processorMs >= starving.processorMs || silence.ms > starving.maxMs;
}

function isInServer(slots: Int32Array): boolean {
  return Atomics.load(slots, SLOT.server) % 2 !== 0;
}

/** What a worker leaves behind: its output, and the error that it reported. */
interface Remains {
  readonly output: string;
  readonly error: Extract<FromWorker, { readonly say: 'error' }> | undefined;
}

/** Runs one job in a fresh worker; resolves when the worker has ended. Never rejects because of the target. */
export function superviseWorker(options: WorkerOptions): Promise<WorkerEnd & Remains> {
  const shared = new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT);
  const slots = new Int32Array(shared);
  const closing = new MessageChannel();
  const data: WorkerData = { job: options.job, shared, closing: closing.port2 };
  const worker = new Worker(options.entry, {
    workerData: data,
    transferList: [closing.port2],
    stdout: true,
    stderr: true,
    ...('subject' in options.job && options.job.subject.process === null
      ? { env: moduleEnvironment(process.env) }
      : {}),
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const silence = silenceOf(options.job, options.blockedMs);
  const { error } = silence;
  let output = '';
  let reported: Remains['error'];
  const listen = (message: FromWorker): void => {
    if (message.say === 'error') reported = message;
    options.listen?.(message);
  };
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    endWorker(worker, closing.port1);
  };
  const keep = (chunk: unknown): void => {
    output = (output + String(chunk)).slice(-OUTPUT_MAX);
  };
  worker.stdout.on('data', keep);
  worker.stderr.on('data', keep);
  return new Promise((resolve) => {
    let finished = false;
    let overdue: Extract<WorkerEnd, { readonly end: 'overdue' }> | undefined;
    let ended: WorkerEnd | undefined;
    const ourFault = (what: string, stack = ''): void => {
      finished = true;
      const message = `${what} while the embedded API server handled a request, so the target is not to blame`;
      listen({ say: 'error', code: null, message, stack });
    };
    const died = (detail: string, stack = ''): void => {
      if (finished || ended !== undefined) return;
      if (error === undefined && isInServer(slots)) {
        ourFault(`the worker ended (${detail})`, stack);
        return;
      }
      if (error === undefined) ended ??= { end: 'died', detail };
      else {
        // The target is a separate program, so the harness is to blame if this worker ends.
        finished = true;
        listen({ say: 'error', code: null, message: `the worker ended: ${detail}`, stack });
      }
    };
    let beats = -1;
    let since = realNow();
    let processorSince = realProcessorMs();
    const markAlive = (): void => {
      since = realNow();
      processorSince = realProcessorMs();
    };
    let stoppedAt: number | undefined;
    let calls = 0;
    let callSince = realNow();
    // A worker that has answered its last request may be silent.
    let idle = false;
    const look = realSetInterval(() => {
      const now = Atomics.load(slots, SLOT.heartbeat);
      if (now !== beats) {
        beats = now;
        markAlive();
      }
      const called = Atomics.load(slots, SLOT.server);
      if (called !== calls) {
        calls = called;
        callSince = realNow();
      }
      const stoppedMs = stoppedAt === undefined ? 0 : realNow() - stoppedAt;
      const isOver =
        realNow() >= (options.until ?? Number.POSITIVE_INFINITY) ||
        stoppedMs > (options.stoppedMaxMs ?? STOPPED_MAX_MS);
      if (isOver && !finished && ended === undefined) {
        finished = true;
        overdue = { end: 'overdue', silentMs: realNow() - since };
        end();
        return;
      }
      if (!idle && isTooLong(silence, { ms: realNow() - since, processorMs: realProcessorMs() - processorSince })) {
        const servedMs = isInServer(slots) ? realNow() - Math.max(since, callSince) : 0;
        if (error === undefined && servedMs > (realNow() - since) * SERVER_PART) {
          if (!finished) ourFault(`nothing happened for ${silence.maxMs / 1000} s`);
        } else if (error === undefined) ended ??= { end: 'blocked', forMs: silence.maxMs };
        else if (!finished) {
          finished = true;
          listen(error);
        }
        end();
      }
    }, LOOK_EVERY_MS);
    const stop = (): void => {
      stoppedAt ??= realNow();
      Atomics.store(slots, SLOT.stop, 1);
    };
    if (options.signal?.aborted === true) stop();
    options.signal?.addEventListener('abort', stop);
    worker.on('message', (message: FromWorker) => {
      markAlive();
      if (message.say === 'ready' || message.say === 'ran') idle = true;
      listen(message);
      if (!LAST_WORDS.has(message.say)) return;
      finished = true;
      end();
    });
    options.started?.({
      send: (request) => {
        idle = false;
        markAlive();
        worker.postMessage(request);
      },
      end: () => {
        finished = true;
        end();
      },
    });
    worker.on('error', (thrown) => {
      if (thrown instanceof Error) died(thrown.message, thrown.stack);
      else died(String(thrown));
    });
    worker.on('exit', (code) => {
      realClearInterval(look);
      options.signal?.removeEventListener('abort', stop);
      if (ended === undefined) died(`its thread ended with code ${code}`);
      closing.port1.close();
      const how: WorkerEnd = overdue ?? (finished || ended === undefined ? { end: 'finished' } : ended);
      resolve({ ...how, output, error: reported });
    });
  });
}
