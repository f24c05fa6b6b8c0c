import { parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { HarnessError } from '../../model/errors.ts';
import { argumentsOf, environmentOf, findWorkload, identityOf, workloadOf } from './deployment.ts';
import { mountsOf, neededSecrets } from './mounts.ts';

const PROJECT = objectsOf(`
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: system }
data: { level: debug, settings.yaml: 'a: 1' }
---
apiVersion: v1
kind: Secret
metadata: { name: token, namespace: system }
data: { token: c2VjcmV0 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop-controller-manager, namespace: system }
spec:
  template:
    spec:
      serviceAccountName: manager
      containers:
        - name: kube-rbac-proxy
          args: ['--secure-listen-address=0.0.0.0:8443']
        - name: manager
          command: [/manager]
          args:
            - --leader-elect
            - --metrics-bind-address=127.0.0.1:8080
            - --health-probe-bind-address=:8081
            - --webhook-port=9443
            - --webhook-cert-path=/tmp/certs
            - --config=/etc/shop/settings.yaml
            - --level=$(LEVEL)
            - --price=$$5
          env:
            - { name: LEVEL, valueFrom: { configMapKeyRef: { name: settings, key: level } } }
            - { name: TOKEN, valueFrom: { secretKeyRef: { name: token, key: token } } }
            - { name: NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
            - { name: MAYBE, valueFrom: { configMapKeyRef: { name: none, key: x, optional: true } } }
            - { name: GONE, valueFrom: { secretKeyRef: { name: none, key: x } } }
            - { name: CERTS, value: /tmp/certs/tls.crt }
          envFrom: [{ prefix: SHOP_, configMapRef: { name: settings } }]
          volumeMounts:
            - { name: certs, mountPath: /tmp/certs }
            - { name: settings, mountPath: /etc/shop }
            - { name: one, mountPath: /etc/one.yaml, subPath: one.yaml }
            - { name: scratch, mountPath: /scratch/ }
            - { name: identity, mountPath: /var/run/secrets/tokens }
            - { name: account, mountPath: /var/run/secrets/kubernetes.io/serviceaccount }
      volumes:
        - { name: certs, secret: { secretName: made-by-somebody } }
        - { name: settings, configMap: { name: settings, items: [{ key: settings.yaml, path: settings.yaml }] } }
        - { name: one, projected: { sources: [{ configMap: { name: settings, items: [{ key: level, path: one.yaml }] } }] } }
        - { name: scratch, emptyDir: {} }
        - { name: identity, projected: { sources: [{ serviceAccountToken: { path: shop } }] } }
        - { name: account, projected: { sources: [{ serviceAccountToken: { path: token } }, { configMap: { name: kube-root-ca.crt } }] } }
`);

const SHOP = (name: string, account: string, args: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: system }
spec: { template: { spec: { serviceAccountName: ${account}, containers: [{ name: main, image: 'example.com/shop:1', args: ${args} }] } } }`;
const ROLE = (name: string, rules: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: ${name} }
rules: [${rules}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${name} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name} }
subjects: [{ kind: ServiceAccount, name: ${name}, namespace: system }]`;

function objectsOf(text: string): readonly KubeObject[] {
  const documents = parseAllDocuments(text);
  return ('empty' in documents ? [] : documents).map((document) => document.toJS() as KubeObject);
}

const workload = (): ReturnType<typeof workloadOf> => {
  const found = findWorkload(PROJECT, './bin/manager', undefined);
  if (found === undefined) throw new Error('the project has a Deployment');
  return workloadOf(found, './bin/manager', 'default');
};

describe('the workload that is the target', () => {
  it('is its service account', () => {
    expect(identityOf(workload())).toEqual({
      name: 'system:serviceaccount:system:manager',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:system', 'system:authenticated'],
    });
  });

  it('gives its arguments, with ports and files of a process and without leader election', () => {
    const warnings: string[] = [];

    expect(argumentsOf(workload(), PROJECT, false, warnings)).toEqual([
      '--metrics-bind-address=127.0.0.1:{port:8080}',
      '--health-probe-bind-address=:{port:8081}',
      '--webhook-port={port:9443}',
      '--webhook-cert-path={files}/tmp/certs',
      '--config={files}/etc/shop/settings.yaml',
      '--level=debug',
      '--price=$5',
    ]);
    expect(warnings).toEqual([expect.stringContaining("of the Deployment's arguments, --leader-elect is dropped:")]);
  });

  it('gives the argument for leader election where the target is declared to elect', () => {
    const warnings: string[] = [];

    expect(argumentsOf(workload(), PROJECT, true, warnings)).toContain('--leader-elect');
    expect(warnings).toEqual([]);
  });

  it('gives its environment, and says what nothing tells', () => {
    expect(environmentOf(workload(), PROJECT)).toEqual({
      values: {
        SHOP_level: 'debug',
        'SHOP_settings.yaml': 'a: 1',
        LEVEL: 'debug',
        TOKEN: 'secret',
        NAMESPACE: 'system',
        CERTS: '{files}/tmp/certs/tls.crt',
      },
      missing: ['GONE'],
    });
  });

  it('finds what its pod would have mounted', () => {
    const textsIn = (entries: { readonly [name: string]: Uint8Array }): unknown =>
      Object.fromEntries(Object.entries(entries).map(([name, content]) => [name, Buffer.from(content).toString()]));
    const certificate = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'made-by-somebody', namespace: 'system' },
    };

    const mounted = mountsOf(workload(), [...PROJECT, { ...certificate, stringData: { 'tls.crt': 'certificate' } }]);

    expect(mounted.folders.map(({ path, entries }) => [path, textsIn(entries)])).toEqual([
      ['/tmp/certs', { 'tls.crt': 'certificate' }],
      ['/etc/shop', { 'settings.yaml': 'a: 1' }],
      ['/var/run/secrets/tokens', { shop: 'stalemate' }],
    ]);
    expect(mounted.files.map(({ path, content }) => [path, Buffer.from(content ?? []).toString()])).toEqual([
      ['/etc/one.yaml', 'debug'],
      ['/scratch', ''],
    ]);
    expect(neededSecrets(workload())).toEqual(['made-by-somebody']);
  });

  it('is told among several by its program, its name, or its author', () => {
    const other = (name: string): KubeObject => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } });
    const name = (objects: readonly KubeObject[], program: string, named?: string): unknown =>
      findWorkload(objects, program, named)?.metadata.name;

    expect(name([...PROJECT, other('database')], './bin/manager')).toBe('shop-controller-manager');
    expect(name([other('database'), other('shop-operator')], './shop')).toBe('shop-operator');
    expect(name([other('database'), other('cache')], './shop', 'cache')).toBe('cache');
    expect(name([], './shop')).toBeUndefined();
    expect(() => name([other('database'), other('cache')], './shop')).toThrow(HarnessError);
    expect(() => name([other('database')], './shop', 'web')).toThrow(
      'got deployment "web", expected one of the manifests: Deployment//database',
    );
  });

  it('is the one of several of an image whose roles let it write the most custom kinds', () => {
    const objects = objectsOf(`${SHOP('shop', 'shop', '[]')}
---
${SHOP('shop-cert-controller', 'shop-certs', '[certs]')}
---
${ROLE('shop', '{ apiGroups: [shop.example.com], resources: [orders, orders/status], verbs: [get, update] }')}
---
${ROLE('shop-certs', '{ apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [update] }, { apiGroups: [shop.example.com], resources: [orders, carts], verbs: [list] }')}
`);
    expect(findWorkload(objects, './bin/shop', undefined)?.metadata.name).toBe('shop');
    // Roles of every cluster let nothing of a custom kind be written; of others that are not there, nothing is known.
    const bound = (role: string): readonly KubeObject[] => [
      ...objects,
      ...objectsOf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: more }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${role} }
subjects: [{ kind: ServiceAccount, name: shop-certs, namespace: system }]`),
    ];
    expect(findWorkload(bound('system:auth-delegator'), './bin/shop', undefined)?.metadata.name).toBe('shop');
    expect(findWorkload(bound('cluster-admin'), './bin/shop', undefined)?.metadata.name).toBe('shop-cert-controller');
    // With equal roles, the name decides as before.
    const [shop, certs] = objects;
    expect(
      findWorkload(
        [shop, certs].filter((one) => one !== undefined),
        './bin/shop',
        undefined,
      )?.metadata.name,
    ).toBe('shop-cert-controller');
  });
});
