/** Tests that workloads become ready during runs, for targets that wait for them, and that such runs are as deterministic as others. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { RunSettings } from '../../model/counterexample.ts';
import type { History } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { checkLegality } from '../../oracle/assumptions.ts';
import { firstDivergence } from './fingerprint.ts';
import { runnerOf, SAMPLE, setPhase, thinTarget, workload, type Reconcile } from './testing.ts';

const POLL_MS = 20;
const POLLS = 100;

/** Creates an object for a widget, polls it until `ready` returns true, and reports that in the status. */
function waitsFor(path: string, object: KubeObject, ready: (object: KubeObject) => boolean, also?: string): Reconcile {
  return async (widget, send) => {
    if ((widget['status'] as { phase?: string } | undefined)?.phase === 'ready') return;
    const { name = '', uid = '' } = widget.metadata;
    const owner = { apiVersion: widget.apiVersion, kind: widget.kind, name, uid, controller: true };
    await send('POST', path, { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } });
    if (also !== undefined) await send('GET', also);
    for (let polls = 0; polls < POLLS; polls++) {
      const { body } = await send('GET', `${path}/${object.metadata.name ?? ''}`);
      if (ready(body as KubeObject)) return setPhase(widget, 'ready', send);
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
  };
}

const POD = { containers: [{ name: 'main', image: 'web:1' }] };
const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: POD };
const PODS = '/api/v1/namespaces/default/pods';
const status = (object: KubeObject): { readonly [key: string]: unknown } =>
  (object['status'] ?? {}) as { readonly [key: string]: unknown };

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: TEMPLATE },
};
const deployment = (also?: string): Reconcile =>
  waitsFor(
    '/apis/apps/v1/namespaces/default/deployments',
    DEPLOYMENT,
    (object) => status(object)['readyReplicas'] === 2,
    also,
  );
const pod = waitsFor(
  PODS,
  { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: POD },
  (object) => status(object)['phase'] === 'Running',
);

/** Makes a first run, which shows which objects the target reads, and returns the two runs after it. */
async function secondRun(reconcile: Reconcile, settings: Partial<RunSettings>): Promise<[History, History]> {
  const runner = runnerOf(thinTarget(reconcile), settings);
  const trial = { workload: workload([], 'empty'), schedule: EMPTY_SCHEDULE };
  await runner.run(trial);
  return [await runner.run(trial), await runner.run(trial)];
}

const isReady = ({ revisions }: History): boolean =>
  revisions.some(({ object }) => object.kind === SAMPLE.kind && status(object)['phase'] === 'ready');
const madeByEnvironment = ({ revisions }: History): readonly string[] =>
  revisions.filter(({ actor, type }) => actor === 'workloads' && type === 'ADDED').map(({ object }) => object.kind);

describe('a target that waits for what it made', () => {
  it('waits in vain where nothing brings it to life', async () => {
    const [history] = await secondRun(deployment(), {});

    expect(isReady(history)).toBe(false);
  });

  it('sees a Deployment become ready by its status alone, as long as it looks at no pods', async () => {
    const [history, again] = await secondRun(deployment(), { workloads: 'auto' });

    expect(isReady(history)).toBe(true);
    expect(madeByEnvironment(history)).toEqual([]);
    expect(checkLegality(history)).toEqual([]);
    expect(firstDivergence(history, again)).toBeUndefined();
  });

  it('sees the pods of a Deployment where it looks at them, in the same order in every run', async () => {
    const [history, again] = await secondRun(deployment(PODS), { workloads: 'auto' });

    expect(isReady(history)).toBe(true);
    expect(madeByEnvironment(history).toSorted()).toEqual(['Node', 'Pod', 'Pod', 'ReplicaSet']);
    expect(checkLegality(history)).toEqual([]);
    expect(firstDivergence(history, again)).toBeUndefined();
  });

  it.each(['fast', 'slow'] as const)('sees its own pod bound and then running, %s', async (workloads) => {
    const [history] = await secondRun(pod, { workloads });

    expect(isReady(history)).toBe(true);
    const took = history.revisions.filter(({ resource }) => resource === 'pods').map(({ timeMs }) => timeMs);
    const [made = 0, , running = 0] = took;
    expect(running - made).toBeGreaterThanOrEqual(workloads === 'fast' ? 5 : 300);
  });

  it('leaves the kinds to the target that are its own work', async () => {
    const [history] = await secondRun(deployment(PODS), {
      workloads: 'fast',
      workloadsExcept: ['replicasets.apps'],
    });

    expect(madeByEnvironment(history)).toEqual(['ReplicaSet']);
    expect(isReady(history)).toBe(false);
  });

  it('leaves pods alone that somebody else made', async () => {
    const foreign = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'other', namespace: 'default' }, spec: POD };
    const runner = runnerOf(thinTarget(pod), { workloads: 'auto' });
    const trial = {
      workload: { ...workload([], 'empty'), sample: [SAMPLE, foreign] },
      schedule: EMPTY_SCHEDULE,
    };
    await runner.run(trial);

    const { revisions } = await runner.run(trial);

    const last = (name: string): unknown => revisions.findLast((one) => one.resource === 'pods' && one.name === name);
    expect(last('web')).toMatchObject({ object: { status: { phase: 'Running' } } });
    expect(last('other')).toMatchObject({ object: { status: { phase: 'Pending' } } });
  });
});
