import { expect, it } from 'vitest';
import { deployedIn, deployments, withArguments, withMounted } from './deployed.ts';
import { overlays } from './kustomizations.ts';
import { repositoryOf } from './repository.ts';

const deployment = (name: string, container: string): string =>
  `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  template:
    spec:
      containers:
      - ${container}
`;
const MANAGER = deployment(
  'op',
  '{ name: op, image: "example.com/op:v1", args: [--watch-all, --leader-elect, --metrics-addr=:8080, --config=/etc/op/c.yaml, "--id=$(ID)"], volumeMounts: [{ name: c, mountPath: /etc/op }], env: [{ name: NS, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }, { name: DIR, value: /etc/op }] }',
);

it('takes arguments and environment of the Deployment whose image is called after the program', () => {
  const other = deployment('manager', '{ name: other, image: example.com/other, args: [--wrong] }');
  const objects = deployments(repositoryOf({ 'config/a.yaml': other, 'config/b.yaml': MANAGER, 'test/c.yaml': other }));

  expect(objects).toHaveLength(2);
  expect(deployedIn(objects, ['op'])).toEqual({
    args: ['--watch-all', '--metrics-addr=:{port:8080}', '--config={files}/etc/op/c.yaml'],
    env: { NS: 'default' },
    mounted: ['/etc/op'],
    elsewhere: [],
  });
  expect(deployedIn(objects, ['unknown'])?.args).toEqual(['--wrong']);
});

it('keeps what the command says itself, and mounted files where manifests bring them', () => {
  const deployed = {
    args: ['--metrics-addr=:{port:8080}', '--level', 'info', '--config={files}/c.yaml'],
    elsewhere: [],
  };
  const command = ['bin/op', '--metrics-addr=127.0.0.1:{port:metrics}'];

  expect(withArguments(command, deployed, false)).toEqual([...command, '--level', 'info']);
  expect(withArguments(command, deployed, true)).toEqual([...command, '--level', 'info', '--config={files}/c.yaml']);
});

it('finds the plainest overlay after the usual one, none of tests, and none that asks the network', () => {
  const repository = repositoryOf({
    'config/crd/kustomization.yaml': 'resources: [bases/a.yaml]\n',
    'config/rbac/kustomization.yaml': 'resources: [role.yaml]\n',
    'config/native/kustomization.yaml': 'resources: [../crd, ../rbac]\n',
    'config/far/kustomization.yaml': 'resources: [../crd, ../rbac, https://example.com/a.yaml]\n',
    'config/farther/kustomization.yaml': 'resources: [../far, ../rbac]\n',
    'config/monitored/kustomization.yaml': 'resources: [../native, monitor.yaml]\n',
    'deploy/default/kustomization.yaml': 'resources: [all.yaml]\n',
    'test/config/kustomization.yaml': 'resources: [../../config/native]\n',
  });

  expect(overlays(repository).map(({ folder }) => folder)).toEqual([
    'deploy/default',
    'config/native',
    'config/monitored',
    // Parts of others, probably.
    'config/crd',
    'config/rbac',
  ]);
});

it('does not give a subcommand twice', () => {
  expect(withArguments(['bin/op', 'run'], { args: ['run', '--webhooks'], elsewhere: [] }, false)).toEqual([
    'bin/op',
    'run',
    '--webhooks',
  ]);
});

it('takes the Deployment with the most rights of several of an image, without the subcommands of the others', () => {
  const account = (name: string, container: string): string =>
    deployment(name, container).replace('      containers:', `      serviceAccountName: ${name}\n      containers:`);
  const rules = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: op }
rules: [{ apiGroups: [example.com], resources: [widgets], verbs: [patch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: op }
roleRef: { kind: ClusterRole, name: op }
subjects: [{ kind: ServiceAccount, name: op }]
`;
  const objects = deployments(
    repositoryOf({
      'config/a.yaml': account('certs', '{ name: c, image: example.com/op, args: [certs, --port=1] }'),
      'config/b.yaml': account('op', '{ name: c, image: example.com/op, args: [--workers=2] }') + `---${rules}`,
    }),
  );

  const deployed = deployedIn(objects, ['op']);
  expect(deployed).toMatchObject({ args: ['--workers=2'], elsewhere: ['certs'] });
  expect(deployed && withArguments(['bin/op', 'certs', '--port=2'], deployed, false)).toEqual([
    'bin/op',
    '--port=2',
    '--workers=2',
  ]);
});

it('gives subcommands before flags, and keeps files', () => {
  const deployed = { args: ['controller', '--level=2'], elsewhere: ['certs', 'dist'] };

  expect(withArguments(['bin/op', '--kubeconfig={kubeconfig}'], deployed, false)).toEqual([
    ...['bin/op', 'controller', '--kubeconfig={kubeconfig}', '--level=2'],
  ]);
  expect(withArguments(['node', 'dist/index.js', 'certs'], { ...deployed, args: [] }, false)).toEqual([
    ...['node', 'dist/index.js'],
  ]);
});

it('drops a subcommand of a workload that is not installed, unless the image has it', () => {
  const given = { args: ['--level=2'], elsewhere: [] };
  const guessed = ['bin/op', 'webhook-server'];

  expect(withArguments(guessed, given, false, ['ENTRYPOINT ["/op"]'])).toEqual(['bin/op', '--level=2']);
  expect(withArguments(guessed, given, false, ['CMD ["/op", "webhook-server"]'])).toEqual([...guessed, '--level=2']);
  expect(withArguments(guessed, given, false)).toEqual([...guessed, '--level=2']);
});

it('leads flags to mounted files that a process finds elsewhere, unless the command says where', () => {
  const mounted = ['/certs', '/tmp/cache', '/etc/op'];
  const flags = {
    'cert-dir': '/certs',
    'cache-dir': '/tmp/cache',
    config: '/etc/op/c.yaml',
    'ca-file': '/certs-of/ca',
  };

  expect(withMounted(['bin/op', '--config=here.yaml'], { args: [], env: {}, mounted, elsewhere: [] }, flags)).toEqual([
    'bin/op',
    '--config=here.yaml',
    '--cert-dir={files}/certs',
  ]);
});
