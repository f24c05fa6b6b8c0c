/**
 * The worker's side of a corpus: makes the references once, then replays each entry.
 *
 * If the time is over or the user stops the job, no result is reported for the current entry, because only some of its runs were made,
 * unless failing runs are counted.
 */
import { realMoment, realNow } from '../../determinism/real-time.ts';
import { HarnessError } from '../../model/errors.ts';
import { unlessTimeIsOver } from '../run/cut-short.ts';
import type { Replayed, RevisitJob } from './protocol.ts';
import type { JobContext, ReplaySetup } from './replay-setup.ts';
import { replaySetup, replayOn } from './replay-job.ts';

export async function doRevisit(job: RevisitJob, context: JobContext): Promise<void> {
  const { properties, say, pulse } = context;
  const deadline = realNow() + job.until - realMoment();
  say({ say: 'phase', phase: 'references' });
  if (job.counts) context.runner.warmUp(job.times);
  const setup = await pulse.within(deadline, () => replaySetup(job.subject, context));
  if (setup === undefined) return say({ say: 'revisited-all' });
  say({ say: 'phase', phase: 'corpus' });
  for (const [at, entry] of job.entries.entries()) {
    if (pulse.stopped()) break;
    if (!properties.some(({ name }) => name === entry.property)) {
      const problem = `no property "${entry.property}" is known; expected a configuration that has it`;
      say({ say: 'revisited', name: entry.name, replayed: null, problem });
      continue;
    }
    try {
      const leftMs = deadline - realNow();
      const until = realNow() + Math.min(leftMs, Math.max(leftMs / (job.entries.length - at), job.leastMs));
      const replayed = job.counts
        ? // Runs that ended in time count, even if others did not.
          await pulse.cutAt(until, () => replayOn(setup, entry, job.times, until)).catch(unlessTimeIsOver)
        : await pulse.within(until, () => replayTimes(setup, entry, job.times));
      if (replayed === undefined && realNow() >= deadline) break;
      if (replayed === undefined) continue;
      say({ say: 'revisited', name: entry.name, replayed, problem: null });
    } catch (error) {
      // The other entries may still run.
      if (!(error instanceof HarnessError)) throw error;
      say({ say: 'revisited', name: entry.name, replayed: null, problem: error.message });
    }
  }
  say({ say: 'revisited-all' });
}

/** Runs an entry repeatedly until a run fails: where runs differ, one failure shows that the finding is back. */
async function replayTimes(setup: ReplaySetup, entry: RevisitJob['entries'][number], times: number): Promise<Replayed> {
  let last = await replayOn(setup, entry, 1);
  for (let n = 2; n <= times && last.k === 0; n++) {
    const again = await replayOn(setup, entry, 1);
    // Shows the run that missed the fewest labels: it contains most of what is left of the finding.
    last = { ...(again.missed.length <= last.missed.length ? again : last), k: again.k, n };
  }
  return last;
}
