/**
 * Supervises one worker thread: listens, watches its heartbeat, ends it when it is blocked or the caller says stop.
 *
 * A target that blocks the event loop, leaks or ends the thread takes its worker down, never the campaign. Owns: the life of a
 * worker. Does not own: what is done about a lost one (`campaign.ts`, `replay.ts`).
 */
import { Worker } from 'node:worker_threads';
import { realClearInterval, realNow, realSetInterval } from '../determinism/real-time.ts';
import type { FromWorker, Job, LabRequest, WorkerData } from './protocol.ts';
import { SLOT, SLOTS } from './protocol.ts';

/** A worker that makes no run for this long is blocked. Loading a target may take as long as well. */
const BLOCKED_MS = 10_000;
/** A target that is a process cannot block its worker: what takes long then is a machine that is busy. */
const BLOCKED_BESIDE_MS = 60_000;
const LOOK_EVERY_MS = 250;
/** A target that needs more than this leaks. */
const HEAP_MB = 2_048;
/** Trials make much short-lived garbage; a roomy nursery keeps it from being promoted. */
const YOUNG_MB = 64;
/** What a worker says when it has nothing more to say. */
const LAST_WORDS: ReadonlySet<FromWorker['say']> = new Set(['done', 'error', 'replayed', 'revisited-all']);
/** Of what the target prints, this much is kept for error messages. */
const OUTPUT_MAX = 4_000;

/** How a worker ended. */
export type WorkerEnd =
  | { readonly end: 'finished' }
  /** No run completed for too long. */
  | { readonly end: 'blocked'; readonly forMs: number }
  /** The thread ended by itself: out of memory, or a way to exit that could not be intercepted. */
  | { readonly end: 'died'; readonly detail: string };

export interface WorkerOptions {
  readonly entry: URL;
  readonly job: Job;
  readonly listen: (message: FromWorker) => void;
  readonly signal?: AbortSignal | undefined;
  /** Gets the way to talk to the worker, for jobs that take requests. */
  readonly started?: (handle: WorkerHandle) => void;
}

export interface WorkerHandle {
  send(request: LabRequest): void;
  /** Ends the worker, whatever it does. */
  end(): void;
}

/** Runs one job in a fresh worker; resolves when the worker is gone. Never rejects for what the target does. */
export function superviseWorker(options: WorkerOptions): Promise<WorkerEnd & { readonly output: string }> {
  const shared = new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT);
  const slots = new Int32Array(shared);
  const data: WorkerData = { job: options.job, shared };
  const worker = new Worker(options.entry, {
    workerData: data,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const blockedMs = 'subject' in options.job && options.job.subject.process !== null ? BLOCKED_BESIDE_MS : BLOCKED_MS;
  let output = '';
  const keep = (chunk: unknown): void => {
    output = (output + String(chunk)).slice(-OUTPUT_MAX);
  };
  worker.stdout.on('data', keep);
  worker.stderr.on('data', keep);
  return new Promise((resolve) => {
    let finished = false;
    let ended: WorkerEnd | undefined;
    let beats = -1;
    let since = realNow();
    // One that has answered and was asked nothing since may be silent.
    let idle = false;
    const look = realSetInterval(() => {
      if (idle) return;
      const now = Atomics.load(slots, SLOT.heartbeat);
      if (now !== beats) {
        beats = now;
        since = realNow();
      } else if (realNow() - since > blockedMs) {
        ended ??= { end: 'blocked', forMs: blockedMs };
        void worker.terminate();
      }
    }, LOOK_EVERY_MS);
    const stop = (): void => {
      Atomics.store(slots, SLOT.stop, 1);
    };
    if (options.signal?.aborted === true) stop();
    options.signal?.addEventListener('abort', stop);
    worker.on('message', (message: FromWorker) => {
      since = realNow();
      if (message.say === 'ready' || message.say === 'ran') idle = true;
      options.listen(message);
      if (!LAST_WORDS.has(message.say)) return;
      finished = true;
      void worker.terminate();
    });
    options.started?.({
      send: (request) => {
        idle = false;
        since = realNow();
        worker.postMessage(request);
      },
      end: () => {
        finished = true;
        void worker.terminate();
      },
    });
    worker.on('error', (error) => {
      ended ??= { end: 'died', detail: error instanceof Error ? error.message : String(error) };
    });
    worker.on('exit', (code) => {
      realClearInterval(look);
      options.signal?.removeEventListener('abort', stop);
      if (finished) resolve({ end: 'finished', output });
      else resolve({ ...(ended ?? { end: 'died', detail: `the worker thread ended with code ${code}` }), output });
    });
  });
}
