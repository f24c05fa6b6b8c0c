/** Conformance cases about objects: rules of kinds, definitions, histories, metadata, deletion. */
import { crdManifest, crdVersion } from '../../server/crd/manifest.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { plain } from '../differential/compare.ts';
import { at, check, configMap, same, widget, type ConformanceCase, type Expected, type Tester } from './case.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function workload(kind: string, name: string, spec: JsonObject): JsonObject {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { restartPolicy: kind === 'Job' ? 'Never' : 'Always', containers: [{ name: 'c', image: 'i' }] },
  };
  const selector = kind === 'Job' ? {} : { selector: { matchLabels: labels } };
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
  return { apiVersion, kind, metadata: { name }, spec: { ...selector, template, ...spec } };
}

function definition(t: Tester, plural: string, more: JsonObject = {}): JsonObject {
  const group = `${t.namespace}.example.com`;
  const kind = 'Thing';
  const spec = { type: 'object', properties: { n: { type: 'integer', maximum: 5 }, m: { type: 'integer' } } };
  const version = crdVersion('v1', { type: 'object', properties: { spec } });
  return crdManifest(group, { plural, singular: 'thing', kind, listKind: 'ThingList' }, [version], more);
}

function conditionsOf(object: JsonObject): readonly string[] {
  const conditions = at(object, 'status.conditions') as readonly JsonObject[] | undefined;
  return (conditions ?? []).map(({ type, status }) => `${plain(type ?? '')}=${plain(status ?? '')}`);
}

export const OBJECT_CASES: readonly ConformanceCase[] = [
  {
    name: 'freezes selectors and templates',
    items: [46, 147],
    run: async (t) => {
      const path = `/apis/apps/v1/namespaces/${t.namespace}/deployments`;
      const made = await t.call('POST', path, 201, workload('Deployment', 'd', {}));
      const moved = JSON.parse(JSON.stringify(made).replaceAll('"app":"d"', '"app":"e"')) as JsonValue;
      await t.call('PUT', `${path}/d`, '422 Invalid: spec.selector: Invalid value', moved);
      const jobs = `/apis/batch/v1/namespaces/${t.namespace}/jobs`;
      await t.call('POST', jobs, 201, workload('Job', 'j', {}));
      const other = { spec: { template: { spec: { containers: [{ name: 'c', image: 'other' }] } } } };
      await t.call('STRATEGIC', `${jobs}/j`, '422 Invalid: field is immutable', other);
      const labelled = await t.call('MERGE', `${path}/d/status`, 200, {
        metadata: { labels: { x: 'y' } },
        status: { replicas: 1 },
      });
      same(
        [at(labelled, 'metadata.labels.x'), at(labelled, 'status.replicas')],
        [undefined, 1],
        'labels by way of the status',
      );
    },
  },
  {
    name: 'checks disruption budgets before it evicts',
    items: [53],
    run: async (t) => {
      const metadata = { name: 'p', labels: { app: 'p' } };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'c', image: 'i' }] } };
      await t.call('POST', t.core('pods'), 201, pod);
      const bind = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
      await t.call('POST', `${t.core('pods')}/p/binding`, 201, bind);
      const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await t.call('STRATEGIC', `${t.core('pods')}/p/status`, 200, { status: ready });
      const budgets = `/apis/policy/v1/namespaces/${t.namespace}/poddisruptionbudgets`;
      const spec = { minAvailable: 1, selector: { matchLabels: { app: 'p' } } };
      await t.call('POST', budgets, 201, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b' },
        spec,
      });
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
      const counted = {
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      };
      await t.call('MERGE', `${budgets}/b/status`, 200, { status: counted });
      const refused = await t.call('POST', `${t.core('pods')}/p/eviction`, '429 TooManyRequests', eviction);
      same(at(refused, 'details.causes.0.reason'), 'DisruptionBudget', 'the cause');
      await t.call('MERGE', `${budgets}/b/status`, 200, { status: { disruptionsAllowed: 1 } });
      await t.call('POST', `${t.core('pods')}/p/eviction`, 201, eviction);
      check(
        at(await t.call('GET', `${t.core('pods')}/p`, 200), 'metadata.deletionTimestamp') !== undefined,
        'the pod stays',
      );
    },
  },
  {
    name: 'never conflicts on patches without a version',
    items: [64, 159],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, widget('a'));
      await t.call('MERGE', `${t.widgets}/a/status`, 200, { status: { phase: 'Ready' } });
      await Promise.all(
        [1, 2, 3, 4].map((n) => t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { labels: { [`l${n}`]: 'x' } } })),
      );
      const { metadata } = await t.call('GET', `${t.widgets}/a`, 200);
      same(Object.keys(at(metadata, 'labels') as JsonObject).toSorted(), ['l1', 'l2', 'l3', 'l4'], 'the labels');
      await t.call('PUT', `${t.widgets}/a`, '409 Conflict', made);
    },
  },
  {
    name: 'merges applied lists by their list types',
    items: [71, 161],
    run: async (t) => {
      const apply = (
        manager: string,
        spec: JsonObject,
        metadata: JsonObject = {},
        expected: Expected = 200,
      ): Promise<JsonObject> =>
        t.call('APPLY', `${t.widgets}/a?fieldManager=${manager}`, expected, widget('a', spec, metadata));
      await t.call('POST', t.widgets, 201, widget('a'));
      await apply('one', { tags: ['x'], parts: [{ name: 'p' }], plainList: [1] }, { finalizers: ['example.com/one'] });
      const both = await apply(
        'two',
        { tags: ['y'], parts: [{ name: 'q', count: 2 }] },
        { finalizers: ['example.com/two'] },
      );
      same(
        [at(both, 'spec.tags'), at(both, 'spec.parts.1.name'), at(both, 'metadata.finalizers')],
        [['x', 'y'], 'q', ['example.com/one', 'example.com/two']],
        'the merged lists',
      );
      await apply('two', { plainList: [2] }, {}, '409: conflict with "one": .spec.plainList');
      await apply('two', { nothing: 1 }, {}, '500: .spec.nothing: field not declared in schema');
      await apply('two', { tags: ['y', 'y'] }, {}, '500: duplicate');
      await t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { finalizers: null } });
    },
  },
  {
    name: 'resets owners of fields on request',
    items: [142],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, widget('a'));
      check((at(made, 'metadata.managedFields') as JsonValue[]).length === 1, 'no manager owns what was created');
      const reset = await t.call('MERGE', `${t.widgets}/a/status`, 200, {
        metadata: { managedFields: [] },
        status: { phase: 'x' },
      });
      same((at(reset, 'metadata.managedFields') as JsonValue[]).length, 2, 'owners after a write to the status');
      const cleared = await t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { managedFields: [{}] } });
      same(at(cleared, 'metadata.managedFields'), undefined, 'owners after a reset');
    },
  },
  {
    name: "updates kubectl's last-applied annotation",
    items: [73],
    run: async (t) => {
      const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
      const old = JSON.stringify(configMap('k', { a: '1' }));
      await t.call(
        'POST',
        t.core('configmaps'),
        201,
        configMap('k', { a: '1' }, { annotations: { [annotation]: old } }),
      );
      const path = `${t.core('configmaps')}/k?fieldManager=kubectl&force=true`;
      const applied = await t.call('APPLY', path, 200, configMap('k', { a: '2' }));
      const { annotations } = applied['metadata'] as { readonly annotations?: { readonly [key: string]: string } };
      check(
        (annotations?.[annotation] ?? '').includes('"a":"2"'),
        'the annotation still shows what was applied before',
      );
    },
  },
  {
    name: 'ends a deletion when the last finalizer is removed, also after writes by other clients',
    items: [81],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a', { size: 1 }, { finalizers: ['example.com/x'] }));
      const going = await t.call('DELETE', `${t.widgets}/a`, 200);
      check(at(going, 'metadata.deletionTimestamp') !== undefined, 'it does not terminate');
      await t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { labels: { x: 'y' } } });
      await t.call('MERGE', `${t.widgets}/a/status`, 200, { metadata: { finalizers: null }, status: { phase: 'x' } });
      await t.call('GET', `${t.widgets}/a`, 200);
      await t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { finalizers: null } });
      await t.call('GET', `${t.widgets}/a`, 404);
    },
  },
  {
    name: 'uses one version counter for all resources',
    items: [93],
    run: async (t) => {
      const version = async (path: string, body: JsonObject): Promise<number> =>
        Number(at(await t.call('POST', path, 201, body), 'metadata.resourceVersion'));
      const first = await version(t.widgets, widget('a'));
      const second = await version(t.core('configmaps'), configMap('a'));
      const third = await version(t.widgets, widget('b'));
      check(first < second && second < third, `versions are ${first}, ${second}, ${third}`);
    },
  },
  {
    name: 'serves lists at an exact past version',
    items: [152],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, widget('a'));
      const version = plain(at(made, 'metadata.resourceVersion'));
      await t.call('POST', t.widgets, 201, widget('b'));
      const past = await t.call('GET', `${t.widgets}?resourceVersion=${version}&resourceVersionMatch=Exact`, 200);
      same(
        [(past['items'] as readonly JsonValue[]).length, at(past, 'metadata.resourceVersion')],
        [1, version],
        'the past',
      );
    },
  },
  {
    name: 'watches metadata, and reports every change',
    items: [162, 165],
    run: async (t) => {
      const { metadata } = await t.call('GET', t.widgets, 200);
      const from = plain(at(metadata, 'resourceVersion'));
      const only = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
      const stream = await t.client.watch({
        method: 'GET',
        path: `${t.widgets}?watch=true&resourceVersion=${from}`,
        headers: { accept: only },
      });
      const any = await t.client.watch({
        method: 'GET',
        path: `${t.widgets}?watch=true&resourceVersion=${from}`,
        headers: { accept: '*/*' },
      });
      await t.call('POST', t.widgets, 201, widget('a'));
      await t.call('MERGE', `${t.widgets}/a`, 200, { spec: { size: 2 } });
      await t.call('MERGE', `${t.widgets}/a/status`, 200, { status: { phase: 'x' } });
      same(await t.events(stream, 3), ['ADDED a', 'MODIFIED a', 'MODIFIED a'], 'the events');
      same(
        [at(stream.events[0]?.object, 'kind'), at(stream.events[0]?.object, 'spec')],
        ['PartialObjectMetadata', undefined],
        'the object',
      );
      same(
        await t.events(any, 3),
        ['ADDED a', 'MODIFIED a', 'MODIFIED a'],
        'the events for a client that accepts anything',
      );
    },
  },
  {
    name: 'reports an expired version inside the stream',
    items: [166],
    run: async (t) => {
      // Version 1 is older than any server's history.
      const stream = await t.watch(`${t.widgets}?watch=true&resourceVersion=1`);
      check(await stream.until(({ type }) => type === 'ERROR', 10_000), 'no error comes');
      const { object } = stream.events.find(({ type }) => type === 'ERROR') ?? { object: null };
      same([at(object, 'kind'), at(object, 'code'), at(object, 'reason')], ['Status', 410, 'Expired'], 'the error');
      stream.close();
    },
  },
  {
    name: 'refuses invalid definitions',
    items: [119],
    run: async (t) => {
      const wrong = definition(t, 'things');
      await t.call('POST', CRDS, '422 Invalid: must be spec.names.plural+"."+spec.group', {
        ...wrong,
        metadata: { name: 'x' },
      });
      const loose = definition(t, 'things', {
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { properties: { a: {} } } } }],
      });
      await t.call('POST', CRDS, '422 Invalid: must not be empty at the root', loose);
    },
  },
  {
    name: 'serves every version, and cleans up after a definition',
    items: [120, 121, 126],
    run: async (t) => {
      const group = `${t.namespace}.example.com`;
      const versions = (definition(t, 'things') as { spec: { versions: readonly JsonObject[] } }).spec.versions;
      const [first = {}] = versions;
      const both = definition(t, 'things', {
        versions: [
          first,
          { ...first, name: 'v2', storage: false },
          { ...first, name: 'v3', served: false, storage: false },
        ],
      });
      await t.call('POST', CRDS, 201, both);
      const path = (version: string): string => `/apis/${group}/${version}/namespaces/${t.namespace}/things`;
      await t.served(path('v2'));
      const body = {
        apiVersion: `${group}/v1`,
        kind: 'Thing',
        metadata: { name: 'a', finalizers: ['example.com/x'] },
        spec: { n: 5 },
      };
      await t.call('POST', path('v1'), 201, body);
      same((await t.call('GET', `${path('v2')}/a`, 200))['apiVersion'], `${group}/v2`, 'the version');
      await t.call('GET', path('v3'), 404);
      const stored = await t.call('GET', `${CRDS}/things.${group}`, 200);
      same(at(stored, 'status.storedVersions'), ['v1'], 'the stored versions');

      // A stricter schema tolerates invalid fields that do not change (ratcheting).
      const strict = JSON.parse(JSON.stringify(stored).replaceAll('"maximum":5', '"maximum":3')) as JsonValue;
      await t.call('PUT', `${CRDS}/things.${group}`, 200, strict);
      await t.until(`${path('v1')}/a?dryRun=All`, 422, { ...body, metadata: { name: 'a' }, spec: { n: 4 } });
      const ratcheted = await t.call('MERGE', `${path('v1')}/a`, 200, { spec: { m: 1 } });
      same(at(ratcheted, 'spec'), { m: 1, n: 5 }, 'the spec');

      await t.call('DELETE', `${CRDS}/things.${group}`, 200);
      check(conditionsOf(await t.call('GET', `${CRDS}/things.${group}`, 200)).length > 0, 'no conditions');
      await t.call('MERGE', `${path('v1')}/a`, 200, { metadata: { finalizers: null } });
      await t.gone(`${CRDS}/things.${group}`);
    },
  },
  {
    name: 'serves the kinds that controllers use',
    items: [129, 130],
    run: async (t) => {
      const { resources } = await t.call('GET', '/api/v1', 200);
      const names = new Set((resources as readonly { readonly name: string }[]).map(({ name }) => name));
      for (const name of [
        'configmaps',
        'endpoints',
        'events',
        'nodes',
        'persistentvolumeclaims',
        'pods',
        'secrets',
        'serviceaccounts',
        'services',
      ])
        check(names.has(name), `${name} are not served`);
      const { groups } = await t.call('GET', '/apis', 200);
      const served = (groups as readonly { readonly name: string }[]).map(({ name }) => name);
      for (const name of [
        'apps',
        'batch',
        'autoscaling',
        'policy',
        'coordination.k8s.io',
        'discovery.k8s.io',
        'networking.k8s.io',
        'rbac.authorization.k8s.io',
        'scheduling.k8s.io',
        'storage.k8s.io',
        'apiextensions.k8s.io',
        'admissionregistration.k8s.io',
      ])
        check(served.includes(name), `${name} is not served`);
      const about = { kind: 'Pod', name: 'p', namespace: t.namespace };
      await t.call('POST', t.core('events'), 201, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: about,
        reason: 'R',
        message: 'm',
      });
      const twin = await t.call('GET', `/apis/events.k8s.io/v1/namespaces/${t.namespace}/events/e`, 200);
      same([twin['note'], at(twin, 'regarding.name')], ['m', 'p'], 'the same event in its other form');
    },
  },
];
