import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { renderLocally } from './render-local.ts';
import { repositoryOf } from './repository.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const DEPLOYMENT = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: op }\n';

it.skipIf(!hasKubectl)('renders an overlay without the bases outside of the project (needs kubectl)', () => {
  const rendered = renderLocally(
    repositoryOf({
      'config/default/kustomization.yaml':
        'namespace: system\nresources:\n- https://example.com/crds.yaml\n- ../manager\n- ../third-party\n',
      'config/manager/kustomization.yaml': 'resources: [manager.yaml]\n',
      'config/manager/manager.yaml': DEPLOYMENT,
      'config/third-party/kustomization.yaml': 'resources: ["https://example.com/more.yaml"]\n',
    }),
    'config/default',
  );

  expect(rendered).toContain('kind: Deployment');
  expect(rendered).toContain('namespace: system');
});

it.skipIf(!hasKubectl)('makes nothing of an overlay without a Deployment (needs kubectl)', () => {
  const repository = repositoryOf({
    'config/default/kustomization.yaml': 'resources:\n- https://example.com/crds.yaml\n- map.yaml\n',
    'config/default/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\n',
  });

  expect(renderLocally(repository, 'config/default')).toBeUndefined();
});
