/** A project's manifests with a process as the target: its identity, the objects that it finds, and webhooks that are really called. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { resolveRun } from '../cli/library.ts';
import { subjectOf } from '../execution/search/counterexample.ts';
import { createHost } from '../execution/hosts/create-host.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import { TrialRunner } from '../execution/run/runner.ts';
import type { StalemateOptions } from '../execution/config/options.ts';
import type { History } from '../model/history.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { checkLegality } from '../oracle/assumptions.ts';

const file = (name: string): string => fileURLToPath(new URL(`project/${name}`, import.meta.url));

function resolved(more: StalemateOptions = {}): RunConfig {
  return resolveRun({
    manifests: [file('install.yaml')],
    samples: [file('sample.yaml')],
    command: [file('manager.mjs')],
    budget: 1,
    ...more,
  });
}

/** Makes one undisturbed run in which the user applies `sample`. */
async function runOnce(config: RunConfig, sample: readonly KubeObject[]): Promise<[History, readonly string[]]> {
  const subject = subjectOf(config);
  const runner = new TrialRunner(await createHost(subject), subject.settings);
  const deletion = {
    actor: 'user',
    writer: 'user',
    ops: [
      {
        do: 'delete',
        target: { group: 'example.com', version: 'v1', resource: 'gadgets', namespace: 'shop', name: 'a' },
      },
    ],
  } as const;
  const history = await runner.run(
    { workload: { version: 1, start: 'empty', sample, programs: [] }, schedule: EMPTY_SCHEDULE },
    { afterRest: [deletion] },
  );
  return [history, runner.denials()];
}

const made = ({ revisions }: History, resource: string): unknown =>
  revisions
    .filter((one) => one.resource === resource && one.type === 'ADDED')
    .map(({ actor, object }) => [actor, object]);

describe('what a project ships', () => {
  let history: History;
  let denials: readonly string[];
  beforeAll(async () => {
    const config = resolved();
    [history, denials] = await runOnce(config, config.samples);
  });

  it('gives the process its arguments, environment and files', () => {
    expect(history.logs?.[0]?.line).toMatch(/^gadgets-system blue :[1-9]\d*$/);
  });

  it('shows it the namespace of its pod, where mounts are its own', () => {
    const own =
      process.getuid?.() === 0 && spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;

    expect(history.logs?.[1]?.line).toBe(own ? 'in gadgets-system' : 'in no pod');
  });

  it('asks its webhook about the request of another, while its own read waits at the gate', () => {
    expect(made(history, 'gadgets.example.com')).toEqual([
      ['user', expect.objectContaining({ spec: { size: 1, color: 'blue' } })],
    ]);
    expect(made(history, 'configmaps')).toEqual([
      ['controller', expect.objectContaining({ data: { size: '1', color: 'blue' } })],
    ]);
    expect(history.operations.map(({ label }) => label)).toContain(
      'controller/get/configmaps/gadgets-system/gadgets-settings#0',
    );
    expect(checkLegality(history)).toEqual([]);
  });

  it('names the rule that its role lacks', () => {
    expect(denials).toEqual([
      'system:serviceaccount:gadgets-system:gadgets-manager may not delete configmaps in namespace shop: ' +
        'the manifests grant it no rule {apiGroups: [""], resources: ["configmaps"], verbs: ["delete"]}',
    ]);
  });

  it('converts by its webhook, and lets it do everything where roles are not enforced', async () => {
    const older = { apiVersion: 'example.com/v1beta1', kind: 'Gadget', metadata: { name: 'a', namespace: 'shop' } };

    const [converted, denied] = await runOnce(resolved({ authorization: 'allow-all', garbageCollection: false }), [
      { ...older, spec: { amount: 3, color: 'red' } },
    ]);

    expect(made(converted, 'configmaps')).toEqual([
      ['controller', expect.objectContaining({ data: { size: '3', color: 'red' } })],
    ]);
    expect(denied).toEqual([]);
    expect(converted.revisions.findLast(({ resource }) => resource === 'configmaps')).toMatchObject({
      type: 'DELETED',
      actor: 'controller',
    });
  });
});

describe('what is said of manifests', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'stalemate-project-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is what is left out of them', () => {
    const monitor = join(folder, 'monitor.yaml');
    writeFileSync(monitor, 'apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: { name: gadgets }\n');

    expect(resolved({ manifests: [file('install.yaml'), monitor] }).warnings).toEqual([
      expect.stringContaining('of the manifests, ServiceMonitor (monitoring.coreos.com/v1) are skipped'),
      expect.stringContaining("of the Deployment's arguments, --leader-elect is dropped"),
    ]);
  });

  it('is that a module has no webhooks', () => {
    const { warnings, crds } = resolveRun({
      manifests: [file('install.yaml')],
      samples: [file('sample.yaml')],
      target: file('manager.mjs'),
    });

    expect(warnings).toContainEqual(expect.stringContaining('the webhook defaults.gadgets.example.com is skipped'));
    expect(crds[0]).toMatchObject({ spec: { conversion: { strategy: 'None' } } });
  });

  it('is which of two of the same name is taken', async () => {
    const sample = join(folder, 'doubles.yaml');
    const settings =
      'metadata: { name: gadgets-settings, namespace: gadgets-system }\ndata: { color: green, settings.yaml: "suffix: -made" }\n';
    writeFileSync(sample, `apiVersion: v1\nkind: ConfigMap\n${settings}`);
    writeFileSync(join(folder, 'shop.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: { name: gadgets-system }\n');

    const config = resolved({ samples: [sample, file('sample.yaml'), join(folder, 'shop.yaml')] });

    expect(config.warnings).toContainEqual(
      expect.stringContaining('ConfigMap gadgets-system/gadgets-settings is both in the manifests and in the sample'),
    );
    expect(config.warnings).toContainEqual(
      expect.stringMatching(/Namespace gadgets-system is both .* manifests’ is taken/),
    );
    expect(config.samples.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Gadget']);
    const [history] = await runOnce(config, config.samples);
    expect(made(history, 'gadgets.example.com')).toHaveLength(1);
    const actors = history.revisions.filter(({ type, name }) => type === 'ADDED' && name === 'gadgets-settings');
    expect(actors).toMatchObject([{ actor: 'user', object: { data: { color: 'green' } } }]);
    expect(history.logs?.[0]?.line).toContain('gadgets-system green ');
  });

  it('is the same of a kustomization as of what kubectl makes of it', () => {
    mkdirSync(join(folder, 'manager'));
    cpSync(file('install.yaml'), join(folder, 'manager', 'install.yaml'));
    writeFileSync(join(folder, 'kustomization.yaml'), 'resources: [manager/install.yaml]\n');

    const { project, crds } = resolved({ manifests: [folder] });

    expect(project?.workload).toBe('Deployment/gadgets-system/gadgets-manager');
    expect(crds).toHaveLength(1);
  });
});
