/** Targets that run as pods in a kind cluster reproduce findings that were made outside of it. `npm run test:kind`. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findEngine } from '../clusters/kind/engine.ts';
import { loadCrds, loadSamples } from '../execution/project/manifests.ts';
import { loadProject } from '../execution/project/load.ts';
import type { Counterexample } from '../model/counterexample.ts';
import type { Program } from '../model/workload.ts';
import { replay, run } from '../index.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** The Go controllers, built by `npm run test:kind` if Go is installed. */
const CONTROLLER = process.env['STALEMATE_KIND_CONTROLLER'] ?? '';
const NODE = process.env['STALEMATE_KIND_IMAGE'] ?? '';
const KIND = NODE === '' ? {} : { image: NODE };
const IMAGE = 'stalemate-fleets:test';
const CRD = file('controllers-under-test/go/crd.yaml');
const SAMPLE = file('controllers-under-test/go/sample.yaml');
const MANIFESTS = file('harness/test/project/fleets.yaml');

let folder: string;
let engine = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-kind-'));
  vi.stubEnv('XDG_STATE_HOME', folder);
  engine = await findEngine();
  if (CONTROLLER !== '') makeImage(join(folder, 'image'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
  spawnSync(engine, ['image', 'rm', '--force', IMAGE]);
});

describe.runIf(CONTROLLER !== '')('a target inside a kind cluster', () => {
  it('loses an update there as it does outside, under its own service account, and nothing is left', async () => {
    const said: string[] = [];

    const { reproduced, missedAnchors, history } = await replay(lostUpdate(), {
      times: 4,
      kind: KIND,
      reportDir: folder,
      onCluster: (line) => said.push(line),
    });

    expect(missedAnchors).toEqual([]);
    expect(reproduced.k).toBeGreaterThanOrEqual(3);
    // The target's own pod and objects are not part of the history that is judged.
    expect(history.revisions.filter(({ name }) => name.startsWith('stalemate-target-'))).toEqual([]);
    const name = /kind cluster "(stalemate-[\w-]+)"/.exec(said.join('\n'))?.[1] ?? 'none';
    expect(spawnSync('kind', ['get', 'nodes', '--name', name], { encoding: 'utf8' }).stdout.trim()).toBe('');
  });

  it('that ends by itself says what it said last', async () => {
    const options = { image: IMAGE, command: ['no-such-variant'], crds: [CRD], samples: [SAMPLE], kind: KIND };

    const running = run({ ...options, reportDir: folder, budget: 1 });

    await expect(running).rejects.toThrow(
      /the target exited while starting \(with code 2\).+got \["no-such-variant"\]/s,
    );
  });
});

/** Writes an image with the program and the libraries that it is linked to, and nothing else. */
function makeImage(context: string): void {
  const add = (from: string, to: string): void => {
    mkdirSync(dirname(join(context, 'root', to)), { recursive: true });
    copyFileSync(from, join(context, 'root', to));
  };
  add(CONTROLLER, '/controller');
  const linked = spawnSync('ldd', [CONTROLLER], { encoding: 'utf8' }).stdout;
  for (const [path] of linked.matchAll(/\/\S+/g)) add(path, path);
  writeFileSync(join(context, 'Dockerfile'), 'FROM scratch\nCOPY root/ /\nENTRYPOINT ["/controller"]\n');
  const { status, stderr } = spawnSync(engine, ['build', '-t', IMAGE, context], { encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

/** A finding of the embedded server: a writer's change comes between the controller's read and its update. */
function lostUpdate(): Counterexample {
  const crds = loadCrds([CRD]);
  const at = { version: 'v1', namespace: 'default' };
  const settings = { group: '', resource: 'configmaps', name: 'arena-settings', ...at };
  const fleet = { group: 'games.example.com', resource: 'fleets', name: 'arena', ...at };
  const set = { do: 'set', via: 'merge-patch' } as const;
  const programs: readonly Program[] = [
    {
      actor: 'user',
      writer: 'spec-churn',
      ops: [{ ...set, target: fleet, path: ['spec', 'map'], value: 'desert' }],
    },
    {
      actor: 'writer-1',
      writer: 'annotation-toucher',
      ops: [{ ...set, target: settings, path: ['metadata', 'annotations', 'stalemate.dev/touched'], value: 'once' }],
    },
  ];
  const before = 'controller/update/configmaps/default/arena-settings#0!sent';
  const { objects } = loadProject([MANIFESTS]);
  return {
    version: 1,
    kind: 'counterexample',
    signature: {
      property: 'no-lost-update',
      class: 'carried-back',
      actors: ['target', 'writer'],
      kind: 'configmaps',
      field: 'metadata.annotations',
    },
    sentence: '',
    target: { command: [IMAGE, 'refreshes-version-only'], directory: '.', inCluster: true },
    namespace: 'default',
    cluster: 'kind',
    crds,
    project: { objects, authorization: 'rbac', workload: 'Deployment/fleets-system/fleets' },
    workload: {
      version: 1,
      start: 'settled',
      sample: loadSamples([SAMPLE], crds, new Set()),
      programs,
    },
    schedule: {
      version: 1,
      default: 'run-to-completion',
      preemptions: [{ before, run: 'writer-1' }],
      holds: [],
      faults: [],
    },
    config: {
      ...{ seed: 1, stepsMax: 400, settleWindowMs: 500, settleStepsMax: 800, replicasMax: 1 },
      ...{ garbageCollection: true, namespaceController: true, workloads: 'auto' },
    },
    foundWith: { stalemate: '0.1.0', node: '24' },
  };
}
