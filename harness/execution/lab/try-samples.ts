/**
 * Tries groups of objects one after the other on an undisturbed target; each group's history shows how the target reacts to the group.
 *
 * Owns: the worker that the runs are made in, and their limits. Does not own: the interpretation of a history (`cli/init/`).
 */
import type { History } from '../../model/history.ts';
import { subjectOf } from '../search/counterexample.ts';
import type { RunConfig } from '../config/run-config.ts';
import { realNow } from '../../determinism/real-time.ts';
import { lostInReference, workerError } from '../worker/lost-worker.ts';
import type { SampleGroup } from '../worker/protocol.ts';
import { superviseWorker } from '../worker/supervisor.ts';

export interface TryOptions {
  readonly workerEntry: URL;
  /** Limit for one group, in ms of real time. */
  readonly runMs: number;
  /** Limit for all groups, in ms of real time; groups that are not reached are missing from the result. */
  readonly timeMs: number;
  readonly signal?: AbortSignal;
}

/** The real time in ms after which a worker that has not ended by itself is stopped. */
const STOP_MS = 5_000;

/**
 * Tries groups. Returns the histories by group name.
 *
 * @throws {TARGET_FAILED} if the target takes its worker down.
 */
export async function trySamples(
  groups: readonly SampleGroup[],
  config: RunConfig,
  { workerEntry, runMs, timeMs, signal }: TryOptions,
): Promise<ReadonlyMap<string, History>> {
  const tried = new Map<string, History>();
  let phase = 'load';
  const subject = subjectOf(config);
  const end = await superviseWorker({
    entry: workerEntry,
    // The subject includes all samples, so that their namespaces exist from the start.
    job: {
      job: 'try',
      subject: { ...subject, samples: groups.flatMap(({ objects }) => objects) },
      groups,
      runMs,
      timeMs,
    },
    signal,
    until: realNow() + timeMs + STOP_MS,
    listen: (message) => {
      if (message.say === 'phase') phase = message.phase;
      if (message.say === 'tried') tried.set(message.name, message.history);
    },
  });
  if (end.error !== undefined && tried.size === 0) throw workerError(end.error, end.output);
  if (end.end !== 'finished' && end.end !== 'overdue' && tried.size === 0) throw lostInReference(end, phase);
  return tried;
}
