/**
 * Searches mutants that are modules in this process, one after the other, as a campaign does in a worker of its own.
 *
 * The worker of a campaign would load the harness again, which takes longer than finding most mutants. Once virtual time is installed, it
 * stays installed. Owns: the host that all mutants of one controller share. Does not own: the search itself, which is that of the harness.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ClusterState } from '../../harness/clusters/cluster.ts';
import { resolveRun } from '../../harness/cli/library.ts';
import { registry } from '../../harness/cli/registry.ts';
import { realNow } from '../../harness/determinism/real-time.ts';
import { createHost } from '../../harness/execution/hosts/create-host.ts';
import { checkRun } from '../../harness/execution/run/check-run.ts';
import type { Host } from '../../harness/execution/run/host.ts';
import { type Judged, judgeRun, runJudged } from '../../harness/execution/run/judge.ts';
import { Prober } from '../../harness/execution/run/prober.ts';
import { takeReferences } from '../../harness/execution/run/references.ts';
import { TrialRunner } from '../../harness/execution/run/runner.ts';
import { subjectOf } from '../../harness/execution/search/counterexample.ts';
import { searchSettings } from '../../harness/execution/search/search-settings.ts';
import { timePlan } from '../../harness/execution/time-plan.ts';
import { type FromWorker, SLOT, SLOTS } from '../../harness/execution/worker/protocol.ts';
import { Pulse } from '../../harness/execution/worker/pulse.ts';
import { baseWorkload, doSearch } from '../../harness/execution/worker/worker-main.ts';
import { given } from '../../harness/model/given.ts';
import type { StalemateOptions, Trial } from '../../harness/index.ts';
import { setCurrent, type Start } from './current.ts';
import type { Campaign, Kill, Searched, Undisturbed } from './jobs.ts';
import { scriptOf, statesOf } from './undisturbed.ts';

const DISPATCHER = fileURLToPath(new URL('dispatcher.ts', import.meta.url));
/** Shrinking is limited to a minimum, because it is not measured. */
const SHRINK_MS = 1;

/** The wall-clock limit as a multiple of the CPU time budget, because the machine may be busy. */
const STRETCH = 20;

let host: Host | undefined;
/** The state of the cluster before the first run, which every mutant starts from. */
let pristine: ClusterState | undefined;

async function choose(options: StalemateOptions): Promise<void> {
  const { default: start } = (await import(pathToFileURL(String(options.target)).href)) as { readonly default: Start };
  setCurrent(start);
}

async function begin(options: StalemateOptions) {
  await choose(options);
  const config = resolveRun({ ...options, target: DISPATCHER });
  const subject = subjectOf(config);
  const slots = new Int32Array(new SharedArrayBuffer(4 * SLOTS));
  const pulse = new Pulse(slots, () => {});
  host ??= await createHost(subject, pulse.beat, pulse.served);
  pristine ??= host.cluster.snapshot();
  await host.cluster.restore(pristine);
  host.reads.clear();
  const runner = new TrialRunner(host, subject.settings, { onRunBegins: pulse.begun, throwIfTimeIsOver: pulse.beat });
  const properties = await registry.properties(subject.properties, null);
  return { config, subject, slots, pulse, runner, base: baseWorkload(subject, runner), properties };
}

/** What the undisturbed runs of all mutants in a lane share; derived from the original controller. */
interface Learned {
  readonly script: Trial;
  readonly run: (script: Trial) => Promise<Judged>;
}

let learned: Learned | undefined;

async function learnFrom(options: StalemateOptions): Promise<Learned> {
  const { subject, runner, base, properties } = await begin(options);
  await checkRun(runner, base);
  const { reference, aim } = await takeReferences(runner, base, subject.crds);
  const prober = new Prober((one, variant) => runner.beside(one, variant), base, reference);
  const run = async (script: Trial): Promise<Judged> => {
    const judge: Parameters<typeof runJudged>[2] = (made, live) =>
      judgeRun(script, made, properties, reference, prober, live);
    return (await runJudged(runner, script, judge, 'derived')).judged;
  };
  return { script: scriptOf({ aim, base }), run };
}

/** Runs only the steps of the user. */
export async function undisturbed(
  original: StalemateOptions,
  options: StalemateOptions,
  script: Trial | null,
): Promise<Undisturbed> {
  try {
    learned ??= await learnFrom(original);
    await choose(options);
    const trial = script ?? learned.script;
    const { history, violations } = await learned.run(trial);
    const violated = violations.find(({ severity }) => severity === 'error');
    const broken = violated?.sentence ?? (history.settlement.result === 'quiescent' ? null : 'never at rest');
    return { script: trial, states: statesOf(history), broken };
  } catch (error) {
    return { script, states: [], broken: firstLine(error) };
  }
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
}

/**
 * Searches until the first finding, or until the budget is used up. The budget is CPU time, which is what the search would take on an idle
 * machine.
 */
export async function search({
  options,
  strategies,
  runs: runsMax = Number.MAX_SAFE_INTEGER,
}: Campaign): Promise<Searched> {
  const before = process.cpuUsage();
  const spentMs = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const { config, subject, slots, pulse, runner, base, properties } = await begin(options);
  if (config.budget.unit !== 'ms') throw new Error('expected a budget in time');
  const { timeMs } = config.budget;
  let runs = 0;
  let seen: Omit<Kill, 'property' | 'class'> | undefined;
  let kill: Kill | undefined;
  const reasons: string[] = [];
  const say = (message: FromWorker): void => {
    if (message.say === 'tally' || message.say === 'done') {
      runs = message.tally.runs;
      if (message.say === 'done') reasons.push(...Object.keys(message.tally.inconclusive), ...message.tally.warnings);
    }
    if (message.say === 'seen') seen = { ms: spentMs(), runs, strategy: message.strategy ?? null };
    if (message.say === 'found' && message.found.violation.severity === 'error') {
      const { property, class: kind } = message.found.violation.signature;
      kill ??= { ...(seen ?? { ms: spentMs(), runs, strategy: null }), property, class: kind };
    }
    if (spentMs() > timeMs) Atomics.store(slots, SLOT.stop, 1);
  };
  const settings = { ...searchSettings(config, { shrinkMs: SHRINK_MS, ...given({ strategies }) }), stopAfter: 1 };
  await doSearch(
    {
      ...{ job: 'search', subject, settings, careful: false, firstRun: 0, runsMax, known: [] },
      plan: timePlan(timeMs * STRETCH, realNow()),
    },
    { runner, base, properties, say, pulse },
    registry.writers,
  );
  return { kill: kill ?? null, runs, ms: spentMs(), reasons: reasons.slice(0, 3) };
}
