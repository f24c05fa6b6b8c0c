import { describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { decodeProtobuf } from '../../wire/protobuf/envelope.ts';
import { configMap, CONFIGMAPS_PATH, testServer, widget, WIDGETS_PATH } from '../testing.ts';
import { encodeBody, eventEncoder, type EncodedBody } from './encode.ts';
import { negotiate, negotiateRefusal, type Wanted } from './negotiate.ts';

const { server, request } = testServer();
request('POST', CONFIGMAPS_PATH, configMap('a'));
request('POST', WIDGETS_PATH, widget('a'));

function asking(path: string, accept?: string, more: Partial<ApiRequest> = {}): ApiRequest {
  return { method: 'GET', path, query: {}, headers: accept === undefined ? {} : { accept }, ...more };
}

function wanted(path: string, accept?: string, watching = false): Wanted | ApiResponse {
  return negotiate(asking(path, accept), server.routeOf(path), watching);
}

const ALL = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAMS = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
const META = 'v=v1;g=meta.k8s.io';
const CONFIG_MAP = `${CONFIGMAPS_PATH}/a`;
const WIDGET = `${WIDGETS_PATH}/a`;

/** The choices of kube-apiserver 1.36.3. */
const CHOSEN: readonly (readonly [accept: string | undefined, chosen: string])[] = [
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
  ['application/json;q=0.1,application/yaml', 'yaml'],
  ['application/json;charset=utf-8', 'json'],
  ['application/json;stream=watch', 'json'],
  ['application/vnd.kubernetes.protobuf,application/json', 'protobuf'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
  [`application/json;as=Table;${META}`, 'json Table'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'json Table'],
  [`application/yaml;as=Table;${META}`, 'yaml Table'],
  [`application/json;as=Foo;${META},application/json;as=Table;${META}`, 'json Table'],
  [`application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;${META}`, 'protobuf PartialObjectMetadata'],
];

it.each(CHOSEN)('answers Accept %j with %s (19, 20, 21)', (accept, chosen) => {
  const want = wanted(CONFIG_MAP, accept);

  expect('media' in want && [want.media, want.as].filter((one) => one !== undefined).join(' ')).toBe(chosen);
});

describe('refuses with 406', () => {
  const first = (types: string): string => `406: Not Acceptable\n\nAvailable representations: ${types}`;
  const second = (types: string): string => `only the following media types are accepted: ${types}`;

  it.each([
    [CONFIG_MAP, 'text/html', false, first(ALL)],
    [CONFIG_MAP, 'application/*', false, first(ALL)],
    [CONFIG_MAP, 'APPLICATION/JSON', false, first(ALL)],
    [CONFIG_MAP, ';;', false, first(ALL)],
    [CONFIGMAPS_PATH, 'text/html', false, first(`${ALL}, ${STREAMS}`)],
    [CONFIGMAPS_PATH, 'application/yaml', true, second(STREAMS)],
    [CONFIG_MAP, `application/json;as=Foo;${META}`, false, second(ALL)],
    [CONFIG_MAP, 'application/json;as=Table;v=v1', false, second(ALL)],
    [CONFIG_MAP, `application/vnd.kubernetes.protobuf;as=Table;${META}`, false, second(ALL)],
    [CONFIG_MAP, 'application/json;sv=v2', false, second(ALL)],
    [WIDGET, 'text/html', false, second(ALL)],
    [WIDGET, 'application/vnd.kubernetes.protobuf', false, second(ALL)],
  ])('%s for %j, watching: %j (16, 19)', (path, accept, watching, message) => {
    expect(wanted(path, accept, watching)).toMatchObject({ code: 406, body: { reason: 'NotAcceptable', message } });
  });
});

it('offers no table for virtual kinds and subresource actions (20)', () => {
  const accept = `application/json;as=Table;${META}`;
  const message =
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

  expect(negotiate(asking(review, accept, { method: 'POST' }), undefined, false)).toMatchObject({ body: { message } });
  expect(wanted('/api/v1/namespaces/default/pods/a/eviction', accept)).toMatchObject({ body: { message } });
  expect(wanted('/api/v1/namespaces/default/pods/a/status', accept)).toMatchObject({ as: 'Table' });
});

it('offers protobuf only for the metadata of custom resources (16)', () => {
  expect(wanted(WIDGET, 'application/vnd.kubernetes.protobuf,application/json')).toMatchObject({ media: 'json' });
  expect(wanted(WIDGET, `application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;${META}`)).toMatchObject({
    media: 'protobuf',
  });
});

it('refuses in a media type that the client accepts', () => {
  expect(negotiateRefusal(asking(WIDGET, 'application/vnd.kubernetes.protobuf')).media).toBe('protobuf');
  expect(negotiateRefusal(asking(WIDGET, `application/yaml;as=Table;${META}`)).media).toBe('json');
  expect(negotiateRefusal(asking(WIDGET, 'text/html')).media).toBe('json');
});

it('indents for browsers and command lines, and on request (22)', () => {
  const agent = (name: string, query = {}): Wanted | ApiResponse =>
    negotiate(asking(WIDGET, undefined, { headers: { 'user-agent': name }, query }), server.routeOf(WIDGET), false);

  expect(agent('curl/8')).toMatchObject({ pretty: true });
  expect(agent('curl/8', { pretty: 'false' })).toMatchObject({ pretty: false });
  expect(agent('x', { pretty: '1' })).toMatchObject({ pretty: true });
  expect(agent('x', { pretty: 'maybe' })).toMatchObject({ pretty: false });
  expect(wanted(WIDGET, 'application/json;pretty=1')).toMatchObject({ pretty: true });
});

describe('an answer', () => {
  function answered(path: string, accept: string): EncodedBody {
    const want = wanted(path, accept);
    if (!('media' in want)) throw new Error('not acceptable');
    return encodeBody(want, request('GET', path), asking(path, accept));
  }

  it('is one line of JSON with a line end', () => {
    const { type, payload } = answered(CONFIG_MAP, 'application/json');

    expect(type).toBe('application/json');
    expect(payload).toMatch(/^\{"kind":"ConfigMap","apiVersion":"v1",[^\n]*\}\n$/);
    expect(JSON.parse(String(payload))).toEqual(request('GET', CONFIG_MAP).body);
  });

  it('is protobuf (16)', () => {
    const { type, payload } = answered(CONFIGMAPS_PATH, 'application/vnd.kubernetes.protobuf');

    expect(type).toBe('application/vnd.kubernetes.protobuf');
    expect(decodeProtobuf(payload as Buffer)).toMatchObject({ body: { items: [{ metadata: { name: 'a' } }] } });
  });

  it('is YAML with sorted keys', () => {
    const { type, payload } = answered(CONFIG_MAP, 'application/yaml');

    expect(type).toBe('application/yaml');
    expect(payload).toMatch(/^apiVersion: v1\n.*kind: ConfigMap\nmetadata:\n/s);
  });

  it('is metadata alone, for an object or a list, but not the other (21)', () => {
    const one = `application/json;as=PartialObjectMetadata;${META}`;
    const many = `application/json;as=PartialObjectMetadataList;${META}`;

    expect(JSON.parse(String(answered(WIDGET, one).payload))).toMatchObject({ kind: 'PartialObjectMetadata' });
    expect(JSON.parse(String(answered(WIDGETS_PATH, many).payload))).toMatchObject({
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
    });
    expect(answered(CONFIGMAPS_PATH, one)).toMatchObject({ code: 406 });
    expect(JSON.parse(String(answered(CONFIGMAPS_PATH, one).payload))).toMatchObject({
      message: 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
    });
    expect(JSON.parse(String(answered(WIDGET, many).payload))).toMatchObject({
      message:
        'you requested PartialObjectMetadataList, but the requested object is not a list (*unstructured.Unstructured)',
    });
  });

  it('is a table whose rows include the requested object form (20)', () => {
    const accept = `application/json;as=Table;${META}`;
    const want = wanted(CONFIG_MAP, accept) as Wanted;
    const row = (includeObject: string): unknown => {
      const query = { includeObject };
      const { payload } = encodeBody(want, request('GET', CONFIG_MAP), asking(CONFIG_MAP, accept, { query }));
      return (JSON.parse(String(payload)) as { rows?: readonly { object: unknown }[] }).rows?.[0]?.object;
    };

    expect(row('')).toMatchObject({ kind: 'PartialObjectMetadata' });
    expect(row('Object')).toMatchObject({ kind: 'ConfigMap' });
    expect(row('None')).toBeNull();
    expect(row('Foo')).toBeUndefined();
  });

  it('of failure is never transformed', () => {
    const { code, payload } = answered(`${CONFIGMAPS_PATH}/none`, `application/json;as=Table;${META}`);

    expect([code, JSON.parse(String(payload))]).toMatchObject([404, { kind: 'Status' }]);
  });
});

describe('a watch', () => {
  const object = request('GET', CONFIG_MAP).object;

  it('sends its columns once (20)', () => {
    const accept = `application/json;as=Table;${META}`;
    const encoder = eventEncoder(wanted(CONFIGMAPS_PATH, accept, true) as Wanted, asking(CONFIGMAPS_PATH, accept));
    const columns = (): unknown => {
      const text = String(encoder.encode({ type: 'ADDED', object }));
      return (JSON.parse(text) as { object: { columnDefinitions: unknown } }).object.columnDefinitions;
    };

    expect(columns()).toHaveLength(3);
    expect(columns()).toBeNull();
  });

  it('shares the bytes of an event among all watches', () => {
    const want = wanted(CONFIGMAPS_PATH, '*/*', true) as Wanted;
    const encoders = [1, 2].map(() => eventEncoder(want, asking(CONFIGMAPS_PATH)));

    const [first, second] = encoders.map((encoder) => encoder.encode({ type: 'MODIFIED', object }));

    expect(first).toBe(second);
    expect(String(first)).toBe(`{"type":"MODIFIED","object":${JSON.stringify(JSON.parse(String(first)).object)}}\n`);
  });

  it('frames protobuf (17)', () => {
    const want = wanted(CONFIGMAPS_PATH, 'application/vnd.kubernetes.protobuf', true) as Wanted;
    const encoder = eventEncoder(want, asking(CONFIGMAPS_PATH));

    const frame = encoder.encode({ type: 'ADDED', object }) as Buffer;

    expect(encoder.type).toBe('application/vnd.kubernetes.protobuf;stream=watch');
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  });
});
