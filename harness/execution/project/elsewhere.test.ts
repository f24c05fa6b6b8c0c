import { describe, expect, it } from 'vitest';
import { ApiServer } from 'stalemate-apiserver';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { elsewhere } from './elsewhere.ts';

const server = new ApiServer({ now: () => 0, newUid: () => 'uid', nameSuffix: () => 'abcde' });
const allowed = new Set<string>();
const at: Parameters<typeof elsewhere>[2] = {
  place: (object) => {
    const { namespace } = object.metadata;
    return namespace === undefined
      ? object
      : { ...object, metadata: { ...object.metadata, namespace: `run-${namespace}` } };
  },
  there: (namespace) => (namespace === 'monitoring' ? namespace : `run-${namespace}`),
  called: (name) => `run-${name}`,
  kindFor: (apiVersion, kind) => server.kindFor(apiVersion, kind),
  allows: (resource, name) => allowed.has(`${resource}=${name}`),
};
const object = (
  apiVersion: string,
  kind: string,
  name: string,
  more: JsonObject = {},
  namespace?: string,
): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...more,
});
const RBAC = 'rbac.authorization.k8s.io/v1';
const deployment = object(
  'apps/v1',
  'Deployment',
  'manager',
  { spec: { replicas: 2, template: { spec: { serviceAccountName: 'manager' } } } },
  'system',
);
const project = (objects: readonly KubeObject[], authorization: 'rbac' | 'allow-all' = 'rbac') => ({
  objects,
  authorization,
  workload: 'Deployment/system/manager',
});

describe('manifests on an existing cluster', () => {
  it('are in namespaces of the run, under names of its own outside of them, and start the target nowhere', () => {
    const roleRef = (name: string): JsonObject => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    });

    const { shipped, warnings } = elsewhere(
      project([
        object('v1', 'Namespace', 'system'),
        object(RBAC, 'ClusterRole', 'manager', { rules: [] }),
        object(RBAC, 'ClusterRoleBinding', 'manager', roleRef('manager')),
        object(RBAC, 'RoleBinding', 'views', roleRef('view'), 'system'),
        object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'defaults', { webhooks: [] }),
        deployment,
      ]),
      'default',
      at,
    );

    const made = shipped.creations.filter(({ object: { kind } }) => kind !== 'Namespace').map((one) => one.object);
    expect(made).toMatchObject([
      { kind: 'ClusterRole', metadata: { name: 'run-manager' } },
      { kind: 'ClusterRoleBinding', metadata: { name: 'run-manager' }, roleRef: { name: 'run-manager' } },
      { kind: 'RoleBinding', metadata: { name: 'views', namespace: 'run-system' }, roleRef: { name: 'view' } },
      { kind: 'Deployment', metadata: { namespace: 'run-system' }, spec: { replicas: 0 } },
    ]);
    expect(shipped.account).toEqual({ namespace: 'run-system', name: 'manager' });
    expect(warnings).toEqual([expect.stringMatching(/^MutatingWebhookConfiguration defaults is skipped: /)]);
  });

  it('give rights to nobody else', () => {
    const apiGroup = 'rbac.authorization.k8s.io';
    const bound = (name: string, ...subjects: readonly JsonObject[]): KubeObject =>
      object(RBAC, 'ClusterRoleBinding', name, { roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' }, subjects });
    const account = (namespace: string): JsonObject => ({ kind: 'ServiceAccount', name: 'a', namespace });
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true', app: 'a' };
    const objects = [
      bound('own', account('system')),
      bound('theirs', account('system'), account('monitoring')),
      bound('everybody', { apiGroup, kind: 'Group', name: 'system:unauthenticated' }),
      bound('allowed', { apiGroup, kind: 'User', name: 'somebody' }),
      { ...object(RBAC, 'ClusterRole', 'editor', { rules: [] }), metadata: { name: 'editor', labels } },
      deployment,
    ];
    allowed.add('clusterrolebindings.rbac.authorization.k8s.io=allowed');

    const { shipped, warnings } = elsewhere(project(objects), 'default', at);

    const made = shipped.creations.map((one) => one.object);
    expect(made.flatMap(({ kind, metadata }) => (kind === 'ClusterRoleBinding' ? [metadata.name] : []))).toEqual([
      'run-own',
      'run-allowed',
    ]);
    expect(made.find(({ kind }) => kind === 'ClusterRole')?.metadata).toEqual({
      name: 'run-editor',
      labels: { app: 'a' },
    });
    expect(warnings).toEqual([
      expect.stringMatching(/^ClusterRoleBinding theirs is skipped: .* rights to ServiceAccount monitoring\/a; if/),
      expect.stringMatching(/^ClusterRoleBinding everybody .* rights to Group system:unauthenticated; .*=everybody'$/),
      expect.stringMatching(/^ClusterRole editor is made without its labels/),
    ]);
  });

  it('give nobody the right to do everything', () => {
    expect(elsewhere(project([deployment], 'allow-all'), 'default', at).shipped).not.toHaveProperty('account');
  });

  it('are refused where they would be everybody’s, by name', () => {
    const important = object('scheduling.k8s.io/v1', 'PriorityClass', 'important', { value: 1 });

    expect(() => elsewhere(project([important, deployment]), 'default', at)).toThrow(
      /the manifests hold PriorityClass "important", which .* would affect all of its users; expected objects in namespaces/,
    );
  });
});
