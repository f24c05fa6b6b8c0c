/**
 * The worker's side of a replay: k of n, as stored; and when the target was edited and nothing comes back, with its labels moved.
 */
import { signatureText } from '../model/check-result.ts';
import { HarnessError } from '../model/errors.ts';
import type { History } from '../model/history.ts';
import type { Reanchored } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import type { Workload } from '../model/workload.ts';
import type { Property } from '../oracle/property.ts';
import { reanchorings } from '../schedule/reanchor.ts';
import { checkRun } from './check-run.ts';
import { firstDivergence } from './fingerprint.ts';
import { judgeRun, runJudged, type Judged } from './judge.ts';
import { Prober } from './prober.ts';
import type { Replayed, ReplayJob, Subject } from './protocol.ts';
import { referenceCache } from './reference-cache.ts';
import { takeReferences, withDeclared, type References } from './references.ts';
import type { TrialRunner } from './runner.ts';
import type { Live } from './trial.ts';

/** What several runs of one trial gave. */
interface Runs {
  readonly k: number;
  /** The first run that reproduced the finding, else the first. */
  readonly shown: Judged;
  readonly inconclusive: string | null;
  readonly diverged: string | null;
  /** The first run that did not reproduce it, where others did. */
  readonly other: History | null;
}

/** What a target is judged against, measured once for all that is replayed on it. */
export interface ReplayGround {
  readonly runner: TrialRunner;
  readonly base: Workload;
  readonly references: References;
  readonly properties: readonly Property[];
}

/** A stored trial, and the violation to look for. */
export type Stored = Pick<ReplayJob, 'trial' | 'signature' | 'property'>;

/** Runs the stored trial as often as asked for. */
export async function doReplay(
  job: ReplayJob,
  runner: TrialRunner,
  base: Workload,
  properties: readonly Property[],
): Promise<{ readonly say: 'replayed' } & Replayed> {
  if (job.times < 1) throw new HarnessError('USAGE', `--times must be at least 1, got ${job.times}`);
  const ground = await replayGround(job.subject, runner, base, properties);
  return { say: 'replayed', ...(await replayOn(ground, job, job.times)) };
}

export async function replayGround(
  subject: Subject,
  runner: TrialRunner,
  base: Workload,
  properties: readonly Property[],
): Promise<ReplayGround> {
  const references = withDeclared(await recallReferences(subject, runner, base), subject.declared);
  return { runner, base, references, properties };
}

/** As stored; and where nothing comes back of a target that can be run again exactly, with its labels moved. */
export async function replayOn(ground: ReplayGround, stored: Stored, times: number): Promise<Replayed> {
  const { runner, base, references, properties } = ground;
  const prober = new Prober((trial, variant) => runner.beside(trial, variant), base, references.reference);
  const wanted = properties.filter((property) => property.name === stored.property);
  const reference = { ...references.reference, suspectSettleMs: runner.host.pace.againMs };
  const runs = (trial: Trial, count: number): Promise<Runs> =>
    runTimes(runner, trial, count, stored.signature, (run, live) =>
      judgeRun(trial, run, wanted, reference, prober, live),
    );
  const asStored = await runs(stored.trial, times);
  const moved = asStored.k === 0 && runner.repeatable ? await moveAnchors(stored.trial, times, runs) : undefined;
  const { k, shown, inconclusive, diverged, other } = moved?.runs ?? asStored;
  const { history, violations } = shown;
  return {
    k,
    n: times,
    history,
    missed: history.missed,
    violations,
    inconclusive,
    diverged,
    other,
    reanchored: moved?.reanchored ?? null,
  };
}

/** What a campaign has learned of the same target, or references taken now. */
async function recallReferences(subject: Subject, runner: TrialRunner, base: Workload): Promise<References> {
  const cache = referenceCache(subject, base);
  const known = cache.recall(runner);
  if (known !== undefined) return known;
  await checkRun(runner, base);
  const references = await takeReferences(runner, base, subject.crds);
  cache.keep(runner, references);
  return references;
}

async function runTimes(
  runner: TrialRunner,
  trial: Trial,
  times: number,
  signature: string,
  judge: (run: History, live?: Live) => Promise<Judged>,
): Promise<Runs> {
  let k = 0;
  let first: Judged | undefined;
  let failed: Judged | undefined;
  let green: Judged | undefined;
  let diverged: string | null = null;
  let inconclusive: string | null = null;
  for (let n = 0; n < times; n++) {
    const { judged } = await runJudged(runner, trial, judge);
    if (first === undefined) first = judged;
    else if (runner.repeatable) diverged ??= firstDivergence(first.history, judged.history) ?? null;
    inconclusive ??= [...judged.inconclusive.values()][0] ?? null;
    if (!judged.violations.some((violation) => signatureText(violation.signature) === signature)) {
      green ??= judged;
      continue;
    }
    k++;
    failed ??= judged;
  }
  const shown = failed ?? first;
  if (shown === undefined) throw new Error('a replay of no runs');
  return { k, shown, inconclusive, diverged, other: failed === undefined ? null : (green?.history ?? null) };
}

/** The first way to move the labels with which the finding comes back, if there is one. */
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
