import { expect, it } from 'vitest';
import { chartsIn } from './charts.ts';
import { repositoryOf } from './repository.ts';

const workload = (kind: string): string =>
  `{{- if .Values.enabled }}\napiVersion: apps/v1\nkind: ${kind}\n{{- end }}\n`;
const binding = 'kind: ClusterRoleBinding\n';

it('finds charts with a workload and roles for it, and not what they are made of', () => {
  const chart = (folder: string, kind: string): { readonly [path: string]: string } => ({
    [`${folder}/Chart.yaml`]: 'name: x\n',
    [`${folder}/templates/workload.yaml`]: workload(kind),
    [`${folder}/templates/rbac.yaml`]: binding,
  });

  expect(
    chartsIn(
      repositoryOf({
        ...chart('deploy/operator', 'StatefulSet'),
        ...chart('deploy/operator/charts/part', 'Deployment'),
        ...chart('charts/manager', 'Deployment'),
        ...chart('test/charts/other', 'Deployment'),
        'charts/without-roles/Chart.yaml': 'name: y\n',
        'charts/without-roles/templates/workload.yaml': workload('Deployment'),
        'charts/crds/Chart.yaml': 'name: z\n',
      }),
    ),
  ).toEqual(['charts/manager', 'deploy/operator']);
});
