/** Conformance cases about writes: creations, versions, subresources, patches, apply, deletions. */
import { plain } from '../differential/compare.ts';
import { at, check, configMap, same, widget, type ConformanceCase } from './case.ts';

export const WRITE_CASES: readonly ConformanceCase[] = [
  {
    name: 'fills in metadata on create',
    items: [24, 43, 134, 150, 169],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, widget('a', {}, { uid: 'mine', generation: 9 }));
      check(/^[0-9a-f-]{36}$/.test(plain(at(made, 'metadata.uid'))), 'the uid is not the server’s');
      same([at(made, 'metadata.generation'), typeof at(made, 'metadata.resourceVersion')], [1, 'string'], 'metadata');
    },
  },
  {
    name: 'refuses invalid creations',
    items: [25, 26, 27, 28, 107, 109],
    run: async (t) => {
      await t.call(
        'POST',
        t.widgets,
        '500 (no reason): resourceVersion should not be set',
        widget('a', {}, { resourceVersion: '5' }),
      );
      await t.call('POST', t.widgets, 201, widget('a'));
      await t.call('POST', t.widgets, '409 AlreadyExists: "a" already exists', widget('a'));
      await t.call('POST', t.widgets, '422 Invalid: name or generateName is required', widget(''));
      const named = await t.call('POST', t.widgets, 201, { ...widget(''), metadata: { generateName: 'gen-' } });
      check(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(plain(at(named, 'metadata.name'))), 'an odd generated name');
      const elsewhere = t.widgets.replace(t.namespace, 'nowhere');
      await t.call('POST', elsewhere, '404 NotFound: namespaces "nowhere" not found', widget('a'));
      await t.call(
        'POST',
        t.widgets,
        '400 BadRequest: does not match the namespace',
        widget('b', {}, { namespace: 'other' }),
      );
    },
  },
  {
    name: 'locks optimistically',
    items: [33, 34, 37, 38, 50, 157, 158],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, widget('a'));
      const version = plain(at(made, 'metadata.resourceVersion'));
      await t.call('PUT', `${t.widgets}/a`, '422 Invalid: must be specified for an update', widget('a', { size: 2 }));
      await t.call('PUT', `${t.widgets}/a`, 200, widget('a', { size: 2 }, { resourceVersion: version }));
      await t.call(
        'PUT',
        `${t.widgets}/a`,
        '409 Conflict: the object has been modified',
        widget('a', { size: 3 }, { resourceVersion: version }),
      );
      await t.call(
        'PUT',
        `${t.widgets}/a`,
        '500: invalid syntax',
        widget('a', { size: 3 }, { resourceVersion: 'abc' }),
      );
      await t.call('POST', t.core('configmaps'), 201, configMap('a'));
      await t.call('PUT', `${t.core('configmaps')}/a`, 200, configMap('a', { a: '2' }));
      const wrong = configMap('a', {}, { uid: '00000000-0000-4000-8000-000000000000' });
      await t.call('PUT', `${t.core('configmaps')}/a`, '409 Conflict: Precondition failed: UID in precondition', wrong);
    },
  },
  {
    name: 'creates on update only where the kind allows it',
    items: [35, 36, 131],
    run: async (t) => {
      await t.call('PUT', `${t.core('configmaps')}/none`, '404 NotFound', configMap('none'));
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${t.namespace}/leases`;
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };
      await t.call('PUT', `${leases}/l`, 201, lease);
      await t.call('PUT', `${leases}/l`, '422 Invalid: must be specified for an update', lease);
      await t.call('PUT', `${t.core('configmaps')}/b`, '400: does not match the name on the URL', configMap('a'));
    },
  },
  {
    name: 'treats unchanged writes as no-ops',
    items: [42, 63, 72],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, widget('a'));
      const again = await t.call('PUT', `${t.widgets}/a`, 200, made);
      same(at(again, 'metadata.resourceVersion'), at(made, 'metadata.resourceVersion'), 'the version after a PUT');
      const patched = await t.call('MERGE', `${t.widgets}/a`, 200, { spec: { size: 1 } });
      same(at(patched, 'metadata.resourceVersion'), at(made, 'metadata.resourceVersion'), 'the version after a patch');
      const apply = `${t.widgets}/b?fieldManager=m`;
      const first = await t.call('APPLY', apply, 201, widget('b'));
      const second = await t.call('APPLY', apply, 200, widget('b'));
      same(at(second, 'metadata.resourceVersion'), at(first, 'metadata.resourceVersion'), 'the version after an apply');
    },
  },
  {
    name: 'restores immutable metadata',
    items: [39, 40, 45, 62],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a'));
      await t.call('MERGE', `${t.widgets}/a`, '422 Invalid', {
        metadata: { uid: '00000000-0000-4000-8000-000000000000' },
      });
      await t.call('MERGE', `${t.widgets}/a`, '422 Invalid', {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o' }] },
      });
      await t.call('MERGE', `${t.widgets}/a`, '422 Invalid', {
        metadata: { finalizers: ['orphan', 'foregroundDeletion'] },
      });
      const warned = await t.reply('MERGE', `${t.widgets}/a`, 200, { metadata: { finalizers: ['short'] } });
      check(String(warned.headers['warning']).includes('prefer a domain-qualified finalizer name'), 'no warning');
    },
  },
  {
    name: 'keeps status and spec apart',
    items: [43, 48, 49],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, { ...widget('a'), status: { phase: 'X' } });
      same(made['status'], undefined, 'the status after create');
      const patch = {
        status: { phase: 'Ready' },
        spec: { size: 9 },
        metadata: { labels: { a: 'b' }, finalizers: ['x.io/y'] },
      };
      const after = await t.call('MERGE', `${t.widgets}/a/status`, 200, patch);
      same(
        [
          at(after, 'status.phase'),
          at(after, 'spec.size'),
          at(after, 'metadata.labels'),
          at(after, 'metadata.generation'),
        ],
        ['Ready', 1, undefined, 1],
        'the object',
      );
      const main = await t.call('MERGE', `${t.widgets}/a`, 200, { status: { phase: 'Lost' }, spec: { size: 2 } });
      same([at(main, 'status.phase'), at(main, 'metadata.generation')], ['Ready', 2], 'the object');
      await t.call('GET', `${t.widgets.replace('widgets', 'plains')}/a/status`, 404);
    },
  },
  {
    name: 'reads and writes scales',
    items: [51],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a', { replicas: 1 }));
      const scale = {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', namespace: t.namespace },
        spec: { replicas: 3 },
      };
      same(at(await t.call('PUT', `${t.widgets}/a/scale`, 200, scale), 'spec.replicas'), 3, 'the replicas');
      same(at(await t.call('GET', `${t.widgets}/a`, 200), 'metadata.generation'), 2, 'the generation');
      await t.call('PUT', `${t.widgets}/a/scale`, '422 Invalid', { ...scale, spec: { replicas: -1 } });
    },
  },
  {
    name: 'binds pods and deletes them gracefully',
    items: [47, 52, 83],
    run: async (t) => {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      };
      const made = await t.call('POST', t.core('pods'), 201, pod);
      same([at(made, 'spec.restartPolicy'), at(made, 'status.phase')], ['Always', 'Pending'], 'defaults');
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p' },
        target: { kind: 'Node', name: 'n' },
      };
      await t.call('POST', `${t.core('pods')}/p/binding`, 201, binding);
      await t.call('POST', `${t.core('pods')}/p/binding`, '409 Conflict: already assigned to node', binding);
      same(
        at(await t.call('DELETE', `${t.core('pods')}/p`, 200), 'metadata.deletionGracePeriodSeconds'),
        30,
        'the grace',
      );
      await t.call('GET', `${t.core('pods')}/p`, 200);
      await t.call('DELETE', `${t.core('pods')}/p?gracePeriodSeconds=0`, 200);
      await t.call('GET', `${t.core('pods')}/p`, '404 NotFound');
    },
  },
  {
    name: 'deletes namespaces in two steps',
    items: [28, 54],
    run: async (t) => {
      const made = await t.call('GET', `/api/v1/namespaces/${t.namespace}`, 200);
      same([at(made, 'status.phase'), at(made, 'spec.finalizers.0')], ['Active', 'kubernetes'], 'the namespace');
      same(
        at(await t.call('DELETE', `/api/v1/namespaces/${t.namespace}`, 200), 'status.phase'),
        'Terminating',
        'the phase',
      );
      await t.call('POST', t.core('configmaps'), '403 Forbidden: because it is being terminated', configMap('a'));
      await t.call('DELETE', '/api/v1/namespaces/default', '403: this namespace may not be deleted');
    },
  },
  {
    name: 'supports four patch types',
    items: [56, 57, 58, 59, 60, 61, 143],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a'));
      await t.call('STRATEGIC', `${t.widgets}/a`, '415 UnsupportedMediaType', {});
      await t.call(
        'JSON',
        `${t.widgets}/a`,
        '422 Invalid: the server rejected our request due to an error in our request',
        [{ op: 'test', path: '/spec/size', value: 7 }],
      );
      await t.call('JSON', `${t.widgets}/a`, 200, [
        { op: 'test', path: '/metadata/finalizers', value: null },
        { op: 'replace', path: '/spec/note', value: 'n' },
      ]);
      await t.call('JSON', `${t.widgets}/a`, '422 Invalid', [{ op: 'remove', path: '/spec/absent' }]);
      same(
        at(await t.call('MERGE', `${t.widgets}/a`, 200, { spec: { size: null } }), 'spec.size'),
        undefined,
        'the size',
      );
      await t.call('POST', t.core('configmaps'), 201, configMap('c', {}, { finalizers: ['x.io/a'] }));
      const merged = await t.call('STRATEGIC', `${t.core('configmaps')}/c`, 200, {
        metadata: { finalizers: ['x.io/b'] },
      });
      same(at(merged, 'metadata.finalizers'), ['x.io/b', 'x.io/a'], 'finalizers');
      await t.call('MERGE', `${t.core('configmaps')}/none`, '404 NotFound', {});
    },
  },
  {
    name: 'applies server-side with owners and conflicts',
    items: [65, 66, 67, 68, 69, 70, 156, 160],
    run: async (t) => {
      await t.call('APPLY', `${t.widgets}/a`, '422 Invalid: is required for apply patch', widget('a'));
      const made = await t.call('APPLY', `${t.widgets}/a?fieldManager=one`, 201, widget('a', { size: 1, note: 'n' }));
      same(
        [at(made, 'metadata.managedFields.0.manager'), at(made, 'metadata.managedFields.0.operation')],
        ['one', 'Apply'],
        'the owner',
      );
      await t.call(
        'APPLY',
        `${t.widgets}/a?fieldManager=two`,
        '409 Conflict: Apply failed with 1 conflict: conflict with "one": .spec.size',
        widget('a', { size: 2 }),
      );
      await t.call('APPLY', `${t.widgets}/a?fieldManager=two&force=true`, 200, widget('a', { size: 2 }));
      const without = await t.call('APPLY', `${t.widgets}/a?fieldManager=one`, 200, widget('a', {}));
      same([at(without, 'spec.note'), at(without, 'spec.size')], [undefined, 2], 'the fields');
      await t.call('DELETE', `${t.widgets}/a`, 200);
      await t.call('APPLY', `${t.widgets}/a?fieldManager=one`, 201, widget('a'));
    },
  },
  {
    name: 'deletes with finalizers, preconditions and policies',
    items: [44, 74, 75, 76, 77, 78, 79, 80, 82, 84, 141, 154, 155],
    run: async (t) => {
      const made = await t.call('POST', t.widgets, 201, widget('a', {}, { finalizers: ['x.io/y'] }));
      await t.call('DELETE', `${t.widgets}/a`, '409 Conflict: does not match the UID in record', {
        preconditions: { uid: 'x' },
      });
      const stream = await t.watch(
        `${t.widgets}?watch=true&resourceVersion=${plain(at(made, 'metadata.resourceVersion'))}`,
      );
      const marked = await t.call('DELETE', `${t.widgets}/a`, 200);
      same([at(marked, 'metadata.deletionGracePeriodSeconds'), at(marked, 'metadata.generation')], [0, 2], 'the marks');
      await t.call('POST', t.widgets, '409: object is being deleted: ', widget('a'));
      await t.call('MERGE', `${t.widgets}/a`, '422 Invalid: no new finalizers can be added', {
        metadata: { finalizers: ['x.io/y', 'x.io/z'] },
      });
      await t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { finalizers: null } });
      same(await t.events(stream, 2), ['MODIFIED a', 'DELETED a'], 'the events');
      await t.call('DELETE', `${t.widgets}/a`, '404 NotFound');
      await t.call('POST', t.widgets, 201, widget('b'));
      const held = await t.call('DELETE', `${t.widgets}/b?propagationPolicy=Foreground`, 200);
      same(at(held, 'metadata.finalizers.0'), 'foregroundDeletion', 'the finalizer');
      await t.call('POST', t.widgets, 201, widget('c'));
      same((await t.call('DELETE', `${t.widgets}/c`, 200))['status'], 'Success', 'the answer');
    },
  },
  {
    name: 'deletes collections',
    items: [85],
    run: async (t) => {
      for (const name of ['a', 'b']) await t.call('POST', t.widgets, 201, widget(name, {}, { labels: { app: name } }));
      const gone = await t.call('DELETE', `${t.widgets}?labelSelector=app%3Da`, 200);
      same((gone['items'] as readonly unknown[]).length, 1, 'what was deleted');
      await t.call('GET', `${t.widgets}/b`, 200);
    },
  },
  {
    name: 'supports dry runs',
    items: [86],
    run: async (t) => {
      const dry = await t.call('POST', `${t.widgets}?dryRun=All`, 201, widget('a'));
      same([typeof at(dry, 'metadata.uid'), at(dry, 'metadata.resourceVersion')], ['string', undefined], 'metadata');
      await t.call('GET', `${t.widgets}/a`, '404 NotFound');
      await t.call('POST', `${t.widgets}?dryRun=Some`, '422 Invalid', widget('a'));
    },
  },
  {
    name: 'validates fields as requested',
    items: [113, 122, 123, 124, 125, 128],
    run: async (t) => {
      const odd = widget('a', { sise: 1 });
      await t.call('POST', `${t.widgets}?fieldValidation=Strict`, '400: unknown field "spec.sise"', odd);
      const warned = await t.reply('POST', t.widgets, 201, odd);
      check(String(warned.headers['warning']).includes('unknown field \\"spec.sise\\"'), 'no warning');
      same(warned.object['spec'], { colour: 'red' }, 'the pruned and defaulted spec');
      await t.call(
        'POST',
        t.widgets,
        '422 Invalid: spec.size in body must be of type integer',
        widget('b', { size: 'x' }),
      );
      await t.call('POST', t.widgets, '422 Invalid: Unsupported value: "green"', widget('b', { colour: 'green' }));
      await t.call('POST', t.widgets, '422 Invalid: Duplicate value', widget('b', { tags: ['x', 'x'] }));
      await t.call('POST', t.widgets, '422 Invalid', widget('Bad_Name'));
      const ruled = {
        apiVersion: 'diff.example.com/v1',
        kind: 'Ruled',
        metadata: { name: 'r' },
        spec: { min: 3, max: 2 },
      };
      await t.call('POST', t.widgets.replace('widgets', 'ruleds'), '422 Invalid: min may not exceed max', ruled);
    },
  },
  {
    name: 'merges stringData of secrets and refuses changes of immutable ones',
    items: [145],
    run: async (t) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'x' } };
      const made = await t.call('POST', t.core('secrets'), 201, secret);
      same([made['stringData'], at(made, 'data.a')], [undefined, 'eA=='], 'the data');
      await t.call('POST', t.core('configmaps'), 201, { ...configMap('i'), immutable: true });
      await t.call('MERGE', `${t.core('configmaps')}/i`, '422 Invalid: field is immutable when `immutable` is set', {
        data: { a: '2' },
      });
    },
  },
];
