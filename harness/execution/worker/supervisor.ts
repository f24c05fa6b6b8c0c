/**
 * Supervises one worker thread: listens, watches its heartbeat, ends it when it is blocked or the caller says stop.
 *
 * A target that blocks the event loop, leaks or ends the thread takes its worker down, never the campaign. Owns: the life of a
 * worker. Does not own: what is done about a lost one (`campaign/campaign.ts`, `replay/replay.ts`).
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import { realClearInterval, realNow, realProcessorMs, realSetInterval } from '../../determinism/real-time.ts';
import { moduleEnvironment } from '../../actors/process/command.ts';
import { endWorker } from './closing.ts';
import type { FromWorker, Job, LabRequest, WorkerData } from './protocol.ts';
import { SLOT, SLOTS } from './protocol.ts';

/** A worker that makes no run for this long is blocked. Loading a target may take as long as well. */
const BLOCKED_MS = 10_000;
/** But on a busy machine one that waits for a processor looks the same, until it has had one for this part of that time … */
const BLOCKED_PROCESSOR_PART = 0.5;
/** … or has been silent for this long. */
const STARVED_MS = 180_000;
/**
 * A target that is a process cannot block its worker: all that is waited for there is a cluster. Starting one, a node and putting it back
 * have a minute each, and say better what was wrong: this is longer than all of them one after another.
 */
const SILENT_BESIDE_MS = 300_000;
const LOOK_EVERY_MS = 250;
/** A target that needs more than this leaks. */
const HEAP_MB = 2_048;
/** Trials make much short-lived garbage; a roomy nursery keeps it from being promoted. */
const YOUNG_MB = 64;
/** What a worker says when it has nothing more to say. */
const LAST_WORDS: ReadonlySet<FromWorker['say']> = new Set(['done', 'error', 'replayed', 'revisited-all', 'tried-all']);
/** Of what the target prints, this much is kept for error messages. */
const OUTPUT_MAX = 4_000;

/** The embedded server is to blame for a silence that it was in for this part of it. */
const SERVER_PART = 0.5;

/** How a worker ended. */
export type WorkerEnd =
  | { readonly end: 'finished' }
  /** No run completed for too long. */
  | { readonly end: 'blocked'; readonly forMs: number }
  /** The thread ended by itself: out of memory, or a way to exit that could not be intercepted. */
  | { readonly end: 'died'; readonly detail: string }
  /** It was stopped: its time was over, and it had not ended by itself. Nothing had come of it for `silentMs`. */
  | { readonly end: 'overdue'; readonly silentMs: number };

export interface WorkerOptions {
  readonly entry: URL;
  readonly job: Job;
  readonly listen?: (message: FromWorker) => void;
  readonly signal?: AbortSignal | undefined;
  /** Real time at which it is stopped, whatever it does; absent: it has all the time that it takes. */
  readonly until?: number;
  /** How long a target that runs in it may keep it from making a run, ms; default 10 s. */
  readonly blockedMs?: number | undefined;
  /** Gets the way to talk to the worker, for jobs that take requests. */
  readonly started?: (handle: WorkerHandle) => void;
}

export interface WorkerHandle {
  send(request: LabRequest): void;
  /** Ends the worker, whatever it does. */
  end(): void;
}

/** How long a worker may be silent; and what it would say of that itself, where its target cannot be the reason. */
export function silenceOf(
  job: Job,
  blockedMs: number = BLOCKED_MS,
): {
  readonly maxMs: number;
  /** Where it may want for a processor: how much of one it needs to have had, and how long it may be silent without. */
  readonly starving?: { readonly processorMs: number; readonly maxMs: number };
  readonly error?: Extract<FromWorker, { readonly say: 'error' }>;
} {
  if (!('subject' in job) || job.subject.process === null) {
    return { maxMs: blockedMs, starving: { processorMs: blockedMs * BLOCKED_PROCESSOR_PART, maxMs: STARVED_MS } };
  }
  const message = `nothing happened for ${SILENT_BESIDE_MS / 1000} s outside of the target, expected a cluster that answers and properties of your own that return; check both and the load of the machine, and run it again`;
  return { maxMs: SILENT_BESIDE_MS, error: { say: 'error', code: 'CLUSTER_UNAVAILABLE', message, stack: '' } };
}

/** Whether a silence has gone on for too long; `processorMs` is what this process has had of processors since it began. */
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

/** What a worker left behind: what it printed, and the error that it reported. */
interface Remains {
  readonly output: string;
  readonly error: Extract<FromWorker, { readonly say: 'error' }> | undefined;
}

/** Runs one job in a fresh worker; resolves when the worker is gone. Never rejects for what the target does. */
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
        // The target is a program of its own: whatever ends this worker is our fault.
        finished = true;
        listen({ say: 'error', code: null, message: `the worker ended: ${detail}`, stack });
      }
    };
    let beats = -1;
    let since = realNow();
    let processorSince = realProcessorMs();
    const heard = (): void => {
      since = realNow();
      processorSince = realProcessorMs();
    };
    let calls = 0;
    let callSince = realNow();
    // One that has answered and was asked nothing since may be silent.
    let idle = false;
    const look = realSetInterval(() => {
      const now = Atomics.load(slots, SLOT.heartbeat);
      if (now !== beats) {
        beats = now;
        heard();
      }
      const called = Atomics.load(slots, SLOT.server);
      if (called !== calls) {
        calls = called;
        callSince = realNow();
      }
      const isOver = realNow() >= (options.until ?? Number.POSITIVE_INFINITY);
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
      Atomics.store(slots, SLOT.stop, 1);
    };
    if (options.signal?.aborted === true) stop();
    options.signal?.addEventListener('abort', stop);
    worker.on('message', (message: FromWorker) => {
      heard();
      if (message.say === 'ready' || message.say === 'ran') idle = true;
      listen(message);
      if (!LAST_WORDS.has(message.say)) return;
      finished = true;
      end();
    });
    options.started?.({
      send: (request) => {
        idle = false;
        heard();
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
