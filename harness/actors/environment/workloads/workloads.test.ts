import { describe, expect, test } from 'vitest';
import { MERGE, testServer, type TestServer } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { Random } from '../../../determinism/random.ts';
import type { ActorId } from '../../../model/actor.ts';
import { createGarbageCollector } from '../garbage-collector.ts';
import { createStorageProtection } from '../storage-protection.ts';
import { createWorkloads, type TrialRules, type Workloads } from './index.ts';
import { NODE_NAME } from './kubelet.ts';

const PODS = '/api/v1/namespaces/default/pods';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

function cluster(): TestServer {
  const made = testServer();
  const { server } = made;
  const controllers = [
    createWorkloads({ upstream: server, kinds: server, now: () => 0 }),
    createGarbageCollector({ upstream: server, kinds: server }),
    createStorageProtection(server, new Set()),
  ];
  server.observe((change) => {
    for (const controller of controllers) controller.onChange(change);
  });
  return made;
}

/** Waits until all pending promise chains have settled. */
function atRest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function template(image: string): JsonObject {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } };
}

function workload(apiVersion: string, kind: string, spec: JsonObject): KubeObject {
  const selector = { matchLabels: { app: 'web' } };
  return { apiVersion, kind, metadata: { name: 'web' }, spec: { selector, template: template('web:1'), ...spec } };
}

function job(spec: JsonObject, pod: JsonObject = {}): KubeObject {
  const containers = [{ name: 'web', image: 'web:1' }];
  const template = { spec: { restartPolicy: 'Never', containers, ...pod } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'web' }, spec: { template, ...spec } };
}

async function make({ request }: TestServer, path: string, object: KubeObject): Promise<void> {
  const { code, body } = request('POST', path, object);
  expect({ code, body: code === 201 ? undefined : body }).toEqual({ code: 201, body: undefined });
  await atRest();
}

function podImages({ server }: TestServer): readonly unknown[] {
  return server
    .objects('pods')
    .map((pod) => (pod['spec'] as { containers: readonly { image: string }[] }).containers[0]?.image);
}

function conditionsOf(object: KubeObject | undefined): readonly string[] {
  const { conditions = [] } = (object?.['status'] ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
  };
  return conditions.map(({ type, status }) => `${type}=${status}`);
}

/** The workloads of a run, which manages what `tends` selects. */
function inRun(tends: TrialRules['tends']): { world: TestServer; workloads: Workloads } {
  const world = testServer();
  const workloads = createWorkloads({
    upstream: world.server,
    kinds: world.server,
    now: () => 0,
    trial: {
      speed: 'fast',
      random: new Random(1),
      after: (_, then) => then(),
      tends,
      isLeftToTarget: () => false,
      readsPods: () => true,
    },
  });
  return { world, workloads };
}

describe('in a run', () => {
  test('a pod that comes bound to the node has that node, also if nothing else about the pod is managed', async () => {
    const { world, workloads } = inRun(() => false);
    world.server.observe((change) => workloads.onChange(change, 'environment'));

    const spec = { ...(template('web:1')['spec'] as JsonObject), nodeName: NODE_NAME };
    await make(world, PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });

    expect(world.server.objects('nodes').map(({ metadata }) => metadata.name)).toEqual([NODE_NAME]);
  });

  test('a pod that another client replaces is managed like the first one: it runs, and ends when it is deleted', async () => {
    const { world, workloads } = inRun((resource, actor) => resource === 'pods' && actor === 'controller');
    let actor: ActorId = 'controller';
    world.server.observe((change) => workloads.onChange(change, actor));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: template('web:1')['spec'] ?? {} };
    await make(world, PODS, pod);
    world.request('DELETE', `${PODS}/web`);
    await atRest();
    expect(world.server.objects('pods')).toEqual([]);

    actor = 'writer-1';
    await make(world, PODS, { ...pod, spec: { ...(pod.spec as JsonObject), nodeName: NODE_NAME } });
    expect(world.server.objects('pods')[0]?.['status']).toMatchObject({ phase: 'Running' });
    world.request('DELETE', `${PODS}/web`);
    await atRest();
    expect(world.server.objects('pods')).toEqual([]);
  });
});

describe('the kubelet', () => {
  const WEB = `${PODS}/web`;
  const status = ({ server }: TestServer): KubeObject[string] => server.object('pods', 'default', 'web')?.['status'];
  const pod = (spec: JsonObject = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'web:1' }], ...spec },
  });

  test('reports a pod whose phase another client has set before it', async () => {
    const world = cluster();
    world.request('POST', PODS, pod());
    world.request('PATCH', `${WEB}/status`, { status: { phase: 'Running' } }, MERGE);
    await atRest();

    expect(status(world)).toMatchObject({ phase: 'Running', containerStatuses: [{ ready: true }] });
    expect(status(world)).toHaveProperty('podIP');
  });

  test('keeps the conditions of other clients, and is ready once they let the pod through its gates', async () => {
    const world = cluster();
    world.request('POST', PODS, pod({ readinessGates: [{ conditionType: 'example.com/balanced' }] }));
    const condition = (value: string): JsonObject => ({ type: 'example.com/balanced', status: value });
    world.request('PATCH', `${WEB}/status`, { status: { conditions: [condition('False')] } }, MERGE);
    await atRest();
    expect(conditionsOf(world.server.object('pods', 'default', 'web'))).toEqual(
      expect.arrayContaining(['example.com/balanced=False', 'Ready=False', 'ContainersReady=True']),
    );

    const { conditions } = status(world) as { conditions: readonly JsonObject[] };
    const now = conditions.map((one) => (one['type'] === 'example.com/balanced' ? condition('True') : one));
    world.request('PATCH', `${WEB}/status`, { status: { conditions: now } }, MERGE);
    await atRest();
    expect(conditionsOf(world.server.object('pods', 'default', 'web'))).toContain('Ready=True');
  });

  test('reports the image of a container that was changed', async () => {
    const world = cluster();
    await make(world, PODS, pod());
    world.request('PATCH', WEB, { spec: { containers: [{ name: 'web', image: 'web:2' }] } }, MERGE);
    await atRest();

    expect(status(world)).toMatchObject({ observedGeneration: 2, containerStatuses: [{ image: 'web:2' }] });
  });
});

describe('the node', () => {
  const STATUS = '/api/v1/nodes/stalemate-node/status';
  const GPU = 'example.com/gpu';

  /** Returns a cluster with a node, which is created together with the first pod. */
  async function clusterWithNode(): Promise<TestServer> {
    const world = cluster();
    await make(world, PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: template('web:1')['spec'] ?? {},
    });
    return world;
  }

  /** Changes the node's status. Returns its capacity and its allocatable resources at rest, and the number of updates of the node. */
  async function changed(world: TestServer, status: JsonObject): Promise<readonly unknown[]> {
    let versions = 0;
    world.server.observe(({ resource }) => (versions += Number(resource === 'nodes')));
    expect(world.request('PATCH', STATUS, { status }, MERGE).code).toBe(200);
    await atRest();
    const node = world.server.object('nodes', '', 'stalemate-node')?.['status'] as { [key: string]: JsonObject };
    return [node['capacity']?.[GPU], node['allocatable']?.[GPU], node['allocatable']?.['cpu'], versions];
  }

  test('may give the extended resources that other clients add, until they take them away', async () => {
    const world = await clusterWithNode();

    expect(await changed(world, { capacity: { [GPU]: '2' } })).toEqual(['2', '2', '64', 2]);
    expect(await changed(world, { capacity: { [GPU]: null } })).toEqual([undefined, undefined, '64', 2]);
    expect(await changed(world, { allocatable: { cpu: '63' } })).toEqual([undefined, undefined, '63', 1]);
  });

  test('has annotations, as kubelets and controllers of nodes leave it', async () => {
    const world = await clusterWithNode();

    expect(Object.keys(world.server.object('nodes', '', 'stalemate-node')?.metadata.annotations ?? {})).not.toEqual([]);
  });
});

describe('workload controllers', () => {
  test('bring a Deployment to available pods on a node', async () => {
    const world = cluster();
    await make(world, DEPLOYMENTS, workload('apps/v1', 'Deployment', { replicas: 3 }));

    expect(podImages(world)).toEqual(['web:1', 'web:1', 'web:1']);
    const deployment = world.server.object('deployments.apps', 'default', 'web');
    expect(deployment?.['status']).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      updatedReplicas: 3,
    });
    expect(conditionsOf(deployment)).toEqual(['Available=True', 'Progressing=True']);
    expect(conditionsOf(world.server.objects('pods')[0])).toContain('Ready=True');
  });

  test('roll to a new template and keep the old set without pods', async () => {
    const world = cluster();
    await make(world, DEPLOYMENTS, workload('apps/v1', 'Deployment', { replicas: 2 }));
    world.request('PATCH', `${DEPLOYMENTS}/web`, { spec: { template: template('web:2') } }, MERGE);
    await atRest();

    expect(podImages(world)).toEqual(['web:2', 'web:2']);
    const replicas = world.server
      .objects('replicasets.apps')
      .map((set) => (set['spec'] as { replicas: number }).replicas);
    expect(replicas.toSorted((a, b) => a - b)).toEqual([0, 2]);
  });

  test('follow a changed scale, and let everything go with the Deployment', async () => {
    const world = cluster();
    await make(world, DEPLOYMENTS, workload('apps/v1', 'Deployment', { replicas: 1 }));
    world.request('PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 4 } }, MERGE);
    await atRest();
    expect(podImages(world)).toHaveLength(4);
    world.request('PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 2 } }, MERGE);
    await atRest();
    expect(podImages(world)).toHaveLength(2);
    world.request('DELETE', `${DEPLOYMENTS}/web`);
    await atRest();
    expect(podImages(world)).toEqual([]);
  });

  test('make the pods of a StatefulSet in order, with their claims bound', async () => {
    const world = cluster();
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const spec = { replicas: 2, serviceName: 'web', volumeClaimTemplates: [claim] };
    await make(world, '/apis/apps/v1/namespaces/default/statefulsets', workload('apps/v1', 'StatefulSet', spec));

    expect(world.server.objects('pods').map((pod) => pod.metadata.name)).toEqual(['web-0', 'web-1']);
    const claims = world.server.objects('persistentvolumeclaims');
    expect(claims.map((one) => one.metadata.name)).toEqual(['data-web-0', 'data-web-1']);
    expect(claims.map((one) => (one['status'] as { phase: string }).phase)).toEqual(['Bound', 'Bound']);
    const set = world.server.object('statefulsets.apps', 'default', 'web');
    expect(set?.['status']).toMatchObject({ replicas: 2, readyReplicas: 2, updatedReplicas: 2 });
  });

  test('adopt the pods that a deleted StatefulSet has left behind', async () => {
    const world = cluster();
    const sets = '/apis/apps/v1/namespaces/default/statefulsets';
    const set = workload('apps/v1', 'StatefulSet', { replicas: 1, serviceName: 'web' });
    await make(world, sets, set);
    const before = world.server.object('pods', 'default', 'web-0')?.metadata.uid;

    world.request('DELETE', `${sets}/web`, { propagationPolicy: 'Orphan' });
    await atRest();
    expect(world.server.object('pods', 'default', 'web-0')?.metadata.ownerReferences ?? []).toEqual([]);

    await make(world, sets, set);
    const { uid = '' } = world.server.object('statefulsets.apps', 'default', 'web')?.metadata ?? {};
    expect(world.server.object('pods', 'default', 'web-0')?.metadata).toMatchObject({
      uid: before,
      ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid, controller: true }],
    });
    expect(world.server.object('statefulsets.apps', 'default', 'web')?.['status']).toMatchObject({ readyReplicas: 1 });
  });

  test('bind no pod whose claim is gone, and make that of a StatefulSet again', async () => {
    const world = cluster();
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = (name: string): KubeObject => ({
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec },
    });
    const pod: KubeObject = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } },
      spec: {
        containers: [{ name: 'web', image: 'web:1' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    };
    const set = { replicas: 1, serviceName: 'web', volumeClaimTemplates: [claim('data')] };
    await make(world, claims, claim('data'));
    world.request('DELETE', `${claims}/data`);
    await atRest();
    await make(world, PODS, pod);
    expect(world.server.object('pods', 'default', 'web')?.['status']).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', message: 'persistentvolumeclaim "data" not found' }],
    });

    await make(world, claims, claim('data'));
    expect(world.server.object('pods', 'default', 'web')?.['status']).toMatchObject({ phase: 'Running' });

    await make(world, claims, claim('data-web-0'));
    world.request('DELETE', `${claims}/data-web-0`);
    await make(world, '/apis/apps/v1/namespaces/default/statefulsets', workload('apps/v1', 'StatefulSet', set));
    expect(world.server.object('pods', 'default', 'web-0')?.['status']).toMatchObject({ phase: 'Running' });
  });

  test('grow the volume of a claim with it, and delete it with the claim', async () => {
    const world = cluster();
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const storageClassName = 'grows';
    await make(world, '/apis/storage.k8s.io/v1/storageclasses', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: storageClassName },
      provisioner: 'example.com/disks',
      allowVolumeExpansion: true,
    });
    const resources = (storage: string): JsonObject => ({ resources: { requests: { storage } } });
    await make(world, claims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName, ...resources('1Gi') },
    });
    world.request('PATCH', `${claims}/data`, { spec: resources('2Gi') }, MERGE);
    await atRest();

    const claim = world.server.object('persistentvolumeclaims', 'default', 'data');
    expect(claim?.['status']).toMatchObject({ phase: 'Bound', capacity: { storage: '2Gi' } });
    expect(world.server.objects('persistentvolumes')).toMatchObject([{ spec: { capacity: { storage: '2Gi' } } }]);

    world.request('DELETE', `${claims}/data`);
    await atRest();
    expect([...world.server.objects('persistentvolumeclaims'), ...world.server.objects('persistentvolumes')]).toEqual(
      [],
    );
  });

  test('complete a Job once enough of its pods have succeeded', async () => {
    const world = cluster();
    await make(world, JOBS, job({ completions: 3 }));

    const done = world.server.object('jobs.batch', 'default', 'web');
    expect(done?.['status']).toMatchObject({ succeeded: 3 });
    expect(conditionsOf(done)).toContain('Complete=True');
  });

  test('run as many pods of a Job without completions as may run at a time', async () => {
    const world = cluster();
    await make(world, JOBS, job({ parallelism: 3 }));

    const done = world.server.object('jobs.batch', 'default', 'web');
    expect(done?.['status']).toMatchObject({ succeeded: 3 });
    expect(conditionsOf(done)).toEqual(['SuccessCriteriaMet=True', 'Complete=True']);
    expect(world.server.objects('pods')).toHaveLength(3);
  });

  test('delete the pods of a Job that is suspended, and make them anew when it is resumed', async () => {
    const world = cluster();
    const suspended = async (suspend: boolean): Promise<unknown> => {
      world.request('PATCH', `${JOBS}/web`, { spec: { suspend } }, MERGE);
      await atRest();
      const now = world.server.object('jobs.batch', 'default', 'web');
      const { active = 0, startTime } = (now?.['status'] ?? {}) as { active?: number; startTime?: string };
      const pods = world.server.objects('pods').length;
      return { pods, active, started: startTime !== undefined, conditions: conditionsOf(now) };
    };
    // Pods with a scheduling gate do not finish.
    await make(
      world,
      JOBS,
      job({ parallelism: 2, completions: 2 }, { schedulingGates: [{ name: 'a.example.com/b' }] }),
    );

    expect(await suspended(false)).toEqual({ pods: 2, active: 2, started: true, conditions: [] });
    expect(await suspended(true)).toEqual({ pods: 0, active: 0, started: false, conditions: ['Suspended=True'] });
    expect(await suspended(false)).toEqual({ pods: 2, active: 2, started: true, conditions: ['Suspended=False'] });
  });

  test('count what a disruption budget lets go', async () => {
    const world = cluster();
    const spec = { minAvailable: 2, selector: { matchLabels: { app: 'web' } } };
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web' }, spec };
    await make(world, '/apis/policy/v1/namespaces/default/poddisruptionbudgets', budget);
    await make(world, DEPLOYMENTS, workload('apps/v1', 'Deployment', { replicas: 3 }));

    const counted = world.server.object('poddisruptionbudgets.policy', 'default', 'web');
    expect(counted?.['status']).toMatchObject({
      expectedPods: 3,
      currentHealthy: 3,
      desiredHealthy: 2,
      disruptionsAllowed: 1,
    });
  });

  test('give aggregated cluster roles the rules of the roles that they select', async () => {
    const world = cluster();
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const clusterRoleSelectors = [{ matchLabels: { part: 'view' } }];
    await make(world, roles, { ...role, metadata: { name: 'all' }, aggregationRule: { clusterRoleSelectors } });
    await make(world, roles, { ...role, metadata: { name: 'pods', labels: { part: 'view' } }, rules });

    expect(world.server.object('clusterroles.rbac.authorization.k8s.io', '', 'all')?.['rules']).toEqual(rules);
  });

  test('take a terminating pod off its node, and give a new namespace its account', async () => {
    const world = cluster();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'alone' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    await make(world, PODS, pod);
    expect(world.server.object('pods', 'default', 'alone')?.['status']).toMatchObject({ phase: 'Running' });
    world.request('DELETE', `${PODS}/alone`);
    await make(world, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });

    expect(world.server.objects('pods')).toEqual([]);
    expect(world.server.object('serviceaccounts', 'team', 'default')).toBeDefined();
    expect(world.server.object('configmaps', 'team', 'kube-root-ca.crt')).toBeDefined();
  });
});
