/** Valid objects that bad bodies are derived from, and their paths. `NS` stands for the namespace of the batch. */
import type { JsonObject } from '../../objects/object.ts';
import { GROUP } from '../differential/crds.ts';

export interface Base {
  readonly collection: string;
  readonly name: string;
  /** The path relative to the object; empty for the object itself. */
  readonly sub?: string;
  readonly object: JsonObject;
}

const POD_SPEC: JsonObject = {
  containers: [
    {
      name: 'c',
      image: 'i',
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', value: 'b' }],
      resources: { requests: { cpu: '1' } },
    },
  ],
};

export const BASES: readonly Base[] = [
  {
    collection: '/api/v1/namespaces/NS/configmaps',
    name: 'c',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', labels: { a: 'b' } }, data: { k: 'v' } },
  },
  {
    collection: '/api/v1/namespaces/NS/secrets',
    name: 'x',
    object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, data: { k: 'dg==' }, stringData: { s: 't' } },
  },
  {
    collection: '/api/v1/namespaces/NS/pods',
    name: 'p',
    object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: POD_SPEC },
  },
  {
    collection: '/api/v1/namespaces/NS/pods',
    name: 'p',
    sub: 'status',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
  },
  {
    collection: '/api/v1/namespaces/NS/services',
    name: 'v',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'v' },
      spec: { ports: [{ port: 80, targetPort: 'http' }], selector: { a: 'b' } },
    },
  },
  {
    collection: '/apis/apps/v1/namespaces/NS/deployments',
    name: 'd',
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: POD_SPEC },
      },
    },
  },
  {
    collection: '/apis/apps/v1/namespaces/NS/deployments',
    name: 'd',
    sub: 'scale',
    object: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 2 } },
  },
  {
    collection: '/apis/coordination.k8s.io/v1/namespaces/NS/leases',
    name: 'l',
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' },
    },
  },
  {
    collection: `/apis/${GROUP}/v1/namespaces/NS/widgets`,
    name: 'w',
    object: {
      apiVersion: `${GROUP}/v1`,
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 1, parts: [{ name: 'a' }], tags: ['x'] },
    },
  },
  {
    collection: `/apis/${GROUP}/v1/namespaces/NS/widgets`,
    name: 'w',
    sub: 'status',
    object: { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'w' }, status: { phase: 'Ready' } },
  },
  {
    collection: `/apis/${GROUP}/v1/namespaces/NS/widgets`,
    name: 'w',
    sub: 'scale',
    object: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'w' }, spec: { replicas: 2 } },
  },
  {
    collection: `/apis/${GROUP}/v1/namespaces/NS/frees`,
    name: 'f',
    object: { apiVersion: `${GROUP}/v1`, kind: 'Free', metadata: { name: 'f' }, any: { thing: [1, null] } },
  },
  {
    collection: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    name: 'NSs.x.example',
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'NSs.x.example' },
      spec: {
        group: 'x.example',
        scope: 'Namespaced',
        names: { plural: 'NSs', kind: 'NSk' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
  },
  {
    collection: '/api/v1/namespaces/NS/pods',
    name: 'p',
    sub: 'eviction',
    object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, deleteOptions: { dryRun: ['All'] } },
  },
  {
    collection: '/api/v1/namespaces/NS/pods',
    name: 'p',
    sub: 'binding',
    object: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
  },
  {
    collection: '/api/v1/namespaces/NS/serviceaccounts',
    name: 's',
    sub: 'token',
    object: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['a'], expirationSeconds: 3600 },
    },
  },
  {
    collection: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    name: '',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    },
  },
  {
    collection: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    name: '',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } },
    },
  },
];
