/**
 * The worker's side of a replay: counts in how many (k) of n runs a stored trial fails. If it never fails, the target may have been edited:
 * the job then repeats the trial with moved labels.
 */
import { realNow } from '../../determinism/real-time.ts';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import { HarnessError } from '../../model/errors.ts';
import type { History } from '../../model/history.ts';
import type { Reanchored } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { reanchorings } from '../../schedule/reanchor.ts';
import { CutShort, unlessTimeIsOver } from '../run/cut-short.ts';
import { checkRun } from '../run/check-run.ts';
import { firstDivergence } from '../run/fingerprint.ts';
import { inLanes } from '../run/lanes.ts';
import { judgeRun, runJudged, type Judged } from '../run/judge.ts';
import type { Subject } from '../subject.ts';
import { referenceCache } from '../run/reference-cache.ts';
import { takeReferences, withDeclared, type References } from '../run/references.ts';
import type { TrialRunner } from '../run/runner.ts';
import type { Live } from '../run/live.ts';
import { lanesOf, type Lane } from '../search/attempt.ts';
import type { JobContext, ReplaySetup, Stored } from './replay-setup.ts';
import { shrinkAgain } from './shrink-again.ts';
import type { Replayed, ReplayJob } from './protocol.ts';

/** The results of several runs of one trial. */
interface Runs {
  readonly k: number;
  readonly n: number;
  /** The first run that reproduced the finding; if none did, the first run. */
  readonly shown: Judged;
  readonly inconclusive: string | null;
  readonly diverged: string | null;
  /** The first run that did not reproduce the finding, if another run did; otherwise `null`. */
  readonly other: History | null;
}

/** Runs the stored trial `times` times. */
export async function doReplay(job: ReplayJob, context: JobContext): Promise<{ readonly say: 'replayed' } & Replayed> {
  if (job.times < 1) throw new HarnessError('USAGE', `--times must be at least 1, got ${job.times}`);
  // This includes the time for the reference runs.
  const until = realNow() + (job.timeMs ?? Number.POSITIVE_INFINITY);
  return context.pulse
    .cutAt(until, async () => {
      context.runner.warmUp(job.times);
      context.say({ say: 'phase', phase: 'references' });
      const setup = await replaySetup(job.subject, context);
      context.say({ say: 'phase', phase: 'replay' });
      const replayed = await replayOn(setup, job, job.times, until);
      const onPhase = (phase: string): void => context.say({ say: 'phase', phase });
      const { stopped, cutAt } = context.pulse;
      const found = job.shrink ? await shrinkAgain(setup, job, replayed, { stopped, cutAt, onPhase }) : undefined;
      return { say: 'replayed' as const, ...replayed, ...(found === undefined ? {} : { found }) };
    })
    .catch((error: unknown) => {
      unlessTimeIsOver(error);
      throw new HarnessError('INTERRUPTED', 'the time was up, or it was stopped, before one run had finished');
    });
}

export async function replaySetup(
  subject: Subject,
  { runner, base, properties }: Pick<JobContext, 'runner' | 'base' | 'properties'>,
): Promise<ReplaySetup> {
  const references = withDeclared(await recallReferences(subject, runner, base), subject.declared);
  return { runner, base, references, properties };
}

/** Replays a stored trial; if it never fails, and the mode allows that, replays it with its labels moved. */
export async function replayOn(
  setup: ReplaySetup,
  stored: Stored,
  times: number,
  until: number = Number.POSITIVE_INFINITY,
): Promise<Replayed> {
  const { runner, references, properties } = setup;
  const wanted = properties.filter((property) => property.name === stored.property);
  const reference = { ...references.reference, suspectSettleMs: runner.host.pace.againMs };
  const lanes = lanesOf(await runner.lanes(times), setup.base, references.reference);
  const runs = (trial: Trial, count: number): Promise<Runs> =>
    runTimes(lanes, trial, { times: count, until }, stored.signature, ({ prober }, run, live) =>
      judgeRun(trial, run, wanted, reference, prober, live),
    );
  const asStored = await runs(stored.trial, times);
  const moved =
    asStored.k === 0 && runner.mode.reanchors
      ? await moveAnchors(stored.trial, times, runs).catch(unlessTimeIsOver)
      : undefined;
  const { k, n, shown, inconclusive, diverged, other } = moved?.runs ?? asStored;
  const { history, violations } = shown;
  return {
    k,
    n,
    history,
    missed: history.missed,
    violations,
    inconclusive,
    diverged,
    other,
    server: (await runner.host.cluster.version?.()) ?? null,
    reanchored: moved?.reanchored ?? null,
  };
}

/** Returns the references that a campaign stored for the same target, or makes them. */
async function recallReferences(subject: Subject, runner: TrialRunner, base: Workload): Promise<References> {
  const cache = referenceCache(subject, base, (await runner.host.cluster.version?.()) ?? null);
  const known = cache.recall(runner);
  if (known !== undefined) return known;
  await checkRun(runner, base);
  const references = await takeReferences(runner, base, subject.crds);
  cache.keep(runner, references);
  return references;
}

async function runTimes(
  lanes: readonly Lane[],
  trial: Trial,
  { times, until }: { readonly times: number; readonly until: number },
  signature: string,
  judge: (lane: Lane, run: History, live?: Live) => Promise<Judged>,
): Promise<Runs> {
  const begun = function* (): Generator<Trial> {
    for (let n = 0; n < times && (n === 0 || realNow() < until); n++) yield trial;
  };
  const isCompared = lanes.every(({ runner }) => runner.mode.comparesRuns);
  let [k, n] = [0, 0];
  let first: Judged | undefined;
  let failed: Judged | undefined;
  let green: Judged | undefined;
  let diverged: string | null = null;
  let inconclusive: string | null = null;
  await inLanes(lanes, begun(), async (lane) => {
    const run = await runJudged(lane.runner, trial, (history, live) => judge(lane, history, live)).catch(
      unlessTimeIsOver,
    );
    // A run that was cut short does not count.
    if (run === undefined || run.judged.isCut === true) return;
    const { judged } = run;
    n++;
    if (first === undefined) first = judged;
    else if (isCompared) diverged ??= firstDivergence(first.history, judged.history) ?? null;
    inconclusive ??= [...judged.inconclusive.values()][0] ?? null;
    // A violation that is now a warning is no longer a finding.
    const isFinding = ({ severity, signature: of }: Violation): boolean =>
      severity === 'error' && signatureText(of) === signature;
    if (judged.violations.some(isFinding)) {
      k++;
      failed ??= judged;
    } else green ??= judged;
  });
  const shown = failed ?? first;
  if (shown === undefined) throw new CutShort('no run finished', true);
  return { k, n, shown, inconclusive, diverged, other: failed === undefined ? null : (green?.history ?? null) };
}

/** Returns the first set of moved labels with which the finding reproduces; undefined if there is none. */
async function moveAnchors(
  trial: Trial,
  times: number,
  runs: (trial: Trial, times: number) => Promise<Runs>,
): Promise<{ readonly reanchored: Reanchored; readonly runs: Runs } | undefined> {
  for (const reanchored of reanchorings(trial.schedule)) {
    const candidate = { ...trial, schedule: reanchored.schedule };
    if ((await runs(candidate, 1)).k > 0) return { reanchored, runs: await runs(candidate, times) };
  }
  return undefined;
}
