/** Conformance cases about updates of built-in kinds: services, Jobs, scales, claims. */
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { plain } from '../differential/compare.ts';
import { at, check, same, type ConformanceCase, type Tester } from './case.ts';

function service(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], ...spec } };
}

function fieldsOf(status: JsonObject): readonly string[] {
  const causes = (at(status, 'details.causes') ?? []) as readonly JsonObject[];
  return causes.map(({ field }) => plain(field ?? '')).sort();
}

function workloads(t: Tester, group: string, resource: string): string {
  return `/apis/${group}/v1/namespaces/${t.namespace}/${resource}`;
}

export const CHANGE_CASES: readonly ConformanceCase[] = [
  {
    name: 'clears allocated fields when a service becomes an ExternalName',
    items: [],
    run: async (t) => {
      const path = t.core('services');
      const made = await t.call('POST', path, 201, service({ type: 'LoadBalancer' }));
      check(typeof at(made, 'spec.ports.0.nodePort') === 'number', 'there is no port on nodes');
      const spec = { ...(made['spec'] as JsonObject), type: 'ExternalName', externalName: 'a.example.com' };

      const named = await t.call('PUT', `${path}/a`, 200, { ...made, spec });

      same(
        named['spec'],
        {
          type: 'ExternalName',
          externalName: 'a.example.com',
          sessionAffinity: 'None',
          ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        },
        'the spec',
      );
      const back = await t.call('MERGE', `${path}/a`, 200, { spec: { type: 'ClusterIP', externalName: null } });
      check(typeof at(back, 'spec.clusterIPs.0') === 'string', 'there is no address');
    },
  },
  {
    name: 'shows the address in the refusal to change a service IP',
    items: [],
    run: async (t) => {
      await t.call('POST', t.core('services'), 201, service({}));
      await t.call(
        'MERGE',
        `${t.core('services')}/a`,
        '422 Invalid: spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
        { spec: { clusterIP: 'None' } },
      );
    },
  },
  {
    name: 'allocates nothing for a service created by a status write, and drops its owner',
    items: [],
    run: async (t) => {
      const path = t.core('services');
      const owner = { manager: 'other', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };
      const sent = { ...service({ selector: { a: 'b' } }), status: { loadBalancer: {} } };
      const metadata = { name: 'a', managedFields: [{ ...owner, fieldsV1: { 'f:spec': { 'f:type': {} } } }] };

      const made = await t.call('PUT', `${path}/a/status`, 201, { ...sent, metadata });
      same((at(made, 'metadata.managedFields') ?? null) === null, true, 'that it has no owner');
      const again = await t.call('MERGE', `${path}/a/status`, 200, { metadata: { annotations: { a: 'b' } } });
      same([at(again, 'spec.clusterIP'), at(again, 'spec.ipFamilies')], [undefined, undefined], 'what is allocated');
      const changed = await t.call('MERGE', `${path}/a`, 200, { spec: { selector: { a: 'c' } } });
      same(
        [at(changed, 'spec.clusterIP'), at(changed, 'spec.ipFamilies')],
        [undefined, ['IPv4']],
        'what an update allocates',
      );
    },
  },
  {
    name: 'validates a changed Job twice',
    items: [],
    run: async (t) => {
      const path = workloads(t, 'batch', 'jobs');
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
      const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { template } };
      await t.call('POST', path, 201, job);

      const negative = await t.call('MERGE', `${path}/a`, '422 Invalid', { spec: { backoffLimit: -1 } });
      same(fieldsOf(negative), ['spec.backoffLimit', 'spec.backoffLimit'], 'the causes');
      const bare = await t.call('PUT', `${path}/a`, '422 Invalid', job);
      same(
        fieldsOf(bare),
        [
          ...['spec.selector', 'spec.selector', 'spec.selector', 'spec.template'],
          ...['spec.template.metadata.labels', 'spec.template.metadata.labels'],
        ],
        'the causes of a bare Job',
      );
      await t.call(
        'GET',
        `${path}?fieldSelector=spec.unknown%3Dx`,
        '400: field label "spec.unknown" not supported for Job',
      );
      await t.call(
        'GET',
        `${workloads(t, 'apps', 'replicasets')}?fieldSelector=status.replicas%3D1`,
        '400: "status.replicas" is not a known field selector',
      );
    },
  },
  {
    name: 'rewrites a Job with labels from a template with generated labels',
    items: [],
    run: async (t) => {
      const path = workloads(t, 'batch', 'jobs');
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
      const spec = { template, suspend: true };
      const made = await t.call('POST', path, 201, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'a' },
        spec,
      });
      const versions: (JsonValue | undefined)[] = [];
      for (let count = 0; count < 3; count++)
        versions.push(
          at(await t.call('MERGE', `${path}/a`, 200, { spec: { suspend: true } }), 'metadata.resourceVersion'),
        );
      const first = at(await t.call('GET', `${path}/a`, 200), 'metadata.resourceVersion');
      check(at(made, 'metadata.resourceVersion') !== first, 'the first write of nothing is none');
      same(versions, [first, first, first], 'the versions after writes of nothing');

      const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'other' }] } } } };
      const frozen = await t.call('STRATEGIC', `${path}/a`, '422 Invalid: field is immutable', image);
      same(fieldsOf(frozen), ['spec.template.spec'], 'the cause for a suspended Job');
      const placed = { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } };
      await t.call('STRATEGIC', `${path}/a`, 200, placed);
    },
  },
  {
    name: 'treats orphanDependents=false of a namespace as Foreground',
    items: [],
    run: async (t) => {
      const name = `${t.namespace}-n`;
      const metadata = { name, labels: { 'bad key!': 'x' } };
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await t.call('POST', '/api/v1/namespaces', 201, namespace);

      const refused = await t.call('PUT', `/api/v1/namespaces/${name}/finalize`, '422 Invalid', {
        ...namespace,
        metadata,
      });
      same(fieldsOf(refused), ['metadata.labels', 'metadata.labels', 'metadata.labels'], 'the causes');
      const gone = await t.call('DELETE', `/api/v1/namespaces/${name}?orphanDependents=false`, 202);
      same(at(gone, 'metadata.finalizers'), ['foregroundDeletion'], 'the finalizers');
    },
  },
  {
    name: 'validates a patched scale before it compares versions',
    items: [],
    run: async (t) => {
      const path = workloads(t, 'apps', 'deployments');
      const labels = { app: 'a' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const spec = { selector: { matchLabels: labels }, template };
      await t.call('POST', path, 201, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec });

      await t.call(
        'MERGE',
        `${path}/a/scale`,
        '422 Invalid: Scale.autoscaling "a" is invalid: metadata.labels: Invalid value',
        { metadata: { resourceVersion: '1', labels: { 'bad key!': 'x' } } },
      );
      await t.call(
        'MERGE',
        `${path}/a/scale`,
        '409: Operation cannot be fulfilled on deployments/scale.apps "a": Precondition failed: UID',
        { metadata: { uid: '00000000-0000-4000-8000-000000000000' } },
      );
    },
  },
  {
    name: 'rewrites a claim with a phase that is defaulted on read',
    items: [],
    run: async (t) => {
      const path = t.core('persistentvolumeclaims');
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' }, spec };
      const versionOf = async (
        word: string,
        url: string,
        body: JsonObject,
        code = 200,
      ): Promise<JsonValue | undefined> => at(await t.call(word, url, code, body), 'metadata.resourceVersion');

      const made = await versionOf('POST', path, claim, 201);
      const [first, second] = [await versionOf('MERGE', `${path}/a`, {}), await versionOf('MERGE', `${path}/a`, {})];

      check(first !== made, 'the first write of nothing is none');
      same(second, first, 'the version after the second');
    },
  },
  {
    name: 'sets and validates ipMode of load balancers',
    items: [],
    run: async (t) => {
      await t.call('POST', t.core('services'), 201, service({ type: 'LoadBalancer' }));
      const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };

      const put = await t.call('MERGE', `${t.core('services')}/a/status`, 200, { status });

      same(at(put, 'status.loadBalancer.ingress'), [{ ip: '192.0.2.1', ipMode: 'VIP' }], 'how it is reached');
    },
  },
  {
    name: 'expands bound claims if their class allows it',
    items: [],
    run: async (t) => {
      const path = t.core('persistentvolumeclaims');
      const name = `${t.namespace}-class`;
      await t.call('POST', '/apis/storage.k8s.io/v1/storageclasses', 201, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name },
        provisioner: 'x.io/y',
        allowVolumeExpansion: true,
      });
      const claim = (storageClassName: string): JsonObject => ({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: storageClassName === name ? 'a' : 'b' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName },
      });
      for (const one of [name, 'none']) await t.call('POST', path, 201, claim(one));
      const larger = { spec: { resources: { requests: { storage: '2Gi' } } } };
      for (const one of ['a', 'b']) await t.call('MERGE', `${path}/${one}/status`, 200, { status: { phase: 'Bound' } });

      const grown = await t.call('MERGE', `${path}/a`, 200, larger);
      same(plain(at(grown, 'spec.resources.requests.storage')), '2Gi', 'the size');
      await t.call('MERGE', `${path}/b`, '403: only dynamically provisioned pvc can be resized', larger);
      await t.call('DELETE', `/apis/storage.k8s.io/v1/storageclasses/${name}`, 200);
    },
  },
  {
    name: 'refuses unallocatable service fields before validation',
    items: [],
    run: async (t) => {
      const path = t.core('services');
      const put = async (message: string, spec: JsonObject): Promise<JsonObject> =>
        await t.call('PUT', `${path}/a`, `422 Invalid: ${message}`, service(spec));
      await t.call('POST', path, 201, service({ clusterIP: 'None' }));

      const dual = await put('this cluster is not configured for dual-stack services', {
        type: 'Wrong',
        selector: { a: 'b' },
      });
      same(fieldsOf(dual), ['spec.ipFamilyPolicy'], 'what is wrong with two families');
      const other = await put('first value must match `clusterIP`', { clusterIP: 'None', clusterIPs: ['10.0.0.9'] });
      same(fieldsOf(other), ['spec.clusterIPs'], 'what is wrong with two addresses');
    },
  },
  {
    name: 'keeps node ports by port name, even if two ports share it',
    items: [],
    run: async (t) => {
      const path = t.core('services');
      await t.call('POST', path, 201, service({ type: 'NodePort' }));

      await t.call('MERGE', `${path}/a`, '500: duplicate nodePort: {TCP ', {
        spec: { ports: [{ port: 80 }, { port: 81 }] },
      });
    },
  },
  {
    name: 'validates a Job with the uid of a patch',
    items: [],
    run: async (t) => {
      const path = `/apis/batch/v1/namespaces/${t.namespace}/jobs`;
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
      const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { template } };
      await t.call('POST', path, 201, job);
      const metadata = { uid: '00000000-0000-4000-8000-000000000000' };

      const refused = await t.call('MERGE', `${path}/a`, '422 Invalid', { metadata });
      const status = await t.call('MERGE', `${path}/a/status`, '422 Invalid', { metadata });

      check(fieldsOf(refused).includes('spec.selector'), `nothing is said of the selector: ${plain(refused)}`);
      same(fieldsOf(status), ['metadata.uid', 'metadata.uid'], 'what is said of a status');
    },
  },
  {
    name: 'reports errors of a changed volume twice',
    items: [],
    run: async (t) => {
      const name = `${t.namespace}-v`;
      const path = '/api/v1/persistentvolumes';
      const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
      await t.call('POST', path, 201, { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec });

      const refused = await t.call('MERGE', `${path}/${name}`, '422 Invalid', { spec: { accessModes: null } });

      same(fieldsOf(refused), ['spec.accessModes', 'spec.accessModes'], 'what is wrong');
      await t.call('DELETE', `${path}/${name}`, 200);
    },
  },
];
