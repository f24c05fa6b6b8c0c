/**
 * Malformed and unusual queries.
 *
 * Owns: data and arbitraries only. `NS` in a target stands for the namespace of the batch.
 */
import * as fc from 'fast-check';
import { GROUP } from '../differential/crds.ts';
import type { FuzzRequest } from './client.ts';
import { cells, words } from '../differential/word-lists.ts';

const PARAMETERS = words(`
  limit continue resourceVersion resourceVersionMatch timeoutSeconds timeout sendInitialEvents
  allowWatchBookmarks labelSelector fieldSelector fieldManager fieldValidation dryRun force gracePeriodSeconds
  propagationPolicy orphanDependents pretty includeObject watch preconditions
  ignoreStoreReadErrorWithClusterBreakingPotential shardSelector exact export includeUninitialized kind
  apiVersion
`);
const VALUES = [
  '',
  ...words(`
    0 1 -1 2 abc true false True TRUE t yes 1.5 1e3 99999999999999999999 9223372036854775807 9223372036854775808
    -9223372036854775808 +1 %201 1%20 0x10 %00 %C3%A9 %FF %F0%9F%98%80
  `),
  'a'.repeat(200),
  'a'.repeat(5000),
  ...words(`
    1ns -1s 1h1m 5 1s null [] {} All all None Strict Warn Ignore strict Exact NotOlderThan exact Orphan Background
    Foreground foreground Metadata Object %22 %27 %5C a%0Ab
  `),
];
const LABELS = [
  ...cells(`
    a | !a | a=b | a==b | a!=b | a in (b) | a in (b,c) | a in () | a notin (b,) | a in (,) | a in b | a in (b | a,
    ,a | a,,b | a= | =b | = | ! | !!a | a b | a=b c | a=b=c | a>1 | a<x | a> | (a) | ) | a.b/c=d | a/b/c=d | /a=b
    a/=b | -a | a- | a=-b | a=b- | A=B | a=b,a!=b | a in (b),c
  `),
  'a\tin\t(b)',
  ...cells(`a in(b) | in | notin | in in (in) | a gt 1 | a=é | é=a | a="b" | a='b'`),
  'a\\=b',
  ...cells(`
    ${'a'.repeat(64)}=b | a=${'b'.repeat(64)} | ${'x'.repeat(254)}/a=b | a in (b c) | a in ((b)) | a=(b) | a!b
    a! | a>=1 | a=<1 | a===b | a!==b | !a=b | !a in (b)
  `),
  ' ',
  ' a ',
  'a\u0000b',
  ...cells(`
    a=b, | A.b-c_d | a notin b | a notin ( | a in (b), | exists | a in (b)c | a=b;c=d | {a: b} | % | a>1.5 | a>-1
    a<99999999999999999999 | UPPER.DOMAIN/a | a.-b/c
  `),
];
const FIELDS = [
  ...cells(`
    metadata.name=a | metadata.name==a | metadata.name!=a | metadata.name | metadata.name= | =a | = | !=
    metadata.namespace=NS | metadata.namespace!=NS | metadata.namespace=other | spec.nodeName=n
    status.phase=Pending | spec.x=y | a | a=b | metadata.name=a,metadata.name=b | metadata.name=a,
    ,metadata.name=a | ,,
  `),
  'metadata.name=a\\,b',
  'metadata.name=a\\b',
  'metadata.name=a\\',
  'metadata.name=a=b',
  'metadata.name=a\\=b',
  ...cells('metadata.name in (a) | metadata.labels.a=b | metadata.uid=x | metadata.name=a!=b | metadata.name!a'),
  ' metadata.name=a',
  ...cells(`
    metadata.name =a | metadata.name= a | METADATA.NAME=a | metadata.name=é | type=x | involvedObject.name=x
    spec.replicas=1 | status.podIP=1 | spec.colour=red | spec.unschedulable=true | metadata.name=BAD_NAME
    metadata.name=a/b | metadata.name=% | status.successful=1
  `),
  'a\\=b=c',
  '\\',
  'a\\,b=c',
  'metadata.name>a',
];

const PAIRS = words(`
  labelSelector & = %zz=1 limit a;b=c limit=1;x=2 watch limit=%zz ? dryRun pretty limit%3D1 LIMIT=1
  resourceversion=1 resourceVersion=10&resourceVersionMatch=Exact
  sendInitialEvents=true&resourceVersionMatch=NotOlderThan
  watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan
  continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9 continue=e30 continue=bnVsbA
  continue=W10 continue=eyJ2IjoidjIifQ continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6IngifQ
  continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9hIn0 continue=eyJ2Ijox dryRun=All&dryRun=All
  dryRun=Some&dryRun=All fieldManager=a&fieldManager=b
`);

const pair = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...PARAMETERS), fc.constantFrom(...VALUES))
      .map(([key, value]) => `${key}=${value}`),
  },
  { weight: 2, arbitrary: fc.constantFrom(...LABELS).map((text) => `labelSelector=${encodeURIComponent(text)}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...FIELDS).map((text) => `fieldSelector=${encodeURIComponent(text)}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...PAIRS),
  },
);

const PLACES = words(`
  /api/v1/namespaces/NS/configmaps /api/v1/namespaces/NS/configmaps/c /api/v1/namespaces/NS/pods
  /api/v1/namespaces/NS/pods/p /apis/apps/v1/namespaces/NS/deployments /apis/apps/v1/namespaces/NS/deployments/d
  /api/v1/namespaces/NS/events /api/v1/nodes /api/v1/namespaces /api/v1/namespaces/NS/secrets
  /apis/batch/v1/namespaces/NS/jobs /apis/coordination.k8s.io/v1/namespaces/NS/leases
  /apis/${GROUP}/v1/namespaces/NS/widgets /apis/${GROUP}/v1/namespaces/NS/widgets/w
  /apis/${GROUP}/v1/namespaces/NS/widgets/w/status /apis/${GROUP}/v1/namespaces/NS/widgets/w/scale
  /apis/${GROUP}/v1/globals /apis/apps/v1/namespaces/NS/deployments/d/scale
  /apis/apps/v1/namespaces/NS/deployments/d/status /api/v1/namespaces/NS/pods/p/status
  /api/v1/watch/namespaces/NS/configmaps /api/v1/watch/namespaces/NS/configmaps/c /api/v1/configmaps
  /api/v1/namespaces/NS/pods/p/log /api/v1/namespaces/NS/pods/p/eviction /api/v1/namespaces/NS/pods/p/binding
  /api /apis /version
`);

/** Requests with unusual queries. */
export const queryRequests: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE'),
    target: fc.constantFrom(...PLACES),
    pairs: fc.array(pair, { minLength: 1, maxLength: 3 }),
    type: fc.constantFrom(
      'application/merge-patch+json',
      'application/json-patch+json',
      'application/apply-patch+yaml',
    ),
    accept: fc.constantFrom(
      '',
      '',
      '',
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    ),
  })
  .filter(({ method, target }) => !(method === 'DELETE' && /^\/api\/v1\/n[^/]*$/.test(target)))
  .map(({ method, target, pairs, type, accept }) => {
    const body =
      method === 'PATCH'
        ? type.includes('json-patch')
          ? '[]'
          : '{"metadata":{"labels":{"q":"1"}}}'
        : method === 'POST' || method === 'PUT'
          ? '{"metadata":{"name":"q"}}'
          : undefined;
    return {
      area: 'query',
      method,
      target: `${target}?${pairs.join('&')}`,
      headers: {
        ...(accept === '' ? {} : { accept }),
        ...(body === undefined ? {} : { 'content-type': method === 'PATCH' ? type : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    };
  });
