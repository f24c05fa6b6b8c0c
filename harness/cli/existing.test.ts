/** `--cluster existing` and `clean`, from the command line. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { counterexampleOfEntry, type CorpusEntry } from '../model/corpus.ts';
import type { Finding } from '../model/finding.ts';
import type { Program } from '../model/workload.ts';
import { encodeCorpusEntry } from '../schedule/codec/corpus-entry.ts';
import { baseBuild, judgeOnBase, replayLike } from './base-build.ts';
import { resolveRun } from './library.ts';
import { stalemate, startStalemate } from './test-bin.ts';

const RELEASES = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const RUN = [
  'run',
  '--cluster',
  'existing',
  '--crds',
  join(RELEASES, 'crd.yaml'),
  '--sample',
  join(RELEASES, 'sample.yaml'),
  '--target',
  join(RELEASES, 'correct', 'controller.ts'),
];
const project = (name: string): string => fileURLToPath(new URL(`../test/project/${name}`, import.meta.url));
const INSTALL = project('install.yaml');
const SAMPLE = project('sample.yaml');
const MANAGER = project('manager.mjs');

interface Listing {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

describe('a cluster that is named', { timeout: 300_000 }, () => {
  const cwd = mkdtempSync(join(tmpdir(), 'stalemate-existing-'));
  const kubeconfig = join(cwd, 'kubeconfig');
  const env = { XDG_STATE_HOME: join(cwd, 'state') };
  let served: ReturnType<typeof startStalemate>;

  beforeAll(async () => {
    vi.stubEnv('XDG_STATE_HOME', env.XDG_STATE_HOME);
    served = startStalemate(['serve', '--plain-http', '--write-kubeconfig', kubeconfig], cwd);
    await once(served.stdout, 'data');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    served.kill('SIGTERM');
    await once(served, 'exit');
    rmSync(cwd, { recursive: true, force: true });
  });

  const contents = async (): Promise<string> => {
    const url = /server: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
    const paths = ['/api/v1/namespaces', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'];
    // A connection that is kept is closed by the other side while a run keeps this process waiting.
    const headers = { connection: 'close' };
    const lists = await Promise.all(
      paths.map(async (path) => (await (await fetch(`${url}${path}`, { headers })).json()) as Listing),
    );
    return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).join(' ');
  };

  it('is refused with exit code 5 where only the surroundings lead to it', async () => {
    const before = await contents();

    const ambient = stalemate(RUN, { cwd, env: { ...env, KUBECONFIG: kubeconfig } });
    const inCluster = stalemate(RUN, { cwd, env: { ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1' } });
    const variable = stalemate(RUN, { cwd, env: { ...env, STALEMATE_KUBECONFIG: kubeconfig } });

    expect(ambient.code).toBe(5);
    expect(ambient.stderr).toMatch(/expected --kubeconfig FILE, or --context with the exact name/);
    expect(inCluster.code).toBe(5);
    expect(variable.code).toBe(2);
    expect(variable.stderr).toMatch(/never taken from the surroundings/);
    expect(await contents()).toBe(before);
  });

  it('lists what it would touch, and touches nothing', async () => {
    const before = await contents();

    const { code, stdout } = stalemate([...RUN, '--kubeconfig', kubeconfig, '--dry-run'], { cwd, env });

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^cluster: context "stalemate" at http:\/\/127\.0\.0\.1:\d+ \(v1\.\S+\), namespaces stalemate-/,
    );
    expect(stdout).toContain('would make the definition releases.delivery.example.com');
    expect(await contents()).toBe(before);
  });

  it('is as it was after a run', async () => {
    const before = await contents();

    const { code, stdout } = stalemate([...RUN, '--kubeconfig', kubeconfig, '--budget', '2'], { cwd, env });

    expect(code).not.toBe(2);
    expect(stdout).toMatch(/cluster: context "stalemate" at .*\n(?:.*\n)*.*2 runs/);
    expect(await contents()).toBe(before);
    expect(stalemate(['clean'], { cwd, env }).stdout).toContain('nothing is left of earlier runs');
  });

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
    const finding = { counterexample, violation: { signature: counterexample.signature } } as Finding;
    const base = baseBuild({ baseCommand: MANAGER }, config, cwd) ?? ((target) => target);
    const [judged] = await judgeOnBase([finding], base, { ...replayLike(config), tell: () => {} });

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

  it('keeps what a run has noted that goes on elsewhere', () => {
    const folder = join(cwd, 'state', 'stalemate', 'clusters');
    mkdirSync(folder, { recursive: true });
    const head = { version: 1, run: 'abc', url: 'http://127.0.0.1:1', context: 'stalemate', kubeconfig, allowed: [] };
    const process = { host: 'another', pid: 1, started: '' };
    writeFileSync(join(folder, 'abc.jsonl'), `${JSON.stringify({ ...head, process })}\n`);

    const { code, stdout } = stalemate(['clean'], { cwd, env });

    expect(code).toBe(0);
    expect(stdout).toContain(
      'run abc on context "stalemate" at http://127.0.0.1:1 may still go on (process 1 of another)',
    );
    rmSync(folder, { recursive: true });
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
/** Whatever wakes the manager, it sets the whole of its ConfigMap's data. */
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
