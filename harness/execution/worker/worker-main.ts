/**
 * The worker's side of a campaign: installs virtual time first, then the target, then runs the job.
 *
 * Owns: the order of installation. The worker's entry point (in `cli/`) supplies the registry and nothing else.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { realMoment, realNow } from '../../determinism/real-time.ts';
import { HarnessError } from '../../model/errors.ts';
import type { Property } from '../../oracle/property.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { lastLinesOf, printedIn } from '../../report/last-words.ts';
import type { AdversarialWriter, Bystander } from '../../schedule/workload/writer.ts';
import { workloadArbitrary } from '../../schedule/workload/workload-arbitrary.ts';
import { checkRun } from '../run/check-run.ts';
import { bystander } from '../hosts/module-host.ts';
import { createHost } from '../hosts/create-host.ts';
import { busyUntilCut } from '../run/busy-with.ts';
import { judgeRun, runJudged } from '../run/judge.ts';
import { Prober } from '../run/prober.ts';
import type { Subject } from '../subject.ts';
import { shifted } from '../time-plan.ts';
import { referenceCache } from '../run/reference-cache.ts';
import { takeReferences, undisturbedMeasures, withDeclared } from '../run/references.ts';
import { TrialRunner } from '../run/runner.ts';
import { Unsteered } from '../run/unsteered.ts';
import { faultsWithLock } from '../search/second-copy.ts';
import { search } from '../search/search.ts';
import { newTally } from '../search/tally.ts';
import type { FromWorker, LabJob, LabRequest, SearchJob, TryJob, WorkerData } from './protocol.ts';
import { closeWhenAsked } from './closing.ts';
import { Pulse } from './pulse.ts';
import type { JobContext } from './replay-setup.ts';
import { doReplay } from './replay-job.ts';
import { doRevisit } from './revisit-job.ts';

/** Looks up properties and writers by name; supplied by the composition root. */
export interface Registry {
  readonly writers: readonly AdversarialWriter[];
  /** Returns properties by name, including the user's own from the configuration file. */
  properties(names: readonly string[], configFile: string | null): Promise<readonly Property[]>;
}

/** The number of trials after which a worker is replaced by a fresh one, so that memory that modules leak does not add up. */
const RECYCLE_RUNS = 25_000;
const TALLY_EVERY_MS = 200;
/** The number of settle windows for a group of samples: a target that is not at rest by then has shown its reaction. */
const TRY_WINDOWS = 2;
const NO_LOCK =
  'leader election is declared, but the target took no lock in its undisturbed runs, so no second copy of it is started: add the flag ' +
  'that switches election on to its command (often --leader-elect); if copies need no lock, declare "replicas: 2"';

/** Runs the supervisor's job and reports the result. */
export async function runWorker(registry: Registry): Promise<void> {
  const { job, shared, closing } = workerData as WorkerData;
  closeWhenAsked(closing);
  const slots = new Int32Array(shared);
  let hasFound = false;
  const say = (message: FromWorker): void => {
    hasFound ||= message.say === 'found';
    parentPort?.postMessage(message);
  };
  try {
    say({ say: 'phase', phase: 'load' });
    const pulse = new Pulse(slots, (run) => say({ say: 'undisturbed', run }));
    const begin = async (accepted: WorkerData['job']): Promise<void> => {
      const { subject } = accepted;
      const host = await createHost(subject, pulse.beat, pulse.served);
      const runner = new TrialRunner(host, subject.settings, {
        onRunBegins: pulse.begun,
        throwIfTimeIsOver: pulse.beat,
      });
      const properties = await registry.properties(subject.properties, subject.configFile);
      const context: JobContext = { runner, base: baseWorkload(subject, runner), properties, say, pulse };
      if (accepted.job === 'search') {
        const plan = shifted(accepted.plan, realNow() - realMoment());
        await doSearch({ ...accepted, plan }, context, registry.writers);
      } else if (accepted.job === 'revisit') await doRevisit(accepted, context);
      else if (accepted.job === 'lab') await doLab(accepted, context);
      else if (accepted.job === 'try') await doTry(accepted, context);
      else say(await doReplay(accepted, context));
    };
    await begin(job).catch((error: unknown) => begin(inRealTime(job, error, hasFound)));
  } catch (error) {
    const printed = printedIn(error);
    say({ say: 'error', ...describe(error), ...(printed.length === 0 ? {} : { printed }) });
  }
}

/**
 * Returns the same job in real time, for a target for which virtual time turns out not to work. Rethrows any other error.
 *
 * @throws {TARGET_UNCONTROLLED} if it is too late to start over.
 */
function inRealTime<J extends WorkerData['job']>(job: J, error: unknown, hasFound: boolean): J {
  const { process } = job.subject;
  if (!(error instanceof Unsteered) || process === null) throw error;
  if (hasFound || job.job === 'lab') throw new HarnessError('TARGET_UNCONTROLLED', `${error.message}; use --time real`);
  const warning = `time passed in real time: ${error.message}; use --time real to accept this`;
  return { ...job, subject: { ...job.subject, process: { ...process, time: 'real' }, unsteered: warning } };
}

function describe(error: unknown): { code: HarnessError['code'] | null; message: string; stack: string } {
  if (error instanceof HarnessError) return { code: error.code, message: error.message, stack: error.stack ?? '' };
  if (error instanceof Error) return { code: null, message: error.message, stack: error.stack ?? '' };
  return { code: null, message: String(error), stack: '' };
}

function bystanderIn(namespace: string): Bystander {
  const { apiVersion, kind, metadata } = bystander(namespace);
  return { namespace, reference: { apiVersion, kind, name: metadata.name, uid: metadata.uid } };
}

/** Returns the undisturbed sample; namespaced objects without a namespace get that of the subject. */
export function baseWorkload(subject: Pick<Subject, 'samples' | 'namespace'>, { host }: TrialRunner): Workload {
  const sample = subject.samples.map((object) => {
    const namespaced = host.cluster.kindFor(object.apiVersion, object.kind)?.namespaced === true;
    if (!namespaced || (object.metadata.namespace ?? '') !== '') return object;
    return { ...object, metadata: { ...object.metadata, namespace: subject.namespace } };
  });
  return { version: 1, start: 'settled', sample, programs: [] };
}

/** Makes the references, then searches. */
export async function doSearch(
  job: SearchJob,
  { runner, base, properties, say, pulse }: JobContext,
  allWriters: readonly AdversarialWriter[],
): Promise<void> {
  const { stopped, cutAt } = pulse;
  const { plan } = job;
  say({ say: 'phase', phase: 'references' });
  const tally = newTally();
  const measured = await pulse.measuring(async () => {
    await checkRun(runner, base);
    return takeReferences(runner, base, job.subject.crds, plan.spare);
  }, plan.measured);
  if (measured === undefined) {
    if (!stopped()) {
      tally.left.push({ what: 'measuring', count: 1 });
      tally.warnings.push(notMeasured(runner));
      if (runner.cut !== undefined) tally.printed = { lines: lastLinesOf(runner.cut), isUnjudged: true };
    }
    return say({ say: 'done', tally, why: 'budget' });
  }
  const server = (await runner.host.cluster.version?.()) ?? null;
  const { changesLeft = 0 } = measured;
  if (changesLeft > 0) tally.left.push({ what: 'changes', count: changesLeft });
  // Incomplete references are not stored: a replay has time to make complete ones.
  else referenceCache(job.subject, base, server).keep(runner, measured);
  const references = withDeclared(measured, job.subject.declared);
  say({ say: 'measured', measures: undisturbedMeasures(measured) });
  const settings = { ...job.settings, faults: faultsWithLock(job.settings, runner.hints) };
  if (settings.faults.length < job.settings.faults.length) tally.warnings.push(NO_LOCK);
  const writers = allWriters.filter((writer) => settings.writers.includes(writer.name));
  const { warning = null } = runner.host.containment ?? {};
  tally.warnings.push(...(warning === null ? [] : [warning]), ...references.warnings);
  let reportedAt = 0;
  say({ say: 'phase', phase: 'search' });
  const runsMax = Math.min(job.runsMax, RECYCLE_RUNS);
  const drawn = {
    aim: references.aim,
    writers,
    sample: base.sample,
    bystander: bystanderIn(job.subject.namespace),
    garbageCollection: job.subject.settings.garbageCollection,
    aimed: runner.mode.aims,
    ...(settings.start === null ? {} : { start: settings.start }),
  };
  await search(
    {
      ...job,
      settings,
      runner,
      references,
      base,
      properties,
      workload: workloadArbitrary(drawn),
      // Strategies chosen by name are used exclusively, without deviations from undisturbed runs.
      ...(runner.mode.aims && settings.strategies === null
        ? { calm: workloadArbitrary({ ...drawn, rivals: true }) }
        : {}),
      runsMax,
      cutAt,
      onTrial: (run, trial) => {
        if (job.careful) say({ say: 'trial', run, trial });
        if (realNow() - reportedAt < TALLY_EVERY_MS) return;
        reportedAt = realNow();
        say({ say: 'tally', tally });
      },
      onSeen: (seen) => say({ say: 'seen', ...seen }),
      onSettled: () => say({ say: 'settled' }),
      onFinding: (found) => {
        // The tally is sent first, so that the finding's run is counted even if this worker ends before the next tally.
        say({ say: 'tally', tally });
        say({ say: 'found', found });
      },
      onInconclusive: (run) => say({ say: 'inconclusive', run }),
      onPhase: (phase) => {
        // Reproducing a finding may last until this worker is stopped, so its run is counted now.
        say({ say: 'tally', tally });
        say({ say: 'phase', phase });
      },
      stopped,
    },
    tally,
  );
  tally.warnings.push(...runner.denials());
  const recycle = runsMax < job.runsMax && tally.runs >= runsMax && !stopped();
  say({ say: 'done', tally, why: recycle ? 'recycle' : 'budget' });
}

/** Returns an explanation of why nothing was searched, with what the target was busy with. */
function notMeasured({ cut }: TrialRunner): string {
  const busy = cut === undefined ? undefined : busyUntilCut(cut);
  return (
    `the target did not become idle within the budget, so nothing was searched${busy === undefined ? '' : `: ${busy}`}; ` +
    'give it more time (--budget 10m), or shorten its intervals and back-offs in the configuration'
  );
}

/** Runs groups of objects undisturbed and without judging; the histories are the result. */
async function doTry(job: TryJob, { runner, say, pulse }: JobContext): Promise<void> {
  const deadline = realNow() + job.timeMs;
  const settleWindowMs = runner.host.pace.firstWindowMs;
  say({ say: 'phase', phase: 'try' });
  for (const { name, objects } of job.groups) {
    if (realNow() >= deadline || pulse.stopped()) break;
    const base = baseWorkload({ samples: objects, namespace: job.subject.namespace }, runner);
    const trial: Trial = { workload: { ...base, start: 'empty' }, schedule: EMPTY_SCHEDULE };
    const until = Math.min(deadline, realNow() + job.runMs);
    runner.cut = undefined;
    const history = await pulse.within(until, () =>
      runner.run(trial, { readsAreActivity: 'when-new', windowsMax: TRY_WINDOWS, settleWindowMs }),
    );
    const ran = history ?? runner.cut;
    if (ran !== undefined) say({ say: 'tried', name, history: ran });
  }
  say({ say: 'tried-all' });
}

/** Serves trials until the worker is ended; rejects with the error of the first trial that could not be run. */
async function doLab(job: LabJob, { runner, base, properties, say }: JobContext): Promise<never> {
  await checkRun(runner, base);
  const measured = await takeReferences(runner, base, job.subject.crds);
  const { reference, aim } = withDeclared(measured, job.subject.declared);
  const prober = new Prober((trial, variant) => runner.beside(trial, variant), base, reference);
  const serve = async ({ trial, properties: names }: LabRequest): Promise<void> => {
    const wanted = properties.filter((property) => names.includes(property.name));
    const { judged, schedule } = await runJudged(
      runner,
      trial,
      (run, live) => judgeRun(trial, run, wanted, reference, prober, live),
      // The user's own check may reject a run that passes here, so its schedule is needed too.
      'derived',
    );
    const { history, violations, inconclusive } = judged;
    const { reference: _, ...own } = history;
    say({ say: 'ran', schedule: await schedule(), history: own, violations, inconclusive });
  };
  return new Promise<never>((_, reject) => {
    parentPort?.on('message', (request: LabRequest) => {
      serve(request).catch(reject);
    });
    const { lockMs } = runner.hints;
    const hints = lockMs === undefined ? {} : { lockMs };
    say({ say: 'ready', reference, aim, base, bystander: bystanderIn(job.subject.namespace), hints });
  });
}
