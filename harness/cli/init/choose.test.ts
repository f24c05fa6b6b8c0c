/** What `init` chooses for the project that it detects. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { choose } from './choose.ts';
import { readRepository } from './repository.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

const PROJECT = {
  'go.mod': 'module example.com/op\nrequire sigs.k8s.io/controller-runtime v0.24.0\n',
  'main.go': 'package main\nfunc main() {\n\tctrl.NewManager(c)\n\tos.Getenv("ENABLE_WEBHOOKS")\n}\n',
  'config/manager/kustomization.yaml': 'resources: [manager.yaml]\n',
  'config/webhook/kustomization.yaml': 'resources: [manifests.yaml]\n',
  'config/manager/manager.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: { name: manager }
spec:
  selector: { matchLabels: { app: op } }
  template:
    metadata: { labels: { app: op } }
    spec: { containers: [{ name: op, image: example.com/op }] }
`,
  'config/once/kustomization.yaml': 'resources: [job.yaml]\n',
  'config/once/job.yaml': `apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  completions: NUM_NODES
  template: { spec: { restartPolicy: Never, containers: [{ name: op, image: example.com/op }] } }
`,
  'config/webhook/manifests.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: validation }
webhooks: [{ name: v.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: { service: { name: webhooks, namespace: system } } }]
`,
};

describe.runIf(hasKubectl)('webhooks of a project', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'stalemate-choose-'));
    for (const [path, text] of Object.entries(PROJECT)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    mkdirSync(join(root, 'config/default'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function chosen(resources: string): Promise<unknown> {
    writeFileSync(join(root, 'config/default/kustomization.yaml'), `resources: [${resources}]\n`);
    const { options } = await choose(
      readRepository(root),
      { yes: true },
      { cwd: root, called: 'stalemate', width: 80, color: false, out: () => {}, err: () => {} },
    );
    return { manifests: options.manifests, env: options.env };
  }

  it('are switched off where none are installed, and never where some are', async () => {
    expect(await chosen('../manager')).toEqual({
      manifests: ['config/default'],
      env: { ENABLE_WEBHOOKS: 'false' },
    });
    expect(await chosen('../manager, ../webhook')).toEqual({
      manifests: ['config/default'],
      env: undefined,
    });
  });

  it('are not those of an overlay that somebody has to fill in first', async () => {
    expect(await chosen('../manager, ../webhook, ../once')).toEqual({
      manifests: undefined,
      env: { ENABLE_WEBHOOKS: 'false' },
    });
  });
});

const TWO = {
  'go.mod': 'module example.com/op\nrequire sigs.k8s.io/controller-runtime v0.24.0\n',
  Makefile: 'build:\n\tgo build -o bin/manager ./cmd/op\n\tgo build -o bin/hooks ./cmd/hooks\n',
  'cmd/op/PROJECT': 'version: "3"\n',
  'cmd/op/main.go': 'package main\nfunc main() {\n\tctrl.NewManager(c)\n}\n',
  'cmd/hooks/main.go':
    'package main\nfunc main() {\n\tflag.String("metrics-bind-address", "", "")\n\tctrl.NewManager(c)\n}\n',
};
const DETECTED = ['bin/hooks', '--metrics-bind-address=127.0.0.1:{port:metrics}'];

it.each([
  ['nothing', undefined, ['bin/manager'], 'go build -o bin/manager ./cmd/op', false],
  ['the name of one of two programs', ['bin/hooks'], DETECTED, 'go build -o bin/hooks ./cmd/hooks', false],
  ['its whole command', ['bin/hooks', '--once'], ['bin/hooks', '--once'], 'go build -o bin/hooks ./cmd/hooks', true],
  ['one that it does not know', ['bin/other', '--once'], ['bin/other', '--once'], undefined, true],
])('starts, for a user who gives %s, what was meant', async (_, given, command, build, isGiven) => {
  const root = mkdtempSync(join(tmpdir(), 'stalemate-choose-'));
  try {
    for (const [path, text] of Object.entries(TWO)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const chosen = await choose(
      readRepository(root),
      { yes: true, ...(given === undefined ? {} : { command: given }) },
      { cwd: root, called: 'stalemate', width: 80, color: false, out: () => {}, err: () => {} },
    );

    expect(chosen.options.command).toEqual(command);
    expect(chosen.found.program?.build?.join(' ')).toBe(build);
    expect(chosen.isGiven).toBe(isGiven);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
