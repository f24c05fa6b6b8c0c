/** The requests that `http.ts` sends to both API servers. */

export interface LoadJob {
  readonly url: string;
  readonly token: string;
  readonly connections: number;
  /** Uses streams of one HTTP/2 connection instead of HTTP/1.1 connections. */
  readonly http2?: boolean;
  readonly seconds: number;
  readonly method: string;
  /** `%u` is replaced by the number of the request, which starts at `from`, and `%n` by that number modulo `modulo`. */
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  readonly from: number;
  readonly modulo: number;
  readonly countMax: number;
  /** The number of clients that watch the path `watch` during the requests; with 0, the requests themselves are measured. */
  readonly watchers: number;
  /** The path of the watch; the resource version to start from is appended. */
  readonly watch: string;
  /** The path of the list that returns the resource version to start from. */
  readonly list: string;
}

export interface LoadResult {
  readonly done: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly codes: { readonly [code: number]: number };
}

export type Kind = 'write' | 'read';

export interface NamedJob {
  readonly name: string;
  readonly kind: Kind;
  readonly job: Partial<LoadJob>;
}

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** The number of objects that reads, updates and patches cycle through. */
export const STOCK = 1000;

function configMap(name: string, value: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'bench', tier: 'backend' }, annotations: { note: 'x'.repeat(100) } },
    data: { key: value, other: 'y'.repeat(200) },
  });
}

/** Creates the {@link STOCK} objects, with a number of connections of its own. */
export const FILL: Partial<LoadJob> = {
  method: 'POST',
  path: CONFIGMAPS,
  body: configMap('stock-%n', '0'),
  contentType: 'application/json',
  countMax: STOCK,
  seconds: 60,
};

/** Creates objects up to a total of `count`, to measure their memory. */
export function fillTo(count: number): Partial<LoadJob> {
  return {
    ...FILL,
    path: '/api/v1/namespaces/kube-public/configmaps',
    body: configMap('more-%n', '0'),
    countMax: count,
  };
}

const patch = (name: string, contentType: string, body: unknown, query = ''): NamedJob => ({
  name,
  kind: 'write',
  job: {
    method: 'PATCH',
    path: `${CONFIGMAPS}/stock-%n${query}`,
    contentType,
    body: JSON.stringify(body),
    modulo: STOCK,
  },
});

/** The order matters: objects that are created by the first job are deleted by the last one. `%r` is replaced by the number of the run. */
export const JOBS: readonly NamedJob[] = [
  {
    name: 'create',
    kind: 'write',
    job: { method: 'POST', path: CONFIGMAPS, body: configMap('new-%r-%n', '0'), contentType: 'application/json' },
  },
  { name: 'get', kind: 'read', job: { method: 'GET', path: `${CONFIGMAPS}/stock-%n`, modulo: STOCK } },
  {
    name: 'update',
    kind: 'write',
    job: {
      method: 'PUT',
      path: `${CONFIGMAPS}/stock-%n`,
      body: configMap('stock-%n', '%u'),
      contentType: 'application/json',
      modulo: STOCK,
    },
  },
  patch('merge patch', 'application/merge-patch+json', { data: { key: 'm%u' } }),
  patch('json patch', 'application/json-patch+json', [{ op: 'replace', path: '/data/key', value: 'j%u' }]),
  patch('strategic', 'application/strategic-merge-patch+json', { data: { key: 's%u' } }),
  patch(
    'apply',
    'application/apply-patch+yaml',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stock-%n' }, data: { key: 'a%u' } },
    '?fieldManager=bench&force=true',
  ),
  { name: 'list of 1,000', kind: 'read', job: { method: 'GET', path: `${CONFIGMAPS}?limit=1000` } },
  {
    name: 'delete',
    kind: 'write',
    job: { method: 'DELETE', path: `${CONFIGMAPS}/new-%r-%n` },
  },
];

/** Consecutive updates; every watch receives all of them. */
export const FAN_OUT: Partial<LoadJob> = {
  method: 'PATCH',
  path: `${CONFIGMAPS}/stock-%n`,
  contentType: 'application/merge-patch+json',
  body: JSON.stringify({ data: { key: 'w%u' } }),
  modulo: STOCK,
  watch: `${CONFIGMAPS}?watch=1&resourceVersion=`,
  list: `${CONFIGMAPS}?limit=1`,
};
