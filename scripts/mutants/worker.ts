/**
 * One lane of the benchmark, in a separate process: runs a campaign or an undisturbed run for its parent, one at a time.
 *
 * The first argument may be the folder of another checkout, whose harness then runs the campaigns.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunContext } from '../../harness/cli/library.ts';
import { LabWorker } from '../../harness/execution/lab/lab-worker.ts';
import { resolveRun } from '../../harness/cli/library.ts';
import type { CampaignResult, StalemateOptions, Trial } from '../../harness/index.ts';
import { properties } from '../../harness/index.ts';
import { ownModule } from '../../harness/model/own-module.ts';
import { given } from '../../harness/model/given.ts';
import type { Campaign, Job, Kill, Searched, Undisturbed } from './jobs.ts';
import { scriptOf, statesOf } from './undisturbed.ts';

const [other] = process.argv.slice(2);

type Run = (options: StalemateOptions, context?: RunContext) => Promise<CampaignResult>;
const harness = other === undefined ? '../../harness/index.ts' : pathToFileURL(join(other, 'harness/index.ts')).href;
const WORKER = ownModule(import.meta.url, '../../harness/cli/worker.ts');

/** Shrinking is limited to a minimum, because it is not measured. */
const SHRINK_MS = 1;

async function search({ options, strategies }: Campaign): Promise<Searched> {
  const { run } = (await import(harness)) as { readonly run: Run };
  const began = performance.now();
  let runs = 0;
  let seen: Omit<Kill, 'property' | 'class'> | undefined;
  let kill: Kill | undefined;
  const stop = new AbortController();
  const result = await run(options, {
    signal: stop.signal,
    shrinkMs: SHRINK_MS,
    ...given({ strategies }),
    events: {
      onProgress: (progress) => {
        runs = progress.runs;
      },
      onSeen: ({ strategy }) => {
        seen = { ms: performance.now() - began, runs, strategy: strategy ?? null };
      },
      onFinding: ({ violation }) => {
        if (violation.severity === 'warning') return;
        const { property, class: kind } = violation.signature;
        const at = { ms: performance.now() - began, runs, strategy: null };
        kill ??= { ...(seen ?? at), property, class: kind };
        stop.abort();
      },
    },
  });
  const reasons = [...Object.keys(result.inconclusive.reasons), ...result.warnings].slice(0, 3);
  return { kill: kill ?? null, runs: result.runs, ms: performance.now() - began, reasons };
}

/** Runs a controller undisturbed. Without a script, the run is that of the original. */
async function undisturbed(options: StalemateOptions, script: Trial | null): Promise<Undisturbed> {
  const config = resolveRun(options);
  const lab = new LabWorker(config, WORKER);
  try {
    const ready = await lab.ready();
    const trial = script ?? scriptOf(ready);
    const answer = await lab.run(
      trial,
      properties.map(({ name }) => name),
    );
    if ('end' in answer) return { script: trial, states: [], broken: `the process ended: ${answer.end}` };
    const violated = answer.violations.filter(({ severity }) => severity === 'error');
    const broken = violated[0]?.sentence ?? (answer.history.settlement.result === 'quiescent' ? null : 'never at rest');
    return { script: trial, states: statesOf(answer.history), broken };
  } catch (error) {
    return {
      script,
      states: [],
      broken: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error),
    };
  } finally {
    await lab.close();
  }
}

/** Runs a job. A module runs in this process, unless the harness of another checkout is used. */
async function done(job: Job): Promise<Searched | Undisturbed> {
  if (job.options.target !== undefined && other === undefined) {
    const modules = await import('./modules.ts');
    return job.do === 'search' ? modules.search(job) : modules.undisturbed(job.original, job.options, job.script);
  }
  return job.do === 'search' ? search(job) : undisturbed(job.options, job.script);
}

process.on('message', (job: Job) => {
  const work = done(job);
  work.then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
