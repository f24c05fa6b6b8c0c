/** Conformance cases found by comparing random sequences: order of checks, repeated causes, odd versions. */
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { plain } from '../differential/compare.ts';
import { at, configMap, same, widget, type ConformanceCase } from './case.ts';

const UNVERSIONED = '422 Invalid: metadata.resourceVersion: Invalid value: 0';

function fieldsOf(refused: JsonObject): readonly string[] {
  const fields = (at(refused, 'details.causes') as readonly JsonObject[]).map(({ field }) => plain(field));
  return fields.sort((a, b) => a.localeCompare(b));
}

export const DIFFERENCE_CASES: readonly ConformanceCase[] = [
  {
    name: 'refuses patches that remove the version of a custom resource',
    items: [37, 62],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a'));
      for (const resourceVersion of [null, '', '0'])
        await t.call('MERGE', `${t.widgets}/a`, UNVERSIONED, { metadata: { resourceVersion }, spec: { size: 2 } });
      await t.call('POST', t.core('configmaps'), 201, configMap('a'));
      const free = { metadata: { resourceVersion: null }, data: { a: '2' } };
      same(at(await t.call('MERGE', `${t.core('configmaps')}/a`, 200, free), 'data.a'), '2', 'the data');
    },
  },
  {
    name: 'compares names and namespaces before versions',
    items: [33],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a'));
      for (const wrong of [{ name: 'b' }, { namespace: 'elsewhere' }])
        await t.call('MERGE', `${t.widgets}/a`, '400 BadRequest', {
          metadata: { resourceVersion: '1', ...wrong },
        });
      await t.call('MERGE', `${t.widgets}/a`, 409, { metadata: { resourceVersion: '1' } });
    },
  },
  {
    name: 'reports changes of immutable fields twice, and of labels three times',
    items: [39],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a'));
      const wrong = { metadata: { uid: 'other', labels: { 'a b': 'x' } } };
      const refused = await t.call('MERGE', `${t.widgets}/a`, 422, wrong);
      same(
        fieldsOf(refused),
        ['metadata.labels', 'metadata.labels', 'metadata.labels', 'metadata.uid', 'metadata.uid'],
        'the fields',
      );
    },
  },
  {
    name: 'reads a scale with the checks of its object',
    items: [51],
    run: async (t) => {
      const scale = `${t.widgets}/a/scale`;
      await t.call('GET', `${scale}?resourceVersion=abc`, '500 (no reason): invalid syntax');
      const named = (name: string, spec: JsonObject): JsonObject => ({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name },
        spec,
      });
      await t.call('PUT', scale, '400: does not match the name on the URL', named('b', {}));
      await t.call('PUT', scale, '400: no kind is registered', named('a', { replicas: 'x' }));
      await t.call('PUT', scale, 404, named('a', { replicas: 1 }));
      await t.call('POST', t.widgets, 201, widget('a'));
      const claimed = { ...named('a', {}), metadata: { name: 'a', managedFields: [] } };
      await t.call('APPLY', `${scale}?fieldManager=m`, '500 (no reason): failed to create manager', claimed);
      await t.call('MERGE', scale, '400: ".spec.replicas" cannot be empty', { metadata: {} });
      await t.call('JSON', scale, 200, [{ op: 'remove', path: '/spec/replicas' }]);
      await t.call('MERGE', scale, UNVERSIONED, { metadata: { resourceVersion: '0' }, spec: { replicas: 2 } });
      await t.call('STRATEGIC', `${scale}?force=true`, 415, { spec: { replicas: 2 } });
    },
  },
  {
    name: 'keeps a given generation of kinds without generations',
    items: [43],
    run: async (t) => {
      const made = await t.call('POST', t.core('configmaps'), 201, configMap('a', {}, { generation: 7 }));
      same(at(made, 'metadata.generation'), 7, 'the generation');
      const changed = await t.call('MERGE', `${t.core('configmaps')}/a`, 200, {
        metadata: { generation: 9 },
        data: { a: '2' },
      });
      same(at(changed, 'metadata.generation'), 7, 'the generation after a change');
    },
  },
  {
    name: 'merges owner references without a uid, and refuses them in validation',
    items: [40],
    run: async (t) => {
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o' }];
      for (const body of [widget('a', { size: 1 }, { ownerReferences }), configMap('a', {}, { ownerReferences })]) {
        const path = body['kind'] === 'Widget' ? t.widgets : t.core('configmaps');
        const refused = await t.call('APPLY', `${path}/a?fieldManager=m`, 422, body);
        same(fieldsOf(refused), ['metadata.ownerReferences.uid'], 'the fields');
      }
      const bytes = { ...configMap('a'), binaryData: { b: '!' } };
      const unreadable = '500 (no reason): failed to convert new object (/a; /v1, Kind=ConfigMap)';
      await t.call('APPLY', `${t.core('configmaps')}/a?fieldManager=m`, unreadable, bytes);
    },
  },
  {
    name: 'answers with an empty object when a dry run removes the last finalizer',
    items: [79],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a', { size: 1 }, { finalizers: ['orphan'] }));
      const answer = await t.call('DELETE', `${t.widgets}/a?dryRun=All&propagationPolicy=Background`, 200);
      same([answer['kind'], answer['metadata'], answer['spec']], ['Widget', undefined, undefined], 'the answer');
      same(at(await t.call('GET', `${t.widgets}/a`, 200), 'metadata.finalizers'), ['orphan'], 'the finalizers');
    },
  },
  {
    name: 'keeps deletion marks in objects that an apply creates, and drops them on POST',
    items: [156],
    run: async (t) => {
      const marked = { deletionTimestamp: '2020-01-01T00:00:00Z' };
      const posted = await t.call('POST', t.widgets, 201, widget('posted', { size: 1 }, marked));
      same(at(posted, 'metadata.deletionTimestamp'), undefined, 'the mark of what is posted');
      const body = widget('applied', { size: 1 }, marked);
      const applied = await t.call('APPLY', `${t.widgets}/applied?fieldManager=m`, 201, body);
      same(at(applied, 'metadata.deletionTimestamp'), marked.deletionTimestamp, 'the mark of what is applied');
    },
  },
  {
    name: 'writes on every apply to a custom resource with empty metadata members, and once after it',
    items: [42, 63],
    run: async (t) => {
      const version = async (word: string, metadata: JsonObject): Promise<JsonValue> => {
        const body = word === 'APPLY' ? widget('a', { size: 1 }, metadata) : { metadata };
        const path = `${t.widgets}/a${word === 'APPLY' ? '?fieldManager=m' : ''}`;
        return at(await t.call(word, path, 200, body), 'metadata.resourceVersion') ?? null;
      };
      await t.call('APPLY', `${t.widgets}/a?fieldManager=m`, 201, widget('a', { size: 1 }));
      for (const empty of [{ labels: {} }, { finalizers: [] }, { ownerReferences: [] }, { annotations: { a: null } }]) {
        let versions: readonly JsonValue[] = [];
        // The second apply changes only a timestamp in managedFields, so a real server writes it only if a new second has begun since the
        // first.
        for (let tries = 0; tries < 3 && new Set(versions).size < 3; tries++)
          versions = [await version('APPLY', empty), await version('APPLY', empty), await version('MERGE', {})];
        same(new Set(versions).size, 3, `versions after ${JSON.stringify(empty)}`);
        same(await version('MERGE', {}), versions[2] ?? null, 'the version after nothing');
      }
    },
  },
];
