/**
 * Malformed and unusual paths.
 *
 * Owns: data and arbitraries only. `NS` in a target stands for the namespace of the batch.
 */
import * as fc from 'fast-check';
import { GROUP } from '../differential/crds.ts';
import type { FuzzRequest } from './client.ts';
import { words } from '../differential/word-lists.ts';

const METHODS = words('GET GET GET POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND');

/** Paths that name no resource, and paths that are not served at all. */
const OTHERS = words(`
  / /api /apis /api/ /apis/ /api/v1 /api/v1/ /api/v2 /api/v2/pods /apis/apps /apis/apps/ /apis/apps/v1
  /apis/apps/v1/ /apis/apps/v1beta1 /apis/apps/v1beta1/deployments
  /apis/apps/v1beta1/namespaces/NS/deployments/d /apis/nope /apis/nope/v1 /apis/nope/v1/things
  /apis/nope/v1/namespaces/NS/things/x /apis/${GROUP} /apis/${GROUP}/ /apis/${GROUP}/v1 /apis/${GROUP}/v9
  /apis/${GROUP}/v9/widgets /apis/${GROUP}/v1/nothings /apis/${GROUP}/v1/namespaces/NS/nothings
  /apis/${GROUP}/v1/namespaces/NS/nothings/x /openapi /openapi/ /openapi/v2 /openapi/v2/ /openapi/v3
  /openapi/v3/ /openapi/v4 /openapi/v3/api/v1 /openapi/v3/apis/nope/v1 /openapi/v3/apis/apps/v1
  /openapi/v3/version /healthz /healthz/ /healthz/ping /healthz/nope /livez /livez/etcd /readyz /readyz/shutdown
  /healthz?verbose /livez?exclude=etcd /readyz?verbose&exclude=nope /version /version/ /version/x /logs /logs/
  /ui /index.html /swagger.json /swaggerapi /robots.txt /favicon.ico /.well-known/openid-configuration
  /openid/v1/jwks /apis/authentication.k8s.io/v1/tokenreviews /apis/authorization.k8s.io/v1/subjectaccessreviews
  /apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x
  /apis/authorization.k8s.io/v1/namespaces/NS/localsubjectaccessreviews
  /apis/authentication.k8s.io/v1/selfsubjectreviews /api/v1/componentstatuses /api/v1/componentstatuses/etcd-0
  /api/v1/namespaces/NS/bindings /API/v1 /Api /apis/APPS/v1 /watch /proxy /api/v1/watch /api/v1/watch/
  /api/v1/proxy /api/v1/proxy/namespaces/NS/pods/p /api/v1/redirect /apis/apps/v1/watch /apis//v1
  /apis/apps//deployments /api//v1 /* /api/v1/* /%2e%2e/api /.. /. /api/v1/namespaces/NS/..
  /apis/metrics.k8s.io/v1beta1/nodes /apis/apiregistration.k8s.io/v1/apiservices/v1.apps
  /apis/apiregistration.k8s.io/v1/apiservices/v1.apps/status /apis/extensions/v1beta1/ingresses
`);

const GROUPS = [
  {
    root: '/api/v1',
    resources: words(`
      pods configmaps secrets services serviceaccounts endpoints events nothings Pods pod bindings
      replicationcontrollers persistentvolumeclaims resourcequotas limitranges podtemplates
    `),
    cluster: ['nodes', 'namespaces', 'persistentvolumes', 'componentstatuses', 'nothings'],
  },
  {
    root: '/apis/apps/v1',
    resources: ['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'controllerrevisions', 'nothings'],
    cluster: ['nothings'],
  },
  { root: '/apis/batch/v1', resources: ['jobs', 'cronjobs'], cluster: ['nothings'] },
  { root: '/apis/coordination.k8s.io/v1', resources: ['leases', 'nothings'], cluster: ['nothings'] },
  { root: '/apis/policy/v1', resources: ['poddisruptionbudgets', 'evictions'], cluster: ['nothings'] },
  { root: '/apis/rbac.authorization.k8s.io/v1', resources: ['roles', 'rolebindings'], cluster: ['nothings'] },
  {
    root: '/apis/storage.k8s.io/v1',
    resources: ['csistoragecapacities'],
    cluster: ['storageclasses', 'volumeattachments'],
  },
  {
    root: `/apis/${GROUP}/v1`,
    resources: ['widgets', 'plains', 'frees', 'nothings', 'Widgets'],
    cluster: ['globals', 'nothings'],
  },
] as const;
const SUBRESOURCES = [
  '',
  '',
  '',
  '',
  ...words(`
    status scale binding eviction log exec attach portforward proxy proxy/ proxy/a/b token finalize
    ephemeralcontainers resize approval nope status/x Status
  `),
  '',
];
const NAMES = [
  ...words('c p d w s absent absent'),
  '',
  ...words(`
    UPPER under_score a.b a%20b a%2Fb %00 a%0Ab %C3%A9 %FF a:b a@b a'b a,b a;b a=b * ~ $ %25 %2e %2E%2E - status
    scale watch namespaces
  `),
  'x'.repeat(300),
  ...words('%7Bname%7D a+b a%3Fb a%23b'),
];

const resourcePath = fc
  .record({
    group: fc.constantFrom(...GROUPS),
    watch: fc.constantFrom('', '', '', '', '', '/watch'),
    namespace: fc.constantFrom(
      '/namespaces/NS',
      '/namespaces/NS',
      '/namespaces/NS',
      '/namespaces/absent',
      '',
      '',
      '/namespaces/',
      '/namespaces/BAD_',
      '/namespace/NS',
    ),
    clusterScoped: fc.boolean(),
    index: fc.nat(20),
    name: fc.constantFrom(...NAMES),
    subresource: fc.constantFrom(...SUBRESOURCES),
    extra: fc.constantFrom('', '', '', '', '', '', '/', '//', '/extra', '/.', '%2F', '/%2e%2e'),
  })
  .map(({ group, watch, namespace, clusterScoped, index, name, subresource, extra }) => {
    const list = clusterScoped ? group.cluster : group.resources;
    const resource = list[index % list.length] ?? '';
    return `${group.root}${watch}${namespace}/${resource}${name === '' ? '' : `/${name}`}${name === '' || subresource === '' ? '' : `/${subresource}`}${extra}`;
  });

/** Requests with unusual paths. */
export const pathRequests: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom(...METHODS),
    target: fc.oneof({ weight: 1, arbitrary: fc.constantFrom(...OTHERS) }, { weight: 3, arbitrary: resourcePath }),
    body: fc.constantFrom(undefined, '{}', '{"kind":"Foo"}'),
    accept: fc.constantFrom(
      '',
      '',
      '',
      '',
      'application/json',
      '*/*',
      'text/html',
      'application/yaml',
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      'application/vnd.kubernetes.protobuf',
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    ),
  })
  .filter(({ method, target }) => !isDestructive(method, target))
  .map(({ method, target, body, accept }) => {
    const sent = method === 'POST' || method === 'PUT' || method === 'PATCH' || (method === 'DELETE' && body === '{}');
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return {
      area: 'path',
      method,
      target,
      headers: { ...(accept === '' ? {} : { accept }), ...(sent ? { 'content-type': type } : {}) },
      ...(sent && body !== undefined ? { body: Buffer.from(body) } : {}),
    };
  });

/** Reports whether a request would change the objects of other requests. */
function isDestructive(method: string, target: string): boolean {
  return (
    method === 'DELETE' &&
    /customresourcedefinitions|apiservices|\/namespaces\/NS\/?$|\/namespaces\/NS\/\//.test(target)
  );
}
