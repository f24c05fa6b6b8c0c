/** A project with manifests on `--cluster existing`: its corpus, its base build, and what is left in the cluster after a kill. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { counterexampleOfEntry, type CorpusEntry } from '../model/corpus.ts';
import type { Finding } from '../model/finding.ts';
import type { Program } from '../model/workload.ts';
import { encodeCorpusEntry } from '../schedule/codec/corpus-entry.ts';
import { baseBuild, judgeOnBase, replayLike } from './base-build.ts';
import { resolveRun } from './library.ts';
import { stalemate, startStalemate } from './test-bin.ts';
import { serveCluster } from './test-cluster.ts';

const project = (name: string): string => fileURLToPath(new URL(`../test/project/${name}`, import.meta.url));
const INSTALL = project('install.yaml');
const SAMPLE = project('sample.yaml');
const MANAGER = project('manager.mjs');

describe('a project on a cluster that is named', { timeout: 300_000 }, () => {
  const cluster = serveCluster();
  const { cwd, kubeconfig, env } = cluster;
  const contents = (): Promise<string> => cluster.contents();

  it('has all of a project, what is kept of it and its build before, until the run is over or killed', async () => {
    const before = await contents();
    const corpus = join(cwd, '.stalemate', 'corpus');
    mkdirSync(corpus, { recursive: true });
    writeFileSync(join(corpus, 'takes-back.json'), encodeCorpusEntry(TAKES_BACK));
    const what = ['--manifests', INSTALL, '--sample', SAMPLE, '--network', 'host'];
    const there = ['--cluster', 'existing', '--kubeconfig', kubeconfig, ...what];

    const { code, stdout } = stalemate(['corpus', 'run', ...there, '--', MANAGER], { cwd, env });

    expect(stdout).toContain('takes-back  open since 2026-11-22, still fails');
    expect(code).toBe(1);
    expect(await contents()).toBe(before);

    const options = { manifests: [INSTALL], samples: [SAMPLE], command: [MANAGER], network: 'host' } as const;
    const config = resolveRun({ ...options, cluster: 'existing', kubeconfig }, { cwd });
    const { crds, project: ships } = config;
    const counterexample = counterexampleOfEntry(TAKES_BACK, { crds, ...(ships === null ? {} : { project: ships }) });
    const violation = { signature: counterexample.signature };
    const finding = { counterexample, violation, stats: {} } as Finding;
    const base = baseBuild({ baseCommand: MANAGER }, config, cwd) ?? ((target) => target);
    const [judged] = await judgeOnBase([finding], base, { ...replayLike(config), print: () => {} });

    expect(judged?.onBase).toBe('fails');
    expect(await contents()).toBe(before);

    const killed = startStalemate(['run', ...there, '--no-corpus', '--', MANAGER], cwd, env);
    killed.stdout.resume();
    killed.stderr.resume();
    while (!(await contents()).includes('-shop')) await delay(50);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const cleaned = stalemate(['clean'], { cwd, env });

    expect(cleaned.stdout).toMatch(/removed namespace stalemate-\S+-shop\n/);
    expect(cleaned.code).toBe(0);
    expect(await contents()).toBe(before);
  });
});

const at = { version: 'v1', namespace: 'shop' } as const;
const gadget = { group: 'example.com', resource: 'gadgets', name: 'a', ...at };
const map = { group: '', resource: 'configmaps', name: 'a-made', ...at };
const WRITERS: readonly Program[] = [
  {
    actor: 'writer-1',
    writer: 'foreign-field-writer',
    ops: [{ do: 'set', via: 'merge-patch', target: map, path: ['data', 'stalemate'], value: 'there' }],
  },
  {
    actor: 'writer-2',
    writer: 'finalizer-adder',
    ops: [{ do: 'append', target: gadget, path: ['metadata', 'finalizers'], item: 'stalemate.dev/hold' }],
    heal: [{ do: 'remove-item', target: gadget, path: ['metadata', 'finalizers'], item: 'stalemate.dev/hold' }],
  },
];
/** An entry for a bug of the manager: on any event it overwrites all data of its ConfigMap. */
const TAKES_BACK: CorpusEntry = {
  version: 1,
  kind: 'corpus-entry',
  ...{ state: 'open', reason: '', since: '2026-11-22', sentence: 'the manager takes back what others add' },
  signature: {
    property: 'no-lost-update',
    class: 'carried-back',
    actors: ['target', 'writer'],
    kind: 'configmaps',
    field: 'data.stalemate',
  },
  target: { command: [MANAGER], directory: '.', network: 'host' },
  namespace: 'default',
  cluster: 'existing',
  workload: {
    version: 1,
    start: 'settled',
    sample: [
      {
        apiVersion: 'example.com/v1',
        kind: 'Gadget',
        metadata: { name: 'a', namespace: 'shop' },
        spec: { size: 1 },
      },
    ],
    programs: WRITERS,
  },
  schedule: { version: 1, default: 'run-to-completion', preemptions: [], holds: [], faults: [] },
  config: {
    ...{ seed: 1, stepsMax: 400, settleWindowMs: 500, settleStepsMax: 800, replicasMax: 1 },
    ...{ garbageCollection: true, namespaceController: true, workloads: 'auto' },
  },
  foundWith: { stalemate: '0.1.0', node: '24' },
};
