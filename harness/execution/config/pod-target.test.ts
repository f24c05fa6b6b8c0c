import { describe, expect, it } from 'vitest';
import type { StalemateOptions } from './options.ts';
import { imagesFor } from './pod-target.ts';
import { clusterOf, processOf } from './target-options.ts';

const IMAGE: StalemateOptions = { image: 'op:dev' };

describe('a target that is an image', () => {
  it('runs in a kind cluster, whether that is said or not', () => {
    expect(clusterOf(IMAGE)).toBe('kind');
    expect(clusterOf({ cluster: 'kind', manifests: ['install.yaml'] })).toBe('kind');
    expect(processOf({ ...IMAGE, command: ['--verbose'] }, '/')).toMatchObject({
      command: ['op:dev', '--verbose'],
      inCluster: true,
    });
    expect(() => clusterOf({ ...IMAGE, cluster: 'envtest' })).toThrow(
      'got image "op:dev" with cluster "envtest", expected "kind"',
    );
  });

  it.each([
    [{ target: 'a.ts' }, 'got both target "a.ts" and an image "op:dev"'],
    [{ network: 'host' }, 'got "network" for an image, which runs in a pod of its own'],
    [{ ready: 'url:http://127.0.0.1:80/' }, 'whose pod is not probed, expected "log:…" or "watch:…"'],
    [{ command: ['--kubeconfig', '{kubeconfig}'] }, 'got "{kubeconfig}" in the arguments or variables of an image'],
    [{ env: { PORT: '{port:metrics}' } }, 'got "{port}" in the arguments or variables of an image'],
  ] as const)('does not go with %j', (more, why) => {
    expect(() => processOf({ ...IMAGE, ...more }, '/')).toThrow(why);
  });

  it('comes first among the images of its pod', () => {
    const pod = { containers: [{ image: 'proxy:v1' }, { image: 'op:v1' }], initContainers: [{ image: 'init:v1' }] };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'op', namespace: 'system' },
      spec: { template: { spec: pod } },
    };
    const project = { objects: [deployment], authorization: 'rbac', workload: 'Deployment/system/op' } as const;

    expect(imagesFor({ process: processOf(IMAGE, '/'), project })).toEqual(['op:dev', 'init:v1', 'proxy:v1', 'op:v1']);
    expect(imagesFor({ process: null, project })).toEqual([]);
  });
});
