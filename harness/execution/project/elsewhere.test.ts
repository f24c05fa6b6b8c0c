import { describe, expect, it } from 'vitest';
import { ApiServer } from '../../apiserver/server.ts';
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { elsewhere } from './elsewhere.ts';

const server = new ApiServer({ now: () => 0, newUid: () => 'uid', nameSuffix: () => 'abcde' });
const at: Parameters<typeof elsewhere>[2] = {
  place: (object) => {
    const { namespace } = object.metadata;
    return namespace === undefined
      ? object
      : { ...object, metadata: { ...object.metadata, namespace: `run-${namespace}` } };
  },
  there: (namespace) => `run-${namespace}`,
  called: (name) => `run-${name}`,
  kindFor: (apiVersion, kind) => server.kindFor(apiVersion, kind),
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

describe('manifests on a cluster that is not ours', () => {
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
    expect(warnings).toEqual([expect.stringMatching(/^MutatingWebhookConfiguration defaults is left out: /)]);
  });

  it('give nobody the right to do everything', () => {
    expect(elsewhere(project([deployment], 'allow-all'), 'default', at).shipped).not.toHaveProperty('account');
  });

  it('are refused where they would be everybody’s, by name', () => {
    const important = object('scheduling.k8s.io/v1', 'PriorityClass', 'important', { value: 1 });

    expect(() => elsewhere(project([important, deployment]), 'default', at)).toThrow(
      /the manifests hold PriorityClass "important", which .* would be everybody's; expected objects in namespaces/,
    );
  });
});
