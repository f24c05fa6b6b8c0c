import { describe, expect, it } from 'vitest';
import {
  CONFIGMAPS_PATH,
  configMap,
  MERGE,
  testServer,
  widget,
  WIDGETS_PATH,
  type Answer,
  type TestServer,
} from '../testing.ts';

function names(answer: Answer): readonly string[] {
  return (answer.object['items'] as readonly { metadata: { name: string } }[]).map((item) => item.metadata.name);
}

/** Returns the continue token of a list. */
function tokenOf(answer: Answer): string {
  const token = answer.object.metadata['continue'];
  return typeof token === 'string' ? token : '';
}

function five(): TestServer {
  const made = testServer();
  for (const name of ['a', 'b', 'c', 'd', 'e']) made.request('POST', CONFIGMAPS_PATH, configMap(name));
  return made;
}

describe('get', () => {
  it('answers 504 to a future version, with a retry hint (29, 108)', () => {
    const { request, server } = five();

    expect(request('GET', `${CONFIGMAPS_PATH}/a?resourceVersion=999`)).toMatchObject({
      code: 504,
      headers: { 'retry-after': '1' },
      body: {
        message: `Timeout: Too large resource version: 999, current: ${server.revision}`,
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
      },
    });
  });

  it('answers 404 in an unknown namespace, and an empty list (170)', () => {
    const { request } = five();

    expect(request('GET', '/api/v1/namespaces/nowhere/configmaps/a').code).toBe(404);
    expect(request('GET', '/api/v1/namespaces/nowhere/configmaps')).toMatchObject({ code: 200, body: { items: [] } });
  });
});

describe('list', () => {
  it('orders by namespace and name and pages at one version (32, 149)', () => {
    const { request } = five();
    const first = request('GET', `${CONFIGMAPS_PATH}?limit=2`);
    const { resourceVersion, remainingItemCount } = first.object.metadata;
    request('POST', CONFIGMAPS_PATH, configMap('bb'));
    request('DELETE', `${CONFIGMAPS_PATH}/c`);

    const second = request('GET', `${CONFIGMAPS_PATH}?limit=2&continue=${tokenOf(first)}`);
    const third = request('GET', `${CONFIGMAPS_PATH}?limit=2&continue=${tokenOf(second)}`);

    expect([names(first), names(second), names(third)]).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(remainingItemCount).toBe(3);
    expect(second.object.metadata.resourceVersion).toBe(resourceVersion);
    expect(third.object.metadata).not.toHaveProperty('continue');
    expect(JSON.parse(atob(tokenOf(first)))).toMatchObject({ v: 'meta.k8s.io/v1', start: '/b\0' });
  });

  it('ignores the limit at version 0 (31)', () => {
    const { request } = five();

    expect(names(request('GET', `${CONFIGMAPS_PATH}?limit=2&resourceVersion=0`))).toHaveLength(5);
  });

  it('has no next page with a metadata.name selector (87)', () => {
    const { request } = testServer();
    for (const name of ['a', 'b']) request('POST', CONFIGMAPS_PATH, configMap(name));

    const one = request('GET', `${CONFIGMAPS_PATH}?limit=1&fieldSelector=metadata.name%3Da`);
    expect(names(one)).toEqual(['a']);
    expect(tokenOf(one)).toBe('');
    const others = request('GET', `${CONFIGMAPS_PATH}?limit=1&fieldSelector=metadata.name!%3Dc`);
    expect(tokenOf(others)).not.toBe('');
  });

  it('returns exactly a past version when asked (31, 152)', () => {
    const { request, server } = five();
    const then = server.revision;
    request('PATCH', `${CONFIGMAPS_PATH}/a`, { data: { changed: 'yes' } }, MERGE);
    request('DELETE', `${CONFIGMAPS_PATH}/b`);
    request('POST', CONFIGMAPS_PATH, configMap('f'));

    const exact = request('GET', `${CONFIGMAPS_PATH}?resourceVersion=${then}&resourceVersionMatch=Exact`);

    expect(names(exact)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(exact.object.metadata.resourceVersion).toBe(String(then));
    expect((exact.object['items'] as readonly object[])[0]).not.toHaveProperty('data');
    const newer = request('GET', `${CONFIGMAPS_PATH}?resourceVersion=${then}&resourceVersionMatch=NotOlderThan`);
    expect(names(newer)).toEqual(['a', 'c', 'd', 'e', 'f']);
  });

  it('answers 410 to expired versions and tokens; the new token continues inconsistently (32)', () => {
    const { request, server } = five();
    const first = request('GET', `${CONFIGMAPS_PATH}?limit=2`);
    const then = server.revision;
    request('POST', CONFIGMAPS_PATH, configMap('cc'));
    server.expireBefore(server.revision);

    const exact = request('GET', `${CONFIGMAPS_PATH}?resourceVersion=${then}&resourceVersionMatch=Exact`);
    const stale = request('GET', `${CONFIGMAPS_PATH}?limit=9&continue=${tokenOf(first)}`);

    expect(exact).toMatchObject({
      code: 410,
      body: { reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
    });
    expect(stale).toMatchObject({ code: 410, body: { reason: 'Expired' } });
    const rest = request('GET', `${CONFIGMAPS_PATH}?continue=${tokenOf(stale)}`);
    expect(names(rest)).toEqual(['c', 'cc', 'd', 'e']);
  });

  it('validates its options (32)', () => {
    const { request } = five();
    const ask = (query: string): Answer => request('GET', `${CONFIGMAPS_PATH}?${query}`);

    expect(ask('resourceVersionMatch=Exact')).toMatchObject({
      code: 422,
      body: {
        message:
          'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      },
    });
    expect(ask('resourceVersionMatch=Exact&resourceVersion=0').code).toBe(422);
    expect(ask('sendInitialEvents=true').code).toBe(422);
    expect(ask('resourceVersion=abc')).toMatchObject({ code: 400 });
    expect(ask('continue=nonsense')).toMatchObject({ code: 400 });
    const token = tokenOf(ask('limit=1'));
    expect(ask(`continue=${token}&resourceVersion=3`)).toMatchObject({
      code: 400,
      body: { message: 'specifying resource version is not allowed when using continue' },
    });
  });

  it('lists all namespaces (149)', () => {
    const { request } = five();
    request('POST', '/api/v1/namespaces/kube-public/configmaps', configMap('z'));

    expect(names(request('GET', '/api/v1/configmaps'))).toEqual(['a', 'b', 'c', 'd', 'e', 'z']);
  });
});

describe('selectors', () => {
  it.each([
    ['app=x', ['a']],
    ['app==x', ['a']],
    ['app!=x', ['b', 'c']],
    ['app in (x, y)', ['a', 'b']],
    ['app notin (x)', ['b', 'c']],
    ['app', ['a', 'b']],
    ['!app', ['c']],
    ['app,tier=t', ['b']],
    ['n>1', ['c']],
  ])('understand the label selector %s (32)', (selector, expected) => {
    const { request } = testServer();
    const labels = { a: { app: 'x' }, b: { app: 'y', tier: 't' }, c: { n: '2' } };
    for (const [name, given] of Object.entries(labels))
      request('POST', CONFIGMAPS_PATH, configMap(name, {}, { labels: given }));

    expect(names(request('GET', `${CONFIGMAPS_PATH}?labelSelector=${encodeURIComponent(selector)}`))).toEqual(expected);
  });

  it('refuse invalid syntax as 400', () => {
    const { request } = testServer();

    expect(request('GET', `${CONFIGMAPS_PATH}?labelSelector=${encodeURIComponent('a in x')}`).code).toBe(400);
  });

  it('select by name and by declared fields, and refuse other fields as 400 (32, 127, 163)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a', { colour: 'blue' }));
    request('POST', WIDGETS_PATH, widget('b'));

    expect(names(request('GET', `${WIDGETS_PATH}?fieldSelector=metadata.name%3Db`))).toEqual(['b']);
    expect(names(request('GET', `${WIDGETS_PATH}?fieldSelector=spec.colour%3Dblue`))).toEqual(['a']);
    expect(request('GET', `${WIDGETS_PATH}?fieldSelector=spec.size%3D1`)).toMatchObject({
      code: 400,
      body: { message: 'field label not supported: spec.size' },
    });
    expect(request('GET', `${CONFIGMAPS_PATH}?fieldSelector=data.a%3D1`)).toMatchObject({
      code: 400,
      body: { message: '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"' },
    });
  });
});
