import { afterEach, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap, testServer, widget, WIDGETS_PATH, type TestServer } from '../testing.ts';
import { serveHttp, type HttpServer } from './serve.ts';

let http: HttpServer | undefined;

afterEach(async () => {
  await http?.close();
  http = undefined;
});

async function serve(
  options: { readonly watchTimeoutSeconds?: number } = {},
): Promise<TestServer & { readonly url: string }> {
  const made = testServer();
  http = await serveHttp(made.server, options);
  return { ...made, url: http.url };
}

it('answers with exactly application/json (18)', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}${CONFIGMAPS_PATH}`);

  expect(response.headers.get('content-type')).toBe('application/json');
});

it('makes OpenAPI documents cacheable, and sends no content type without content (11)', async () => {
  const { url } = await serve();
  const index = await fetch(`${url}/openapi/v3`);
  const { paths } = (await index.json()) as { paths: { [path: string]: { serverRelativeURL: string } } };

  const known = await fetch(`${url}/openapi/v3`, { headers: { 'if-none-match': index.headers.get('etag') ?? '' } });
  const document = await fetch(`${url}${paths['version']?.serverRelativeURL}`);

  expect([known.status, known.headers.get('content-type')]).toEqual([304, null]);
  expect(document.headers.get('expires')).toMatch(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} UTC$/);
});

it('reads YAML bodies and treats a missing content type as JSON (14)', async () => {
  const { url, server } = await serve();

  const yaml = await fetch(`${url}${CONFIGMAPS_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: b\n',
  });
  const bytes = new TextEncoder().encode(JSON.stringify(configMap('j')));
  const bare = await fetch(`${url}${CONFIGMAPS_PATH}`, { method: 'POST', body: bytes });

  expect([yaml.status, bare.status]).toEqual([201, 201]);
  expect(server.object('configmaps', 'default', 'from-yaml')).toMatchObject({ data: { a: 'b' } });
});

it('refuses other body types as 415 and lists the accepted ones (14)', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}${CONFIGMAPS_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'a,b',
  });

  expect(response.status).toBe(415);
  expect(await response.json()).toMatchObject({
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  });
});

it('refuses a body that is not JSON as 400', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}${CONFIGMAPS_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });

  expect(response.status).toBe(400);
});

it('refuses a body beyond 3 MiB as 413 (110)', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}${CONFIGMAPS_PATH}`, { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024 + 1) });

  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ message: 'Request entity too large: limit is 3145728' });
});

it('refuses an unacceptable Accept header as 406 (19)', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}${WIDGETS_PATH}`, {
    headers: { accept: 'application/vnd.kubernetes.protobuf' },
  });

  expect(response.status).toBe(406);
});

it('answers an unknown path with plain text (8)', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}/apis/unknown.example.com/v1/things`);

  expect(response.status).toBe(404);
  expect(await response.text()).toBe('404 page not found\n');
});

it('sends list items of built-in kinds without kind, those of custom resources with it', async () => {
  const { url, request } = await serve();
  request('POST', CONFIGMAPS_PATH, configMap('a'));
  request('POST', WIDGETS_PATH, widget('a'));

  const configMaps = (await (await fetch(`${url}${CONFIGMAPS_PATH}`)).json()) as { items: object[] };
  const widgets = (await (await fetch(`${url}${WIDGETS_PATH}`)).json()) as { items: object[] };

  expect(configMaps.items[0]).not.toHaveProperty('kind');
  expect(widgets.items[0]).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1' });
});

it('sends only metadata when asked (21)', async () => {
  const { url, request } = await serve();
  request('POST', WIDGETS_PATH, widget('a'));

  const response = await fetch(`${url}${WIDGETS_PATH}`, {
    headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
  });

  expect(await response.json()).toMatchObject({
    kind: 'PartialObjectMetadataList',
    items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
  });
});

it('quotes any text in a warning, byte by byte', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}${CONFIGMAPS_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...configMap('a'), 日本: 1 }),
  });

  expect(response.status).toBe(201);
  expect(Buffer.from(response.headers.get('warning') ?? '', 'latin1').toString()).toBe(
    '299 - "unknown field \\"日本\\""',
  );
});

it.each([
  ['watch=True', ''],
  ['watch=', ''],
  ['watch=False', 'ConfigMapList'],
  ['watch=0', 'ConfigMapList'],
])('reads %s as Go does', async (query, kind) => {
  const { url } = await serve();

  const response = await fetch(`${url}${CONFIGMAPS_PATH}?${query}&timeoutSeconds=1`);

  const text = await response.text();
  expect(text === '' ? '' : (JSON.parse(text) as { kind: string }).kind).toBe(kind);
});

it('accepts a namespace called watch', async () => {
  const { url } = await serve();

  const response = await fetch(`${url}/api/v1/namespaces/watch/configmaps`, {
    headers: { accept: 'application/yaml' },
  });

  expect(response.status).toBe(200);
});

it('streams watch events as lines of JSON and ends after timeoutSeconds (87, 95)', async () => {
  const { url, request } = await serve();

  const response = await fetch(`${url}${WIDGETS_PATH}?watch=1&timeoutSeconds=1`);
  request('POST', WIDGETS_PATH, widget('a'));
  const text = await response.text();

  expect(response.headers.get('transfer-encoding')).toBe('chunked');
  expect(text.endsWith('\n')).toBe(true);
  expect(JSON.parse(text)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
});

it('tells its upstream when a watching client disconnects', async () => {
  const abort = new AbortController();
  let gone = (): void => {};
  const cancelled = new Promise<string>((resolve) => {
    gone = () => resolve('cancelled');
  });
  http = await serveHttp({
    send: (_request, sink) => {
      sink.open();
      return gone;
    },
  });
  await fetch(`${http.url}${WIDGETS_PATH}?watch=1`, { signal: abort.signal });

  abort.abort();

  expect(await cancelled).toBe('cancelled');
});

it('tells its upstream when a client disconnects before the answer', async () => {
  const abort = new AbortController();
  let gone = (): void => {};
  const cancelled = new Promise<string>((resolve) => {
    gone = () => resolve('cancelled');
  });
  http = await serveHttp({
    send: () => {
      abort.abort();
      return gone;
    },
  });
  await expect(fetch(`${http.url}${WIDGETS_PATH}`, { signal: abort.signal })).rejects.toThrow('aborted');

  expect(await cancelled).toBe('cancelled');
});

it('indents for browsers and command lines (22)', async () => {
  const { url } = await serve();

  const text = await (await fetch(`${url}/version`, { headers: { 'user-agent': 'curl/8' } })).text();

  expect(text.split('\n').length).toBeGreaterThan(3);
});

it('reuses the bytes of a large list until one of its objects changes', async () => {
  const { url, request } = await serve();
  for (let at = 0; at < 150; at++) request('POST', CONFIGMAPS_PATH, configMap(`c${at}`, { a: 'old' }));
  const list = async (): Promise<string> => (await fetch(`${url}${CONFIGMAPS_PATH}`)).text();

  const before = await list();
  const again = await list();
  request('PUT', `${CONFIGMAPS_PATH}/c7`, configMap('c7', { a: 'new' }));
  const after = await list();

  expect(again).toBe(before);
  expect(before).not.toContain('"new"');
  expect(after).toContain('"new"');
  expect((JSON.parse(after) as { items: readonly unknown[] }).items).toHaveLength(150);
});
