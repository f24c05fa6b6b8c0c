/** Runs on a kind cluster: the same findings with the same labels, and nothing left behind. `npm run test:kind`. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testServer, WIDGETS } from 'stalemate-apiserver/testing';
import { call } from 'stalemate-apiserver/wire/call';
import { findEngine } from '../clusters/kind/engine.ts';
import { makeKindCluster } from '../clusters/kind/kind-cluster.ts';
import { openKind } from '../clusters/kind/open-kind.ts';
import type { KindOptions } from '../model/kind-options.ts';
import { replay, run, type StalemateOptions } from '../index.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CRD = file('harness/test/targets/crd.yaml');
const SAMPLE = file('harness/test/targets/sample.yaml');
const CONTROLLER = [process.execPath, file('harness/test/targets/takes-finalizers.mjs')];
/** The node image that `npm run test:kind` has found; commands read it from the same variable. */
const IMAGE = process.env['STALEMATE_KIND_IMAGE'] ?? '';
const KIND: KindOptions = IMAGE === '' ? {} : { image: IMAGE };
/** Only the property that the controller violates, and only the writers and faults that are needed for that. */
const OPTIONS: StalemateOptions = {
  command: CONTROLLER,
  kind: KIND,
  crds: [CRD],
  samples: [SAMPLE],
  budget: 30,
  seed: 1,
  properties: ['no-lost-update'],
  stopAfter: 1,
  writers: { 'spec-churn': false, 'status-writer': false, 'scale-writer': false, recreator: false },
  faults: { fail: false, refuse: false, 'lose-response': false, crash: false, 'stale-list': false },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-kind-'));
  vi.stubEnv('XDG_STATE_HOME', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('runs on a kind cluster', () => {
  it('find what is wrong, and it comes back there and on the embedded server', async () => {
    const said: string[] = [];
    const onCluster = (line: string): void => void said.push(line);

    const { findings } = await run({ ...OPTIONS, cluster: 'kind', reportDir: folder }, { shrinkMs: 2_000, onCluster });

    const [found] = findings;
    expect(found?.violation.signature).toMatchObject({ property: 'no-lost-update' });
    expect(found?.counterexample.cluster).toBe('kind');
    expect(said[0]).toMatch(/^making the kind cluster "stalemate-/);
    expect(remains(nameIn(said))).toBe('');
    if (found === undefined) return;
    const embedded = await replay(found.counterexample, { times: 3, cluster: 'embedded' });
    expect(embedded.reproduced.k).toBeGreaterThanOrEqual(2);
    const real = await replay(found.counterexample, { times: 3, kind: KIND, reportDir: folder, onCluster });
    expect(real.reproduced.k).toBeGreaterThanOrEqual(2);
    expect(real.missedAnchors).toEqual([]);
    expect(remains(nameIn(said))).toBe('');
  });

  it('show what was found in a module, which is then a program', async () => {
    const { findings } = await run(
      {
        target: file('controllers-under-test/releases/refreshes-version-only/controller.ts'),
        crds: [file('controllers-under-test/releases/crd.yaml')],
        samples: [file('controllers-under-test/releases/sample.yaml')],
        properties: ['no-lost-update'],
        budget: '60s',
        seed: 1,
        stopAfter: 1,
        reportDir: folder,
      },
      { shrinkMs: 5_000 },
    );

    const [found] = findings;
    expect(found).toBeDefined();
    if (found === undefined) return;
    const { reproduced } = await replay(found.counterexample, {
      times: 5,
      cluster: 'kind',
      kind: KIND,
      reportDir: folder,
    });
    expect(reproduced.k).toBeGreaterThanOrEqual(4);
  });
});

describe('a kind cluster', () => {
  it('that is kept is taken by the next run as if it were new', async () => {
    const options = { ...KIND, keep: true, logFolder: folder };
    const made = await makeKindCluster(options);
    const { name } = made.access;
    try {
      const ground = { kinds: testServer().server, crds: [WIDGETS], namespaces: ['default', 'left'], objects: [] };
      const first = await openKind(made.access, { ...ground, witness: () => undefined });
      const path = '/apis/example.com/v1/namespaces/left/widgets';
      const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', finalizers: ['a.b/c'] } };
      const headers = { 'content-type': 'application/json' };
      const { code } = await call(first, { method: 'POST', path, query: {}, headers, body: widget });
      expect(code).toBe(201);
      first.close();
      await made.close();
      expect(remains(name)).toContain(name);

      const again = await makeKindCluster(options);

      expect([again.isReused, again.access.name]).toEqual([true, name]);
      const second = await openKind(again.access, { ...ground, namespaces: ['default'], witness: () => undefined });
      const { body } = await call(second, { method: 'GET', path: '/api/v1/namespaces/left', query: {}, headers: {} });
      expect(body).toMatchObject({ reason: 'NotFound' });
      const widgets = '/apis/example.com/v1/widgets';
      const list = await call(second, { method: 'GET', path: widgets, query: {}, headers: {} });
      expect(list.body).toMatchObject({ items: [] });
      second.close();
    } finally {
      spawnSync('kind', ['delete', 'cluster', '--name', name]);
    }
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('goes with the harness that ends by %s', async (signal) => {
    const harness = started();
    const name = await nameOnce(harness);
    await until(() => existsSync(join(folder, 'stalemate', 'kind', name, 'new.json')));

    harness.kill(signal);

    await until(() => left() === 0);

    expect(remains(name)).toBe('');
  });

  it('goes with a harness that is killed while it is made', async () => {
    const harness = started();
    const name = await nameOnce(harness);
    await until(() => remains(name) !== '');

    harness.kill('SIGKILL');

    await until(() => left() === 0);

    expect(remains(name)).toBe('');
  });

  it('that stops answering ends the run with its logs', async () => {
    const engine = await findEngine();
    const harness = started();
    const said = output(harness);
    const name = await nameOnce(harness);
    await until(() => existsSync(join(folder, 'stalemate', 'kind', name, 'new.json')));

    spawnSync(engine, ['kill', `${name}-control-plane`]);

    const code = await new Promise((resolve) => harness.once('exit', resolve));
    expect(said()).toContain('kind-logs');
    expect(code).toBe(3);
    expect(remains(name)).toBe('');
  });
});

function started(): ChildProcess {
  const where = ['--crds', CRD, '--sample', SAMPLE, '--report-dir', join(folder, 'report'), '--budget', '10m'];
  const args = ['run', '--cluster', 'kind', ...where, '--', ...CONTROLLER];
  return spawn(process.execPath, [file('harness/cli/bin.mjs'), ...args], { cwd: folder, stdio: 'pipe' });
}

function output(harness: ChildProcess): () => string {
  let text = '';
  for (const stream of [harness.stdout, harness.stderr])
    stream?.on('data', (chunk: unknown) => (text += String(chunk)));
  return () => text;
}

async function nameOnce(harness: ChildProcess): Promise<string> {
  const said = output(harness);
  await until(() => /kind cluster "stalemate-/.test(said()));
  return nameIn([said()]);
}

function nameIn(said: readonly string[]): string {
  const name = /kind cluster "(stalemate-[\w-]+)"/.exec(said.at(-1) ?? '')?.[1];
  expect(name).toBeDefined();
  return name ?? '';
}

/** Returns the nodes of a cluster according to kind. */
function remains(name: string): string {
  return spawnSync('kind', ['get', 'nodes', '--name', name], { encoding: 'utf8' }).stdout.trim();
}

/** Returns the number of clusters recorded in the state folder. */
function left(): number {
  const state = join(folder, 'stalemate', 'kind');
  return existsSync(state) ? readdirSync(state).length : 0;
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await delay(100);
}
