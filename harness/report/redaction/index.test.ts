import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Finding } from '../../model/finding.ts';
import { findingPage } from '../html/index.ts';
import { recordOf } from '../record.ts';
import { findingOf, HistoryScript } from '../test-findings.ts';
import { runPage } from '../html/run/run-page.ts';
import { FORMATS } from '../run/formats.ts';
import { runOf } from '../run/test-run.ts';
import { redactFinding, redactRun, redactWords, restoreCounterexample } from './index.ts';
import { Redaction } from './redaction.ts';
import { Vault } from './vault.ts';

/** Texts that must not occur in any output, neither plain nor in base64. */
const PLANTED = {
  password: 'correct-horse-7-battery',
  inStringData: 'Tr0ub4dor&3 "quoted"',
  registry: '{"auths":{"registry.example.com":{"auth":"dXNlcjpoaWRkZW4tcmVnaXN0cnk="}}}',
  variable: 'env-hunter2',
  bearer: 'abcdefghijklmnop.qrstuvwxyz0123456',
  token: 'tok-0123456789abcdef',
  flag: 'flag-secret-999',
  url: 'url-pass-31337',
  patched: 'patched-secret-42',
} as const;

const encoded = (text: string): string => Buffer.from(text).toString('base64');

function secret(revision: number, password: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'db',
      namespace: 'default',
      uid: 'u-db',
      resourceVersion: String(revision),
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify({ kind: 'Secret', data: { password: encoded(PLANTED.password) } })}\n`,
      },
    },
    type: 'Opaque',
    data: { password: encoded(password), '.dockerconfigjson': encoded(PLANTED.registry) },
    stringData: { phrase: PLANTED.inStringData },
  };
}

const WORKLOAD: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', uid: 'u-web', resourceVersion: '7' },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [
          {
            name: 'app',
            image: 'registry.example.com/web:v1',
            args: ['--port=8080', `--admin-password=${PLANTED.flag}`, '--token-file=/run/token'],
            env: [
              { name: 'SETTING', value: PLANTED.variable },
              { name: 'FROM', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
            ],
          },
        ],
      },
    },
  },
};

function finding(): Finding {
  const script = new HistoryScript();
  script.contention();
  const first = secret(5, PLANTED.password);
  script.call({
    actor: 'user',
    verb: 'create',
    resource: 'secrets',
    name: 'db',
    body: first,
    made: first,
    outcome: ok(first),
  });
  script.call({
    actor: 'writer-1',
    verb: 'patch',
    resource: 'secrets',
    name: 'db',
    body: [{ op: 'replace', path: '/data/password', value: encoded(PLANTED.patched) }],
    made: secret(6, PLANTED.patched),
    outcome: ok(secret(6, PLANTED.patched)),
  });
  const copy: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'copy', namespace: 'default', uid: 'u-c', resourceVersion: '8' },
    data: { dsn: `postgres://app:${PLANTED.url}@db/app`, copied: `password=${PLANTED.password}` },
  };
  const guilty = script.call({
    actor: 'controller',
    verb: 'create',
    resource: 'configmaps',
    name: 'copy',
    body: copy,
    made: copy,
    outcome: ok(copy),
  });
  script.call({
    actor: 'controller',
    verb: 'update',
    resource: 'deployments.apps',
    name: 'web',
    body: WORKLOAD,
    made: WORKLOAD,
    outcome: ok(WORKLOAD),
  });
  script.process('controller', 'unhandled', `Authorization: Bearer ${PLANTED.bearer}`);
  const history = script.history({
    logs: [{ actor: 'controller', line: `using ${PLANTED.password}`, at: 3.5, timeMs: 0 }],
  });
  const found = findingOf(history, {
    signature: {
      property: 'no-lost-update',
      class: 'carried-back',
      actors: ['target'],
      kind: 'secrets',
      field: 'data.password',
    },
    sentence: `controller reverted data.password to ${encoded(PLANTED.password)}`,
    operations: [guilty.id],
  });
  const { counterexample } = found;
  return {
    ...found,
    counterexample: {
      ...counterexample,
      target: { command: ['./manager', '--token', PLANTED.token], directory: '.' },
      workload: {
        ...counterexample.workload,
        sample: [first, WORKLOAD],
        programs: [
          {
            actor: 'writer-1',
            writer: 'foreign-field-writer',
            ops: [
              {
                do: 'set',
                target: { group: '', version: 'v1', resource: 'secrets', namespace: 'default', name: 'db' },
                path: ['data', 'password'],
                value: encoded(PLANTED.patched),
                via: 'json-patch',
              },
            ],
          },
        ],
      },
    },
  };
}

function ok(object: KubeObject): { readonly type: 'ok'; readonly code: 200; readonly object: KubeObject } {
  return { type: 'ok', code: 200, object };
}

let folder: string;
let vault: Vault;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-vault-'));
  vault = new Vault(folder);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function plantedIn(text: string): readonly string[] {
  return Object.entries(PLANTED).flatMap(([name, value]) =>
    [value, JSON.stringify(value).slice(1, -1), encoded(value)].some((spelling) => text.includes(spelling))
      ? [name]
      : [],
  );
}

describe('what is written of a finding', () => {
  it('holds no planted secret: not in the record, the counterexample or the page', () => {
    const found = finding();
    const before = { ...found, neighbour: { without: `run with ${PLANTED.token}`, history: found.record } };
    const after = redactFinding(before, vault);

    expect(plantedIn(JSON.stringify(recordOf(before)))).toEqual(Object.keys(PLANTED));
    expect(plantedIn(JSON.stringify(after.counterexample))).toEqual([]);
    expect(plantedIn(JSON.stringify(recordOf(after)))).toEqual([]);
    expect(plantedIn(findingPage(after))).toEqual([]);
  });

  it('still says how roles are enforced, which is no credential', () => {
    const { counterexample, ...rest } = finding();
    const project = { objects: [], authorization: 'rbac' } as const;

    const after = redactFinding({ ...rest, counterexample: { ...counterexample, project } }, vault);

    expect(after.counterexample).toMatchObject({ project: { authorization: 'rbac' } });
  });

  it('holds no planted secret in any format that a run is told in', () => {
    const { counterexample } = finding();
    const told = runOf(
      {
        outcome: 'violated',
        findings: [redactFinding(finding(), vault)],
        warnings: [`could not read ${PLANTED.variable}`, `Authorization: Bearer ${PLANTED.bearer}`],
        inconclusive: { count: 1, reasons: { [`never started: login with ${PLANTED.password} failed`]: 1 } },
      },
      { target: `manager --token ${PLANTED.token}` },
    );
    const env = [{ name: 'DB_PASSWORD', value: PLANTED.variable }];
    const run = redactRun(told, { ...counterexample, env }, vault);

    expect(plantedIn(JSON.stringify(told))).toEqual(
      expect.arrayContaining(['password', 'variable', 'bearer', 'token']),
    );
    for (const { render } of Object.values(FORMATS)) expect(plantedIn(render(run))).toEqual([]);
    expect(plantedIn(runPage(run, (path) => path))).toEqual([]);
  });

  it('is told without the secrets of a command and its variables', () => {
    const sources = {
      command: ['./manager', '--token', PLANTED.token],
      env: [{ name: 'DB_PASSWORD', value: PLANTED.variable }],
    };
    const said = { [`login with ${PLANTED.variable} failed`]: 2 };
    const remark = { signature: finding().violation.signature, sentence: `with ${PLANTED.variable}`, count: 1 };
    const words = {
      warnings: [`./manager --token ${PLANTED.token}`],
      remarks: [remark],
      inconclusive: { count: 2, reasons: said },
      printed: [`as ${PLANTED.variable}`],
    };
    const told = redactWords(words, sources, vault);

    expect(plantedIn(JSON.stringify(words))).toEqual(['variable', 'token']);
    expect(plantedIn(JSON.stringify(told))).toEqual([]);
    expect(Object.values(told.inconclusive.reasons)).toEqual([2]);
  });

  it('keeps names, labels, kinds and everything else that is no secret', () => {
    const { counterexample, record } = redactFinding(finding(), vault);
    const [, workload] = counterexample.workload.sample;

    expect(record.operations.map(({ label }) => label)).toEqual(finding().record.operations.map(({ label }) => label));
    expect(workload).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'registry.example.com/web:v1' }] } } },
    });
    expect(JSON.stringify(workload)).toContain('--token-file=/run/token');
  });

  it('gives the same secret the same stand-in wherever it stands, and others another', () => {
    const { record } = redactFinding(finding(), vault);
    const passwordOf = (object: KubeObject | undefined): unknown =>
      isMap(object?.['data']) ? object['data']['password'] : undefined;
    const [created, patched] = record.revisions.map(({ object }) => object);
    const standIn = Buffer.from(String(passwordOf(created)), 'base64').toString();

    expect(passwordOf(created)).not.toBe(passwordOf(patched));
    expect(record.logs?.[0]?.line).toBe(`using ${standIn}`);
    expect(redactFinding(finding(), vault)).toEqual(redactFinding(finding(), new Vault(folder)));
  });

  it('changes nothing when it is done again', () => {
    const once = redactFinding(finding(), vault);

    expect(redactFinding(once, vault)).toEqual(once);
  });
});

describe('a counterexample that is run', () => {
  it('has its secrets back on the machine that found it, byte for byte', () => {
    const { counterexample } = redactFinding(finding(), vault);

    expect(restoreCounterexample(counterexample, new Vault(folder))).toEqual({
      value: finding().counterexample,
      unknown: [],
    });
  });

  it('has stand-ins elsewhere, that a server accepts', () => {
    const { counterexample } = redactFinding(finding(), vault);
    rmSync(folder, { recursive: true });
    const { value, unknown } = restoreCounterexample(counterexample, new Vault(folder));
    const data = value.workload.sample[0]?.['data'] as JsonObject;

    expect(value).toEqual(counterexample);
    expect(unknown).toHaveLength(7);
    expect(JSON.parse(Buffer.from(data['.dockerconfigjson'] as string, 'base64').toString())).toHaveProperty(
      'redacted',
    );
  });

  it('keeps what a replay needs, and nothing that only the run showed, for the user alone to read', () => {
    redactFinding(finding(), vault);
    const files = readdirSync(folder);

    // One file each for password, its patched value, registry, phrase, variable, flag and token; the key is another file.
    expect(files.filter((name) => name.startsWith('redacted-'))).toHaveLength(7);
    expect(files.map((name) => statSync(join(folder, name)).mode & 0o077)).toEqual(files.map(() => 0));
  });
});

describe('redaction', () => {
  const name = fc.constantFrom('a', 'b', 'password', 'token', '.dockerconfigjson');
  const value = fc.string({ minLength: 8, unit: 'binary' });
  const secret = fc.record({
    kind: fc.constant('Secret'),
    data: fc.dictionary(
      name,
      value.map((text) => Buffer.from(text).toString('base64')),
    ),
    stringData: fc.dictionary(name, value),
  });
  const pod = fc.record({
    env: fc.array(fc.record({ name, value })),
    args: fc.array(value.map((text) => `--token=${text}`)),
  });
  const copied = fc.tuple(secret, pod).map(([held, run]) => ({
    held,
    run,
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(held)}\n` },
    log: Object.values(held.stringData).join(' and '),
  }));

  it('can be undone where the secrets are known, and only there', () => {
    const check = fc.property(copied, (document) => {
      const redaction = new Redaction(() => Buffer.alloc(32, 7)).learn(document);
      const hidden = redaction.hide(document);
      vault.keep(hidden, (standIn) => redaction.secretOf(standIn));

      expect(vault.restore(hidden).value).toEqual(document);
      expect(new Vault(join(folder, 'other')).restore(hidden).value).toEqual(hidden);
      for (const text of Object.values(document.held.data)) expect(JSON.stringify(hidden)).not.toContain(`"${text}"`);
    });
    fc.assert(check, { numRuns: 50 });
  });

  it('does not take common values of variables out of other texts', () => {
    const pod = {
      env: [
        { name: 'MODE', value: 'production' },
        { name: 'IMAGE', value: 'example.com/web:v2' },
      ],
    };
    const value = { spec: pod, image: 'example.com/web:v2', note: 'in production' };
    const hidden = new Redaction(() => Buffer.alloc(32)).learn(value).hide(value);

    expect(hidden).toMatchObject({ image: 'example.com/web:v2', note: 'in production' });
    expect(JSON.stringify(hidden.spec)).not.toContain('production');
  });

  it('leaves alone what holds no secret, as the same object', () => {
    const value = { a: [1, { b: 'text that is long enough' }], env: [], data: { x: 'y' } };

    expect(new Redaction(() => Buffer.alloc(32)).learn(value).hide(value)).toBe(value);
  });
});
