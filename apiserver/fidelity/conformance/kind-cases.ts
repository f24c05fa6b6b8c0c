/** Conformance cases about special behaviour of single built-in kinds. */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { plain } from '../differential/compare.ts';
import { at, check, configMap, same, type ConformanceCase, type Tester } from './case.ts';

function apps(t: Tester, resource: string): string {
  return `/apis/apps/v1/namespaces/${t.namespace}/${resource}`;
}

function workload(kind: string, image = 'i'): JsonObject {
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: labels }, template },
  };
}

function pod(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ...metadata }, spec };
}

function itemsOf(list: JsonObject): number {
  const { items } = list;
  return Array.isArray(items) ? items.length : 0;
}

/** Returns `[field, message]` of every cause, each message up to its first line break. */
function causesOf(status: JsonObject): readonly JsonValue[] {
  const causes = at(status, 'details.causes');
  if (!Array.isArray(causes)) return [];
  return (causes as readonly JsonValue[])
    .filter(isMap)
    .map(({ field, message }) => [field ?? '', plain(message).split('\n')[0] ?? '']);
}

export const KIND_CASES: readonly ConformanceCase[] = [
  {
    name: 'applies limits at version 0 only to events, which have no watch cache',
    items: [],
    run: async (t) => {
      const involvedObject = { kind: 'Pod', name: 'p', namespace: t.namespace };
      for (const name of ['a', 'b']) {
        await t.call('POST', t.core('configmaps'), 201, configMap(name));
        const event = {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name },
          involvedObject,
          reason: 'R',
          type: 'Normal',
        };
        await t.call('POST', t.core('events'), 201, event);
      }

      const events = await t.call('GET', `${t.core('events')}?limit=1&resourceVersion=0`, 200);
      const maps = await t.call('GET', `${t.core('configmaps')}?limit=1&resourceVersion=0`, 200);

      same([itemsOf(events), at(events, 'metadata.remainingItemCount')], [1, 1], 'the events');
      same([itemsOf(maps), at(maps, 'metadata.continue')], [2, undefined], 'the config maps');
    },
  },
  {
    name: 'returns the revision of the deletion when a DELETE returns the object',
    items: [],
    run: async (t) => {
      const path = t.core('serviceaccounts');
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } };
      const made = await t.call('POST', path, 201, account);
      const stream = await t.watch(`${path}?watch=true&resourceVersion=${plain(at(made, 'metadata.resourceVersion'))}`);

      const gone = await t.call('DELETE', `${path}/a`, 200);

      same(await t.events(stream, 1), ['DELETED a'], 'the events');
      same(
        at(gone, 'metadata.resourceVersion'),
        at(stream.events[0]?.object, 'metadata.resourceVersion'),
        'the version of the answer',
      );
    },
  },
  {
    name: 'validates the endpoints of a slice only when they change, and stores an empty list as null',
    items: [],
    run: async (t) => {
      const path = `/apis/discovery.k8s.io/v1/namespaces/${t.namespace}/endpointslices`;
      const slice = (more: JsonObject): JsonObject => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        addressType: 'IPv4',
        endpoints: [{ addresses: ['192.0.2.1'] }],
        ...more,
        metadata: { name: 'a', ...(isMap(more['metadata']) ? more['metadata'] : {}) },
      });
      await t.call('POST', path, 201, slice({ metadata: { finalizers: ['x.io/one'] } }));

      const moved = await t.call('PUT', `${path}/a`, '422 Invalid', slice({ addressType: 'IPv6' }));
      same(causesOf(moved), [['addressType', 'Invalid value: "IPv6": field is immutable']], 'the causes');
      const emptied = await t.call('MERGE', `${path}/a`, 200, { endpoints: [] });
      same(emptied['endpoints'], null, 'stored endpoints');
      await t.call('DELETE', `${path}/a`, 200);
      const last = await t.call('PUT', `${path}/a`, 200, slice({ endpoints: [], metadata: { finalizers: [] } }));
      same(last['endpoints'], [], 'endpoints that nothing has stored');
    },
  },
  {
    name: 'compares the counts of a status, counting absent ones as 0',
    items: [],
    run: async (t) => {
      await t.call('POST', apps(t, 'replicasets'), 201, workload('ReplicaSet'));

      const refused = await t.call('MERGE', `${apps(t, 'replicasets')}/a/status`, '422 Invalid', {
        status: { replicas: -1 },
      });

      check(
        causesOf(refused).some(
          (one) => plain(one) === '["status.readyReplicas","Invalid value: 0: cannot be greater than status.replicas"]',
        ),
        `the causes are ${plain(causesOf(refused))}`,
      );
    },
  },
  {
    name: 'accepts the status of a namespace without a phase',
    items: [],
    run: async (t) => {
      const metadata = { name: t.namespace };
      const status = { conditions: [{ type: 'A', status: 'True' }] };

      const put = await t.call('PUT', `/api/v1/namespaces/${t.namespace}/status`, 200, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata,
        status,
      });

      same(at(put, 'status.phase'), 'Active', 'the phase');
    },
  },
  {
    name: 'counts template generations of daemon sets in an annotation',
    items: [],
    run: async (t) => {
      const path = apps(t, 'daemonsets');
      const number = ['metadata', 'annotations', 'deprecated.daemonset.template.generation'];
      const read = (object: JsonValue | undefined): JsonValue | undefined =>
        number.reduce<JsonValue | undefined>((value, key) => (isMap(value) ? value[key] : undefined), object);
      await t.call('POST', `${path}?fieldManager=one`, 201, workload('DaemonSet'));

      const moved = await t.call('PUT', `${path}/a?fieldManager=two`, 200, workload('DaemonSet', 'other'));

      same([read(moved), at(moved, 'metadata.generation')], ['2', 2], 'template and generation');
      const owners = at(moved, 'metadata.managedFields') as readonly JsonObject[];
      const two = owners.find(({ manager }) => manager === 'two');
      const owned = at(two, 'fieldsV1.f:metadata.f:annotations');
      same(owned, { 'f:deprecated.daemonset.template.generation': {} }, 'what the update owns');
    },
  },
  {
    name: 'ends initial events with the JSON of an empty Go object',
    items: [],
    run: async (t) => {
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const bookmarkOf = async (resource: string): Promise<JsonValue | undefined> => {
        const stream = await t.watch(`${apps(t, resource)}?${query}`);
        same(await t.events(stream, 1), ['BOOKMARK -'], 'the events');
        return stream.events[0]?.object;
      };

      same(at(await bookmarkOf('deployments'), 'spec.replicas'), 0, 'replicas');
      same(
        at(await bookmarkOf('daemonsets'), 'metadata.annotations'),
        { 'deprecated.daemonset.template.generation': '0', 'k8s.io/initial-events-end': 'true' },
        'annotations',
      );
    },
  },
  {
    name: 'reports the immutable fields of a pod',
    items: [],
    run: async (t) => {
      const containers = [{ name: 'c', image: 'i' }];
      const path = t.core('pods');
      await t.call(
        'POST',
        path,
        201,
        pod({ containers, activeDeadlineSeconds: 10, tolerations: [{ key: 'k', operator: 'Exists' }] }),
      );
      const causes = async (spec: JsonObject): Promise<readonly JsonValue[]> =>
        causesOf(await t.call('MERGE', `${path}/a`, '422 Invalid', { spec }));
      const frozen = [
        'spec',
        'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
      ];

      same(
        await causes({ containers: [...containers, { name: 'd', image: 'i' }] }),
        [['spec.containers', 'Forbidden: pod updates may not add or remove containers']],
        'another container',
      );
      same(
        await causes({ activeDeadlineSeconds: 11 }),
        [['spec.activeDeadlineSeconds', 'Invalid value: 11: must be less than or equal to previous value']],
        'a later deadline',
      );
      same(
        await causes({ activeDeadlineSeconds: null }),
        [['spec.activeDeadlineSeconds', 'Invalid value: null: must not update from a positive integer to nil value']],
        'no deadline',
      );
      same(
        await causes({ tolerations: null, hostname: 'h' }),
        [
          ['spec.tolerations', 'Forbidden: existing toleration can not be modified except its tolerationSeconds'],
          frozen,
        ],
        'no tolerations and a name',
      );
      await t.call('MERGE', `${path}/a`, 200, {
        spec: {
          activeDeadlineSeconds: 9,
          tolerations: [
            { key: 'k', operator: 'Exists', tolerationSeconds: null },
            { key: 'l', operator: 'Exists' },
          ],
        },
      });
    },
  },
  {
    name: 'keeps the QoS class of a pod when a status omits it',
    items: [],
    run: async (t) => {
      const spec = { containers: [{ name: 'c', image: 'i' }] };
      const path = t.core('pods');
      await t.call('POST', path, 201, pod(spec));

      const put = await t.call('PUT', `${path}/a/status`, 200, { ...pod(spec), status: { phase: 'Running' } });

      same(put['status'], { phase: 'Running', qosClass: 'BestEffort' }, 'the status');
      const changed = { ...pod(spec), status: { qosClass: 'Guaranteed' } };
      await t.call('PUT', `${path}/a/status`, '422 Invalid: field is immutable', changed);
    },
  },
  {
    name: 'gives no manager the deletion timestamp in the create of a node',
    items: [],
    run: async (t) => {
      const metadata = { name: `${t.namespace}-n`, deletionTimestamp: '2020-01-01T00:00:00Z', labels: { a: 'b' } };

      const made = await t.call('POST', '/api/v1/nodes', 201, { apiVersion: 'v1', kind: 'Node', metadata });

      const owned = at(made, 'metadata.managedFields.0.fieldsV1.f:metadata');
      same(owned, { 'f:labels': { '.': {}, 'f:a': {} } }, 'what the creator owns');
      await t.call('DELETE', `/api/v1/nodes/${t.namespace}-n`, 200);
    },
  },
  {
    name: 'does not bind a pod on a dry run, nor one with scheduling gates',
    items: [],
    run: async (t) => {
      const path = t.core('pods');
      const containers = [{ name: 'c', image: 'i' }];
      const target = { kind: 'Node', name: 'n' };
      await t.call('POST', path, 201, pod({ containers, schedulingGates: [{ name: 'x.io/gate' }] }));
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target };
      await t.call('POST', `${path}/a/binding`, '409: pod a has non-empty .spec.schedulingGates', binding);
      await t.call('MERGE', `${path}/a`, 200, { spec: { schedulingGates: null } });

      await t.call('POST', `${path}/a/binding?dryRun=All`, 201, binding);

      same(at(await t.call('GET', `${path}/a`, 200), 'spec.nodeName'), undefined, 'the node');
    },
  },
  {
    name: 'deletes the endpoints of a deleted service',
    items: [],
    run: async (t) => {
      for (const name of ['a', 'b']) {
        const metadata = { name, finalizers: name === 'a' ? [] : ['x.io/one'] };
        const kept = { apiVersion: 'v1', kind: 'Endpoints', metadata };
        const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } };
        await t.call('POST', t.core('endpoints'), 201, kept);
        await t.call('POST', t.core('services'), 201, service);
        await t.call('DELETE', `${t.core('services')}/${name}`, 200);
      }
      await t.call('GET', `${t.core('endpoints')}/a`, 404);
      const free = { metadata: { finalizers: null } };
      const before = await t.call('GET', `${t.core('endpoints')}/b`, 200);
      await t.call('MERGE', `${t.core('services')}/b`, 200, free);
      const after = await t.call('GET', `${t.core('endpoints')}/b`, 200);
      same(at(before, 'metadata.deletionTimestamp'), undefined, 'the end of endpoints whose service is going');
      same(typeof at(after, 'metadata.deletionTimestamp'), 'string', 'the end of endpoints whose service is gone');
      await t.call('MERGE', `${t.core('endpoints')}/b`, 200, free);
    },
  },
];
