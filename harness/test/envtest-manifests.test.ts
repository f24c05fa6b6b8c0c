/** A project's manifests on a real control plane: its service account, roles and webhooks. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from 'stalemate-apiserver/control-plane/binaries';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { resolveRun } from '../cli/library.ts';
import { subjectOf } from '../execution/search/counterexample.ts';
import { createHost } from '../execution/hosts/create-host.ts';
import { TrialRunner } from '../execution/run/runner.ts';
import type { History } from '../model/history.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { checkLegality } from '../oracle/assumptions.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const file = (name: string): string => fileURLToPath(new URL(`project/${name}`, import.meta.url));

const made = ({ revisions }: History, resource: string): unknown =>
  revisions
    .filter((one) => one.resource === resource && one.type === 'ADDED')
    .map(({ actor, object }) => [actor, object]);

describe.runIf(installed)('what a project ships, on envtest', { timeout: 120_000 }, () => {
  let runner: TrialRunner;
  beforeAll(async () => {
    const subject = subjectOf(
      resolveRun({
        manifests: [file('install.yaml')],
        samples: [file('sample.yaml')],
        command: [file('manager.mjs')],
        budget: 1,
        cluster: 'envtest',
      }),
    );
    runner = new TrialRunner(await createHost(subject), subject.settings);
  }, 120_000);

  const run = (sample: readonly KubeObject[]): Promise<History> => {
    const gadget = { group: 'example.com', version: 'v1', resource: 'gadgets', namespace: 'shop', name: 'a' };
    const deletion = { actor: 'user', writer: 'user', ops: [{ do: 'delete', target: gadget }] } as const;
    return runner.run(
      { workload: { version: 1, start: 'empty', sample, programs: [] }, schedule: EMPTY_SCHEDULE },
      { afterRest: [deletion] },
    );
  };
  const gadget = (version: string, spec: KubeObject['spec']): KubeObject => ({
    apiVersion: `example.com/${version}`,
    kind: 'Gadget',
    metadata: { name: 'a', namespace: 'shop' },
    spec: spec ?? {},
  });

  it('asks the webhook at an address, while what it reads itself waits at the gate', async () => {
    const history = await run([gadget('v1', { size: 1 })]);

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

  it('converts by it, and has put back what the run before has changed', async () => {
    const history = await run([gadget('v1beta1', { amount: 3, color: 'red' })]);

    expect(made(history, 'configmaps')).toEqual([
      ['controller', expect.objectContaining({ data: { size: '3', color: 'red' } })],
    ]);
  });

  it('lets the server enforce the roles, and names the rule that is missing', () => {
    expect(runner.denials()).toEqual([
      'system:serviceaccount:gadgets-system:gadgets-manager may not delete configmaps in namespace shop: ' +
        'the manifests grant it no rule {apiGroups: [""], resources: ["configmaps"], verbs: ["delete"]}',
    ]);
  });
});
