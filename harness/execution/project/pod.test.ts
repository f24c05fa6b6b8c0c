import { X509Certificate } from 'node:crypto';
import { parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';
import { ApiServer } from 'stalemate-apiserver';
import { mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { installProject } from './install.ts';
import { podFor, type Pod } from './pod.ts';

const PROJECT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: manager, namespace: system }
spec:
  template:
    metadata: { labels: { app: manager } }
    spec:
      containers:
        - name: manager
          ports: [{ containerPort: 9443 }]
          volumeMounts:
            - { name: served, mountPath: /certs }
            - { name: rotated, mountPath: /rotated }
            - { name: perhaps, mountPath: /perhaps }
      volumes:
        - { name: served, secret: { secretName: served } }
        - { name: rotated, secret: { secretName: rotated } }
        - { name: perhaps, secret: { secretName: perhaps, optional: true } }
---
apiVersion: v1
kind: Secret
metadata: { name: rotated, namespace: system }
---
apiVersion: v1
kind: Service
metadata: { name: hooks, namespace: system }
spec: { selector: { app: manager }, ports: [{ port: 443, targetPort: 9443 }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: plain }
webhooks:
  - { name: a, clientConfig: { caBundle: Cg==, service: { name: hooks, namespace: system } } }
  - { name: b, clientConfig: { caBundle: GIVEN, service: { name: hooks, namespace: system } } }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: injected, annotations: { cert-manager.io/inject-ca-from: system/cert } }
webhooks: [{ name: c, clientConfig: { caBundle: GIVEN, service: { name: hooks, namespace: system } } }]
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: metrics, namespace: system }
spec: { secretName: metrics-cert, dnsNames: [metrics.system.svc] }
`;
const GIVEN = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');

function uids(): () => string {
  let made = 0;
  return () => `uid-${++made}`;
}

function pod(more = ''): Pod {
  const documents = parseAllDocuments((PROJECT + more).replaceAll('GIVEN', GIVEN));
  const objects = ('empty' in documents ? [] : documents).map((document) => document.toJS() as KubeObject);
  const project = { objects, authorization: 'allow-all', workload: 'Deployment/system/manager' } as const;
  return podFor({ crds: [], project, namespace: 'default', cluster: 'embedded' });
}

const secrets = ({ project }: Pod): readonly KubeObject[] =>
  project?.objects.filter(({ kind }) => kind === 'Secret') ?? [];
const namesIn = (secret: KubeObject | undefined): string | undefined =>
  new X509Certificate(Buffer.from(textOf(mapOf(secret?.['data'])['tls.crt']), 'base64')).subjectAltName;

describe('what others make in a cluster', () => {
  it('is a Secret for each Certificate, and for each mount without which a pod does not start', () => {
    const made = secrets(pod());

    expect(made.map(({ metadata }) => metadata.name)).toEqual(['rotated', 'metrics-cert', 'served']);
    expect(namesIn(made[1])).toContain('DNS:metrics.system.svc');
    expect(namesIn(made[2])).toContain('DNS:hooks.system.svc');
  });

  it('leaves a Secret empty that the target fills itself, unless a Certificate is about it', () => {
    const certificate = `---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: serving, namespace: system }
spec: { secretName: rotated }
`;

    expect(secrets(pod())[0]?.['data']).toBeUndefined();
    expect(namesIn(secrets(pod(certificate)).find(({ metadata }) => metadata.name === 'rotated'))).toContain('hooks');
  });

  it('is the authority in configurations, except where one is written there for good', () => {
    const configurations = pod().project?.objects.filter(({ kind }) => kind === 'ValidatingWebhookConfiguration') ?? [];
    const bundles = configurations
      .flatMap(({ webhooks }) => mapsOf(webhooks))
      .map(({ clientConfig }) => textOf(mapOf(clientConfig)['caBundle']));

    expect(bundles[0]).not.toBe('Cg==');
    expect(bundles[1]).toBe(GIVEN);
    expect(bundles[2]).toBe(bundles[0]);
  });

  it('lies in the default folder of controller-runtime, whether or not anything is mounted there', () => {
    const { folders } = pod();

    expect(folders([]).map(({ path, entries }) => [path, Object.keys(entries)])).toEqual([
      ['/tmp/k8s-webhook-server/serving-certs', ['tls.crt', 'tls.key', 'ca.crt']],
      ['/certs', []],
      ['/rotated', []],
      ['/perhaps', []],
    ]);
    expect(podFor({ crds: [], project: null, namespace: 'default', cluster: 'embedded' }).folders([])).toHaveLength(1);
  });
});

describe('the node of the target', () => {
  const named = PROJECT.replace(
    '- name: manager\n          ports',
    '- name: manager\n          env: [{ name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }]\n          ports',
  );
  const nodesOf = (text: string, cluster: 'embedded' | 'kind' | 'existing'): readonly KubeObject[] => {
    const objects = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
    const project = { objects, authorization: 'allow-all', workload: 'Deployment/system/manager' } as const;
    return podFor({ crds: [], namespace: 'default', cluster, project }).project?.objects ?? [];
  };
  const isNode = ({ kind }: KubeObject): boolean => kind === 'Node';

  it('is there where the environment of the target names it', () => {
    const [node] = nodesOf(named, 'embedded').filter(isNode);

    expect(node).toMatchObject({ metadata: { name: 'stalemate-node' }, status: { conditions: [{ type: 'Ready' }] } });
  });

  it('is not there where nothing names it, nor where there are other nodes', () => {
    const others = [nodesOf(PROJECT, 'embedded'), nodesOf(named, 'kind'), nodesOf(named, 'existing')];

    expect(others.flat().filter(isNode)).toEqual([]);
  });
});

describe('the pod of the target itself', () => {
  const names = '[{ name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]';
  const naming = PROJECT.replace(
    '- name: manager\n          ports',
    `- name: manager\n          env: ${names}\n          ports`,
  );
  const podsOf = (text: string, cluster: 'embedded' | 'existing' | 'kind'): readonly KubeObject[] => {
    const objects = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
    const project = { objects, authorization: 'allow-all', workload: 'Deployment/system/manager' } as const;
    const pod = podFor({ crds: [], namespace: 'default', cluster, project });
    return pod.project?.objects.filter(({ kind }) => kind === 'Pod') ?? [];
  };

  it('is there, whether or not its environment names it', () => {
    expect(podsOf(PROJECT, 'embedded')).toHaveLength(1);
    expect(podsOf(naming, 'embedded')).toMatchObject([
      { metadata: { name: 'manager-0', namespace: 'system', labels: { app: 'manager' } } },
    ]);
  });

  it('has another one beside it where a second copy may run', () => {
    const objects = parseAllDocuments(PROJECT).map((document) => document.toJS() as KubeObject);
    const project = { objects, authorization: 'allow-all', workload: 'Deployment/system/manager' } as const;
    const { project: made } = podFor({ crds: [], namespace: 'default', cluster: 'embedded', project }, 2);
    const named = made?.objects.flatMap(({ kind, metadata }) => (kind === 'Pod' ? [metadata.name] : []));

    expect(named).toEqual(['manager-0', 'manager-1']);
  });

  it('has an owner that leads to its Deployment', () => {
    const server = new ApiServer({ now: () => 0, newUid: uids(), nameSuffix: () => 'abcde' });
    const template = { metadata: { labels: { app: 'manager' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const spec = { selector: { matchLabels: { app: 'manager' } }, template };
    const metadata = { name: 'manager', namespace: 'system' };
    const objects: readonly KubeObject[] = [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }];
    const project = { objects, authorization: 'allow-all', workload: 'Deployment/system/manager' } as const;
    const made = podFor({ crds: [], namespace: 'default', cluster: 'embedded', project }).project?.objects ?? [];

    installProject(server, made, 'default');

    const pod = server.object('pods', 'system', 'manager-0');
    const set = server.object('replicasets.apps', 'system', pod?.metadata.ownerReferences?.[0]?.name ?? '');
    const deployment = server.object('deployments.apps', 'system', 'manager');
    expect(pod?.metadata.ownerReferences).toMatchObject([{ kind: 'ReplicaSet', uid: set?.metadata.uid }]);
    expect(set?.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', uid: deployment?.metadata.uid }]);
  });

  it('is not there where a scheduler would start it, nor on an existing cluster', () => {
    expect([...podsOf(naming, 'kind'), ...podsOf(naming, 'existing')]).toEqual([]);
  });
});
