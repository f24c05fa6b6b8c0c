import { expect, it } from 'vitest';
import { Territory } from './territory.ts';

const territory = (): Territory => new Territory({ namespaces: ['own'], own: new Set() });
const PODS = '/api/v1/namespaces/own/pods';

it.each([
  [`${PODS}/web/exec?command=ls`, [], true],
  [`${PODS}/web/portforward`, ['Upgrade', 'SPDY/3.1'], true],
  [`${PODS}/web/exec`, ['Impersonate-User', 'system:admin'], false],
  [`${PODS}/web/exec`, ['impersonate-extra-scopes', 'all'], false],
  [`${PODS}/web/exec`, ['X-Remote-User', 'system:admin'], false],
  [`${PODS}/web/exec`, ['Accept', 'impersonate-user'], true],
  ['/api/v1/namespaces/theirs/pods/web/exec', [], false],
  ['/api/v1/namespaces/own/../theirs/pods/web/exec', [], false],
  ['/api/v1/namespaces/own%2f..%2ftheirs/pods/web/exec', [], false],
  ['/api/v1/nodes/n/proxy/namespaces/own/pods', [], false],
  ['/api/v1/nodes/n/proxy/run', [], false],
] as const)('lets a connection to %s with %j through: %s', (target, headers, isLet) => {
  const fence = territory();

  expect(fence.mayTunnel({ target, headers })).toBe(isLet);
  expect(fence.refusals).toHaveLength(isLet ? 0 : 1);
});

it.each([
  { 'impersonate-user': 'a' },
  { 'Impersonate-Group': 'a' },
  { 'impersonate-uid': '1' },
  { 'X-Remote-Group': 'a' },
])('sends no request, watch or read with %j', (headers) => {
  const [method, path] = ['GET', PODS] as const;

  expect(territory().refusalOf({ method, path, query: {}, headers }, new Map())?.code).toBe(403);
  expect(territory().refusalOf({ method, path, query: { watch: '1' }, headers }, new Map())?.code).toBe(403);
  expect(territory().refusalOf({ method, path, query: {}, headers: {} }, new Map())).toBeUndefined();
});

it('reports the first of many refusals of a kind', () => {
  const fence = territory();
  for (const name of ['a', 'b', 'b', 'c'])
    fence.refusalOf(
      { method: 'DELETE', path: `/api/v1/namespaces/theirs/pods/${name}`, query: {}, headers: {} },
      new Map(),
    );

  expect(fence.refusals).toEqual([
    'delete pods "a" in "theirs": not sent, the run is only about its own namespaces (own)',
  ]);
});

it.each([
  ['/', undefined],
  ['/version', undefined],
  ['/apis/apps/v1', undefined],
  ['/openapi/v3/api/v1', undefined],
  ['/logs/kube-apiserver-audit.log', 403],
  ['/debug/pprof/heap', 403],
  ['/metrics', 403],
])('reads of %s only what the server says of itself: %s', (path, code) => {
  expect(territory().refusalOf({ method: 'GET', path, query: {}, headers: {} }, new Map())?.code).toBe(code);
});

// A server decodes each path segment before it interprets it.
it.each([
  ['/api/v1/nodes/n/pr%6fxy/pods', 403],
  ['/api/v1/%6eamespaces/theirs/services/s/pr%6fxy/metrics', 403],
  ['/api/v1/%6eamespaces/theirs/pods/p/pr%6fxy/metrics', 403],
  ['/api/v1/namespaces/own/services/s/pr%6fxy/metrics', undefined],
  ['/api/v1/namespaces/own/services/s/proxy/%ff/metrics', 403],
])('reads %s as a server does: %s', (path, code) => {
  expect(territory().refusalOf({ method: 'GET', path, query: {}, headers: {} }, new Map())?.code).toBe(code);
});

// A Go server ignores parameters with a malformed encoding: it would list where we saw a watch, and write where we saw a dry run.
it.each([
  ['GET', { watch: '%zz' }, 403],
  ['GET', { watch: '1;' }, 403],
  ['POST', { dryRun: '%zz' }, 403],
  ['POST', { dryRun: 'All;' }, 403],
  ['GET', { watch: 'true', labelSelector: 'a=%' }, undefined],
  ['POST', { dryRun: 'All' }, undefined],
] as const)('sends no %s that a server may read otherwise, with %j: %s', (method, query, code) => {
  const kind = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
  const kinds = new Map([['configmaps', kind]]);
  const path = '/api/v1/namespaces/own/configmaps';

  expect(territory().refusalOf({ method, path, query, headers: {} }, kinds)?.code).toBe(code);
});
