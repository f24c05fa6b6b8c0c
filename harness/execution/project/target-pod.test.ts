import { describe, expect, it } from 'vitest';
import { mapOf, mapsOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { USUAL_MANNER } from '../config/process-target.ts';
import { planPod, podObjects } from './target-pod.ts';

const ACCESS = { host: '172.18.0.1', port: 4000, ca: 'CA', token: 'secret' };
const LIFE = { name: 'stalemate-target-1', node: 'stalemate-a-control-plane' };

function target(...command: readonly string[]): ProcessTarget {
  return {
    command,
    cwd: '/',
    env: { LEVEL: 'debug' },
    fileSystem: 'own',
    ...USUAL_MANNER,
    inCluster: true,
  };
}

function deployment(pod: JsonObject): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'manager', namespace: 'system' },
    spec: { template: { metadata: { labels: { app: 'manager' } }, spec: pod } },
  };
}

describe('the pod of a target', () => {
  it('holds an image, and leads its client to the gate', () => {
    const plan = planPod(
      target('op:dev', '--verbose'),
      { project: null, namespace: 'default' },
      { 'op:dev': 'op:dev' },
    );

    const { pod, secret, container } = podObjects(plan, ACCESS, LIFE);

    expect(pod).toMatchObject({
      kind: 'Pod',
      metadata: { name: 'stalemate-target-1', namespace: 'default' },
      spec: { nodeName: 'stalemate-a-control-plane', restartPolicy: 'Never' },
    });
    const [only] = mapsOf(mapOf(pod['spec'])['containers']);
    expect(only).toMatchObject({ name: container, image: 'op:dev', imagePullPolicy: 'Never', args: ['--verbose'] });
    expect(only?.['env']).toEqual([
      { name: 'LEVEL', value: 'debug' },
      { name: 'KUBERNETES_SERVICE_HOST', value: '172.18.0.1' },
      { name: 'KUBERNETES_SERVICE_PORT', value: '4000' },
      { name: 'KUBERNETES_SERVICE_PORT_HTTPS', value: '4000' },
    ]);
    expect(secret['stringData']).toMatchObject({ 'access.token': 'secret', 'access.ca.crt': 'CA' });
  });

  it('is that of the Deployment without what only a whole cluster has', () => {
    const objects = [
      deployment({
        serviceAccountName: 'manager',
        nodeSelector: { disk: 'ssd' },
        containers: [
          { name: 'proxy', image: 'registry.example.com/proxy:v1' },
          {
            name: 'manager',
            image: 'op:dev',
            imagePullPolicy: 'Always',
            args: ['--leader-elect'],
            livenessProbe: { httpGet: { port: 8081 } },
            resources: { limits: { memory: '128Mi', 'example.com/gpu': '1' }, requests: { cpu: '500m' } },
            env: [{ name: 'KUBERNETES_SERVICE_HOST', value: 'elsewhere' }],
            volumeMounts: [{ name: 'cert', mountPath: '/certs' }],
          },
        ],
        volumes: [
          { name: 'cert', secret: { secretName: 'webhook-server-cert' } },
          { name: 'extra', secret: { secretName: 'none', optional: true } },
          { name: 'config', configMap: { name: 'none' } },
        ],
      }),
    ];
    const project = { objects, authorization: 'rbac', workload: 'Deployment/system/manager' } as const;

    const plan = planPod(target('op:dev'), { project, namespace: 'default' }, { 'op:dev': 'op:dev' });

    expect(plan.warnings).toEqual([
      "of the Deployment's pod, proxy (registry.example.com/proxy:v1) is skipped: the engine does not have its image",
    ]);
    const { pod } = podObjects(plan, ACCESS, LIFE);
    expect(pod.metadata).toEqual({ name: 'stalemate-target-1', namespace: 'system', labels: { app: 'manager' } });
    const spec = mapOf(pod['spec']);
    expect(spec).toMatchObject({ serviceAccountName: 'manager' });
    expect(spec['nodeSelector']).toBeUndefined();
    const containers = mapsOf(spec['containers']);
    expect(containers.map(({ name }) => name)).toEqual(['manager']);
    expect(containers[0]).not.toHaveProperty('livenessProbe');
    expect(containers[0]?.['resources']).toEqual({
      limits: { memory: '128Mi' },
      requests: { cpu: '1m', memory: '1Mi' },
    });
    expect(mapsOf(containers[0]?.['env'])).not.toContainEqual(expect.objectContaining({ value: 'elsewhere' }));
    // The harness provides the secret that cert-manager would create; a volume whose source nothing creates becomes optional.
    expect(mapsOf(spec['volumes'])).toMatchObject([
      { name: 'cert', secret: { secretName: 'stalemate-target-1' } },
      { name: 'extra', secret: { secretName: 'none', optional: true } },
      { name: 'config', configMap: { name: 'none', optional: true } },
      { name: 'stalemate-access' },
    ]);
  });
});
