import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startOurs } from '../../fidelity/differential/servers.ts';
import type { JsonObject } from '../../objects/object.ts';
import { compareProject } from './compare.ts';
import { documentsIn, usable, type Document } from './documents.ts';
import { builtInKinds, type Asked, type Served } from './kinds.ts';
import { KNOWN } from './known.ts';
import { readProjects } from './projects.ts';
import { summaryText } from './report.ts';
import { stepsOf } from './steps.ts';

const CRD: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'gizmos', kind: 'Gizmo' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' }, colour: { type: 'string' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
const GIZMO: JsonObject = {
  apiVersion: 'example.com/v1',
  kind: 'Gizmo',
  metadata: { name: 'a', namespace: 'theirs' },
  spec: { size: 1, colour: 'red' },
};
const SERVED: Served = {
  apiVersion: 'example.com/v1',
  kind: 'Gizmo',
  plural: 'gizmos',
  namespaced: true,
  status: true,
  others: ['example.com/v2'],
  custom: true,
};

it('reads each object once, including those in lists, and skips templates and other documents', () => {
  const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
  const read = documentsIn([
    { file: 'a.yaml', text: `${object}---\n${object}---\nkind: Kustomization\n` },
    { file: 'b.yaml', text: `{{ if .Values.x }}\n${object}` },
    {
      file: 'c.yaml',
      text: 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n',
    },
  ]);

  expect(read.map(({ file, object: { kind } }) => [file, kind])).toEqual([
    ['a.yaml', 'ConfigMap'],
    ['c.yaml', 'Secret'],
  ]);
});

it('sends no templates of values, and no patches as definitions', () => {
  const labels = { a: '{{ .Release.Name }}', b: 'x' };
  const sent = usable([
    { file: 'a', object: { ...CRD, metadata: { name: 'gizmos.example.com', labels } } },
    { file: 'b', object: { ...CRD, spec: { conversion: {} } } },
  ]);

  expect(sent.map(({ file, object }) => [file, object['metadata']])).toEqual([
    ['a', { name: 'gizmos.example.com', labels: { b: 'x' } }],
  ]);
});

it('creates, applies as two managers, patches in both ways, replaces and deletes; only dry-runs a webhook', () => {
  const steps = stepsOf(GIZMO, SERVED, 'ns').map(({ ask }) => ask({}));
  const types = new Set(steps.map(({ method, headers }) => `${method} ${headers?.['content-type'] ?? ''}`.trim()));

  expect([...types].sort()).toEqual([
    'DELETE',
    'GET',
    'PATCH application/apply-patch+yaml',
    'PATCH application/json-patch+json',
    'PATCH application/merge-patch+json',
    'POST',
    'PUT',
  ]);
  expect(new Set(steps.map(({ path }) => /fieldManager=(\w+)/.exec(path)?.[1]))).toEqual(
    new Set([undefined, 'one', 'two']),
  );
  expect(steps.some(({ path }) => path === '/apis/example.com/v2/namespaces/ns/gizmos/a')).toBe(true);
  const tried = stepsOf(GIZMO, { ...SERVED, kind: 'MutatingWebhookConfiguration' }, 'ns').map(
    ({ ask }) => ask({}).path,
  );
  expect(tried).toEqual(['/apis/example.com/v1/namespaces/ns/gizmos?dryRun=All&fieldValidation=Strict']);
});

it('finds a difference between two servers, and none where they agree', async () => {
  const [ours, real] = await Promise.all([startOurs(), startOurs()]);
  try {
    const documents: readonly Document[] = [
      { file: 'crd.yaml', object: CRD },
      { file: 'sample.yaml', object: GIZMO },
    ];
    const builtIn = await builtInKinds(real.client);
    const bounds = () => ({ perKind: 10, variants: 1, seen: new Set<string>() });
    const odd: Asked = {
      request: async (ask) => {
        const reply = await ours.client.request(ask);
        const { body } = reply;
        const changed = ask.method === 'PUT' && ask.path.endsWith('/gizmos/a');
        return changed ? { ...reply, body: { ...(body as JsonObject), spec: { size: 7 } } } : reply;
      },
    };

    const same = await compareProject('p', documents, { ours: ours.client, real: real.client, builtIn }, bounds());
    const other = await compareProject('p', documents, { ours: odd, real: real.client, builtIn }, bounds());

    expect(same.unexplained).toEqual([]);
    expect(same.counts).toMatchObject({ definitions: 1, definitionsBoth: 1, objects: 1, objectsBoth: 1 });
    expect(other.unexplained.map(({ step, path }) => `${step} ${path}`)).toContain('put body.spec.size');
    const text = summaryText([{ ...other, name: 'p', version: 'v1', seconds: 1 }], []);
    expect(text).toContain('DIFFERENCE put · 200 · body.spec.size (1 times)');
  } finally {
    await Promise.all([ours.stop(), real.stop()]);
  }
});

it('pins at least forty projects, each once', () => {
  const projects = readProjects();

  expect(new Set(projects.map(({ name }) => name)).size).toBe(projects.length);
  expect(projects.length).toBeGreaterThanOrEqual(40);
  for (const { version, sum } of projects)
    expect([version, sum]).toEqual([expect.stringMatching(/^v\d/), expect.stringMatching(/^h1:/)]);
});

it('documents each intended difference with a phrase of DIFFERENCES.md', () => {
  const page = readFileSync(new URL('../../DIFFERENCES.md', import.meta.url), 'utf8');

  for (const { documented } of KNOWN) expect(page).toContain(documented);
});

it.each([
  [[], 3, 'found no etcd and kube-apiserver'],
  [['--seed', 'x'], 2, 'got --seed "x", expected a whole number'],
  [['--per-kind', '1.5'], 2, 'got --per-kind "1.5", expected a whole number'],
])('exits with a message where it cannot compare: %j', (args, status, said) => {
  const empty = mkdtempSync(join(tmpdir(), 'definitions-'));
  try {
    const script = fileURLToPath(new URL('../definitions.ts', import.meta.url));
    // The definitions have not been built, and no tool that could build them is installed.
    const env = { HOME: empty, XDG_CACHE_HOME: empty, TMPDIR: empty, PATH: empty };

    const ended = spawnSync(process.execPath, [script, '--only', 'jobset', ...args], {
      ...{ env, encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' },
    });

    expect({ status: ended.status, stderr: ended.stderr }).toEqual({
      status,
      stderr: expect.stringContaining(said) as string,
    });
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
});
