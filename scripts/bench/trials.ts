/**
 * Measures trials per second of one kind of target, including oracles, and prints one line of JSON. `bench.ts` runs it as a separate
 * process, because virtual time is installed once per process.
 *
 * Arguments: thin | http-library | dispatcher, and seconds.
 */
import { fileURLToPath } from 'node:url';
import { realNow } from '../../harness/determinism/real-time.ts';
import { installVirtualTime } from '../../harness/determinism/virtual-time.ts';
import { checkRun } from '../../harness/execution/run/check-run.ts';
import { assembleHost } from '../../harness/execution/hosts/module-host.ts';
import { createHost } from '../../harness/execution/hosts/create-host.ts';
import { judgeRun } from '../../harness/execution/run/judge.ts';
import { Prober } from '../../harness/execution/run/prober.ts';
import { takeReferences } from '../../harness/execution/run/references.ts';
import { TrialRunner } from '../../harness/execution/run/runner.ts';
import type { Host } from '../../harness/execution/run/host.ts';
import { properties } from '../../harness/index.ts';
import type { RunSettings } from '../../harness/model/counterexample.ts';
import { EMPTY_SCHEDULE } from '../../harness/model/schedule.ts';
import type { StrategyName } from '../../harness/model/trial.ts';
import type { ObjectTarget, Workload } from '../../harness/model/workload.ts';
import { launchThinTarget, WIDGET_CRD, WIDGET_SAMPLE } from './thin-target.ts';

const SETTINGS: RunSettings = {
  seed: 1,
  stepsMax: 400,
  settleWindowMs: 10_000,
  settleStepsMax: 2_000,
  garbageCollection: true,
  namespaceController: true,
  replicasMax: 1,
};
const STRATEGIES: readonly StrategyName[] = ['random-walk', 'pos', 'conflict-pct', 'starvation'];
const WIDGET: ObjectTarget = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  namespace: 'default',
  name: 'a',
};
/** About fifty gate items, including the target's reactions. */
const WORKLOAD: Workload = {
  version: 1,
  start: 'settled',
  sample: [WIDGET_SAMPLE],
  programs: [
    {
      actor: 'user',
      writer: 'spec-churn',
      ops: [{ do: 'set', target: WIDGET, path: ['spec', 'replicas'], value: 3, via: 'update' }],
    },
    {
      actor: 'writer-1',
      writer: 'label-toucher',
      ops: [{ do: 'set', target: WIDGET, path: ['metadata', 'labels', 'team'], value: 'writer-1', via: 'update' }],
    },
    {
      actor: 'writer-2',
      writer: 'annotation-toucher',
      ops: [
        { do: 'set', target: WIDGET, path: ['metadata', 'annotations', 'note'], value: 'writer-2', via: 'update' },
        { do: 'set', target: WIDGET, path: ['metadata', 'annotations', 'note'], value: 'twice', via: 'update' },
      ],
    },
  ],
};

async function hostFor(kind: string): Promise<Host> {
  if (kind === 'http-library' || kind === 'dispatcher') {
    const target = fileURLToPath(new URL('./client-node-target.ts', import.meta.url));
    return createHost({
      target,
      process: null,
      transport: kind,
      cluster: 'embedded',
      crds: [WIDGET_CRD],
      samples: [WIDGET_SAMPLE],
      namespace: 'default',
      settings: SETTINGS,
      properties: [],
      configFile: null,
      project: null,
      reportDir: null,
    });
  }
  const time = installVirtualTime();
  return assembleHost({
    time,
    launch: (_, upstream) => launchThinTarget(upstream),
    crds: [WIDGET_CRD],
    namespace: 'default',
    settings: SETTINGS,
  });
}

const [kind = 'thin', seconds = '3'] = process.argv.slice(2);
const loaded = realNow();
const host = await hostFor(kind);
const runner = new TrialRunner(host, SETTINGS);
const hostMs = realNow() - loaded;
const base: Workload = { ...WORKLOAD, programs: [] };
// As in a campaign, measures how many turns of the event loop without work are needed before this target counts as quiescent.
await checkRun(runner, base);
const { reference } = await takeReferences(runner, base, [WIDGET_CRD]);
const readyMs = realNow() - loaded;
const prober = new Prober((trial, variant) => runner.run(trial, variant), base, reference);

let items = 0;
let violations = 0;
async function one(seed: number): Promise<void> {
  const strategy = STRATEGIES[seed % STRATEGIES.length] ?? 'random-walk';
  const trial = {
    workload: WORKLOAD,
    schedule: EMPTY_SCHEDULE,
    search: { strategy, seed, fairAfter: 250, faults: {} },
  };
  const history = await runner.run(trial);
  const judged = await judgeRun(trial, history, properties, reference, prober);
  violations += judged.violations.length;
  items += history.deliveries.length;
  for (const operation of history.operations) items += operation.answered === undefined ? 1 : 2;
}

for (let seed = 0; seed < 300; seed++) await one(seed);
items = 0;
const rates: number[] = [];
/** CPU time per trial over all threads: a busy machine affects it less than wall-clock time. */
const cpuMicros: number[] = [];
let trials = 0;
for (let round = 0; round < Number(seconds) * 2; round++) {
  const began = realNow();
  const cpu = process.cpuUsage();
  let count = 0;
  while (realNow() - began < 500) {
    await one(1_000 + trials++);
    count++;
  }
  rates.push((count / (realNow() - began)) * 1000);
  const { user, system } = process.cpuUsage(cpu);
  cpuMicros.push((user + system) / count);
}
process.stdout.write(
  `${JSON.stringify({ kind, rates, cpuMicros, items: items / trials, violations, hostMs, readyMs })}\n`,
);
process.exit(0);
