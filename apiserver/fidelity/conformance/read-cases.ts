/** Conformance cases about reads: discovery, media types, lists, watches. */
import { plain } from '../differential/compare.ts';
import { at, check, configMap, same, widget, type ConformanceCase } from './case.ts';

const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

export const READ_CASES: readonly ConformanceCase[] = [
  {
    name: 'serves aggregated and plain discovery',
    items: [1, 3, 4, 5, 7],
    run: async (t) => {
      const first = await t.reply('GET', '/apis', 200, undefined, { accept: DISCOVERY });
      check(String(first.headers['content-type']).includes('as=APIGroupDiscoveryList'), 'no aggregated discovery');
      const etag = String(first.headers['etag']);
      check(/^"[0-9A-F]{128}"$/.test(etag), `the ETag is ${etag}`);
      await t.reply('GET', '/apis', 304, undefined, { accept: DISCOVERY, 'if-none-match': etag });
      same((await t.call('GET', '/api', 200))['kind'], 'APIVersions', 'the kind of /api');
      const { resources } = await t.call('GET', t.widgets.replace(/\/namespaces.*/, ''), 200);
      const one = (resources as readonly { readonly [key: string]: unknown }[]).find(({ name }) => name === 'widgets');
      same(
        one?.['verbs'],
        ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        'verbs',
      );
      same([one?.['singularName'], one?.['namespaced'], one?.['kind']], ['widget', true, 'Widget'], 'names');
    },
  },
  {
    name: 'answers unknown paths with plain text',
    items: [8, 13],
    run: async (t) => void (await t.reply('GET', '/apis/none.example.com/v1/x', '404: 404 page not found')),
  },
  {
    name: 'reports its version and health',
    items: [9, 10],
    run: async (t) => {
      const { major, minor } = await t.call('GET', '/version', 200);
      same([major, minor], ['1', '36'], 'the version');
      same((await t.reply('GET', '/readyz', 200)).body, 'ok', 'readyz');
    },
  },
  {
    name: 'negotiates content types',
    items: [14, 16, 18, 19],
    run: async (t) => {
      await t.reply('POST', t.core('configmaps'), '415 UnsupportedMediaType', 'x', {
        'content-type': 'text/x',
      });
      await t.reply('GET', t.core('configmaps'), '406 NotAcceptable', undefined, {
        accept: 'text/x',
      });
      const { headers } = await t.reply('GET', t.core('configmaps'), 200);
      same(headers['content-type'], 'application/json', 'the content type');
    },
  },
  {
    name: 'answers tables and metadata only',
    items: [20, 21],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a'));
      const table = await t.reply('GET', t.widgets, 200, undefined, {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      });
      same([table.object['kind'], at(table.body, 'rows.0.cells.0')], ['Table', 'a'], 'the table');
      const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
      const partial = await t.reply('GET', `${t.widgets}/a`, 200, undefined, { accept });
      same([partial.object['kind'], partial.object['spec']], ['PartialObjectMetadata', undefined], 'the metadata');
    },
  },
  {
    name: 'reads existing objects and empty lists',
    items: [29, 30, 32, 170],
    run: async (t) => {
      await t.call('GET', `${t.widgets}/none`, '404 NotFound: widgets.diff.example.com "none" not found');
      const list = await t.call('GET', t.widgets.replace(t.namespace, 'nowhere'), 200);
      same(list['items'], [], 'the items');
      check(Number(at(list, 'metadata.resourceVersion')) > 0, 'an empty list has a version');
      await t.call('GET', `${t.core('configmaps')}?resourceVersion=0&limit=1`, 200);
    },
  },
  {
    name: 'pages through lists at one version',
    items: [31, 32, 149],
    run: async (t) => {
      for (const name of ['a', 'b', 'c']) await t.call('POST', t.core('configmaps'), 201, configMap(name));
      const first = await t.call('GET', `${t.core('configmaps')}?limit=2`, 200);
      same(at(first, 'metadata.remainingItemCount'), 1, 'the remaining count');
      await t.call('POST', t.core('configmaps'), 201, configMap('d'));
      const next = plain(at(first, 'metadata.continue'));
      const second = await t.call('GET', `${t.core('configmaps')}?limit=2&continue=${next}`, 200);
      same((second['items'] as readonly unknown[]).length, 1, 'the second page');
      same(at(second, 'metadata.resourceVersion'), at(first, 'metadata.resourceVersion'), 'its version');
      const all = await t.call('GET', `${t.core('configmaps')}?resourceVersion=0&limit=1`, 200);
      same((all['items'] as readonly unknown[]).length, 4, 'the list at version 0');
      await t.call('GET', `${t.core('configmaps')}?continue=bad`, '400: invalid continue token');
      await t.call(
        'GET',
        `${t.core('configmaps')}?resourceVersionMatch=Exact`,
        '422 Invalid: forbidden unless resourceVersion is provided',
      );
    },
  },
  {
    name: 'selects by labels and fields',
    items: [32, 127, 163],
    run: async (t) => {
      await t.call('POST', t.widgets, 201, widget('a', { colour: 'blue' }, { labels: { app: 'x' } }));
      await t.call('POST', t.widgets, 201, widget('b'));
      for (const query of [
        'labelSelector=app',
        'labelSelector=app+in+(x,y)',
        'fieldSelector=metadata.name%3Da',
        'fieldSelector=spec.colour%3Dblue',
      ])
        same(((await t.call('GET', `${t.widgets}?${query}`, 200))['items'] as readonly unknown[]).length, 1, query);
      await t.call('GET', `${t.widgets}?fieldSelector=spec.size%3D1`, '400: field label not supported: spec.size');
      await t.call('GET', `${t.core('configmaps')}?fieldSelector=data%3D1`, '400: not a known field selector');
    },
  },
  {
    name: 'watches from a version, with selectors',
    items: [87, 88, 89, 90, 102, 139],
    run: async (t) => {
      const from = plain(at(await t.call('GET', t.widgets, 200), 'metadata.resourceVersion'));
      await t.call('POST', t.widgets, 201, widget('a', {}, { labels: { app: 'x' } }));
      await t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { labels: { app: 'y' } } });
      await t.call('MERGE', `${t.widgets}/a`, 200, { metadata: { labels: { app: 'x' } } });
      await t.call('DELETE', `${t.widgets}/a`, 200);
      const all = await t.watch(`${t.widgets}?watch=true&resourceVersion=${from}`);
      same(await t.events(all, 4), ['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a'], 'all events');
      const some = await t.watch(`${t.widgets}?watch=true&resourceVersion=${from}&labelSelector=app%3Dx`);
      same(await t.events(some, 4), ['ADDED a', 'DELETED a', 'ADDED a', 'DELETED a'], 'selected events');
    },
  },
  {
    name: 'streams initial events and their end',
    items: [91, 92, 94, 98, 99, 168],
    run: async (t) => {
      for (const name of ['b', 'a']) await t.call('POST', t.widgets, 201, widget(name));
      const list = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const stream = await t.watch(`${t.widgets}?watch=true&${list}`);
      same(await t.events(stream, 3), ['ADDED a', 'ADDED b', 'BOOKMARK -'], 'the events');
      same(
        at(stream.events[2]?.object, 'metadata.annotations'),
        { 'k8s.io/initial-events-end': 'true' },
        'the annotation',
      );
      const refused = await t.watch(`${t.widgets}?watch=true&sendInitialEvents=true`);
      same(refused.reply.code, 422, 'the code without a match');
      const plain = await t.watch(`${t.widgets}?watch=true`);
      same(await t.events(plain, 2), ['ADDED a', 'ADDED b'], 'the events of a plain watch');
    },
  },
];
