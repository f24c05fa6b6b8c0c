/** Tests what the cache stores about a target, and when stored references are no longer valid. */
import { appendFileSync, chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Subject } from '../subject.ts';
import { referenceCache } from './reference-cache.ts';
import { takeReferences } from './references.ts';
import { runnerOf, setReady, thinTarget, workload } from './testing.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-references-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

type Variables = { readonly [name: string]: string };

function subjectOf(command: readonly string[], more: Partial<Subject> = {}, env: Variables = {}): Subject {
  return {
    target: '',
    process: {
      command,
      cwd: folder,
      env,
      fileSystem: 'own',
      time: 'real',
      network: 'none',
      ready: 'quiet',
      readyWithinMs: 1,
      metrics: '',
      inCluster: false,
      graceMs: 0,
    },
    transport: 'http-library',
    cluster: 'embedded',
    crds: [],
    samples: [],
    project: null,
    namespace: 'default',
    settings: { ...runnerOf(thinTarget(setReady)).settings },
    properties: [],
    configFile: null,
    reportDir: folder,
    ...more,
  };
}

/** Copies a native program that the test may change. */
function program(): string {
  const path = join(folder, 'manager');
  copyFileSync(process.execPath, path);
  chmodSync(path, 0o755);
  return path;
}

it('is found again for the same program, with what the runner learned', async () => {
  const command = [program(), '-v'];
  const runner = runnerOf(thinTarget(setReady));
  const references = await takeReferences(runner, workload(), []);
  referenceCache(subjectOf(command), workload(), null).keep(runner, references);
  const other = runnerOf(thinTarget(setReady));

  const recalled = referenceCache(subjectOf(command), workload(), null).recall(other);

  expect(recalled?.reference).toEqual(JSON.parse(JSON.stringify(references.reference)));
  expect(recalled?.aim).toEqual(JSON.parse(JSON.stringify(references.aim)));
  expect(other.hints).toEqual(runner.hints);
});

it('is nothing to a program that was built again, another sample, or other arguments', async () => {
  const path = program();
  const runner = runnerOf(thinTarget(setReady));
  referenceCache(subjectOf([path]), workload(), null).keep(runner, await takeReferences(runner, workload(), []));

  expect(referenceCache(subjectOf([path, '-x']), workload(), null).recall(runner)).toBeUndefined();
  expect(referenceCache(subjectOf([path]), { ...workload(), sample: [] }, null).recall(runner)).toBeUndefined();
  expect(referenceCache(subjectOf([path], { namespace: 'other' }), workload(), null).recall(runner)).toBeUndefined();
  expect(referenceCache(subjectOf([path]), workload(), null).recall(runner)).toBeDefined();
  appendFileSync(path, 'x');
  expect(referenceCache(subjectOf([path]), workload(), null).recall(runner)).toBeUndefined();
});

it('is nothing to another cluster, nor to the same one of another version', async () => {
  const command = [program()];
  const at = (context: string): Subject =>
    subjectOf(command, {
      cluster: 'existing',
      existing: {
        kubeconfig: join(folder, 'config'),
        context,
        allowed: [],
        clusters: [],
        writes: [],
        prefix: 'a',
        run: context,
      },
    });
  const runner = runnerOf(thinTarget(setReady));
  const server = 'kube-apiserver 1.36.3';
  referenceCache(at('one'), workload(), server).keep(runner, await takeReferences(runner, workload(), []));

  expect(referenceCache(at('two'), workload(), server).recall(runner)).toBeUndefined();
  expect(referenceCache(at('one'), workload(), 'kube-apiserver 1.35.0').recall(runner)).toBeUndefined();
  expect(referenceCache(at('one'), workload(), server).recall(runner)).toBeDefined();
});

it('is not kept for programs that consist of more than their own file', async () => {
  const subject = subjectOf([process.execPath, 'controller.mjs']);
  const runner = runnerOf(thinTarget(setReady));

  referenceCache(subject, workload(), null).keep(runner, await takeReferences(runner, workload(), []));

  expect(referenceCache(subject, workload(), null).recall(runner)).toBeUndefined();
});

it('holds no secret, and gives back what it was told on the machine that knows them', async () => {
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  const planted = 'planted-in-a-variable-1';
  const container = { name: 'app', image: 'x', env: [{ name: 'DB_PASSWORD', value: planted }] };
  const deployment: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'shop' } },
      template: { metadata: { labels: { app: 'shop' } }, spec: { containers: [container] } },
    },
  };
  const base = { ...workload(), sample: [...workload().sample, deployment] };
  const subject = subjectOf([program()]);
  const runner = runnerOf(thinTarget(setReady));
  const references = await takeReferences(runner, base, []);
  const spoken = { ...references, warnings: [`it complained of ${planted}`] };

  referenceCache(subject, base, null).keep(runner, spoken);
  const files = readdirSync(join(folder, 'references')).map((name) =>
    readFileSync(join(folder, 'references', name), 'utf8'),
  );

  expect(files.filter((text) => text.includes(planted))).toEqual([]);
  expect(referenceCache(subject, base, null).recall(runner)?.warnings).toEqual(spoken.warnings);
});

describe('of the variables of a program', () => {
  const PASSWORD = 'hunter-2-hunts';
  const env = { DB_PASSWORD: PASSWORD, SESSION: 'q7Xw2vPz9LkT4mNs', MODE: 'fast' };
  const names = (): readonly string[] => readdirSync(join(folder, 'references'));

  beforeEach(() => {
    vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  });

  it('no value lies there, and a replay is given back what was measured', async () => {
    const subject = subjectOf([program(), '--dsn', `db://app:${PASSWORD}@db`], {}, env);
    const runner = runnerOf(thinTarget(setReady));
    const references = await takeReferences(runner, workload(), []);
    const encoded = Buffer.from(`app:${PASSWORD}`).toString('base64');
    const spoken = { ...references, warnings: [`login as ${encoded}`, `${PASSWORD} and ${env.SESSION} are refused`] };

    referenceCache(subject, workload(), null).keep(runner, spoken);
    const [file = ''] = names();
    const text = readFileSync(join(folder, 'references', file), 'utf8');

    for (const secret of [PASSWORD, encoded, env.SESSION]) expect(text).not.toContain(secret);
    expect(referenceCache(subject, workload(), null).recall(runner)?.warnings).toEqual(spoken.warnings);
  });

  it('each tells one environment from another', async () => {
    const command = [program()];
    const at = (variables: Variables): Subject => subjectOf(command, {}, variables);
    const runner = runnerOf(thinTarget(setReady));
    referenceCache(at(env), workload(), null).keep(runner, await takeReferences(runner, workload(), []));

    for (const other of [{}, { ...env, MODE: 'slow' }, { ...env, DB_PASSWORD: 'hunter-3-hunts' }, { ...env, MORE: '' }])
      expect(referenceCache(at(other), workload(), null).recall(runner)).toBeUndefined();
    expect(referenceCache(at(env), workload(), null).recall(runner)).toBeDefined();
  });

  it('the name of the file says nothing to a machine without the key', async () => {
    const command = [program()];
    const runner = runnerOf(thinTarget(setReady));
    const references = await takeReferences(runner, workload(), []);
    const keep = (state: string, variables: Variables): void => {
      vi.stubEnv('XDG_STATE_HOME', join(folder, state));
      referenceCache(subjectOf(command, {}, variables), workload(), null).keep(runner, references);
    };

    keep('one', env);
    keep('two', env);
    expect(names()).toHaveLength(2);
    // Without secrets, the name of the file does not depend on the machine's key: both write the same file.
    keep('one', {});
    keep('two', {});
    expect(names()).toHaveLength(3);
  });
});
