import { describe, expect, it } from 'vitest';
import { plainManifests } from './plain-manifests.ts';
import { repositoryOf } from './repository.ts';

const deployment = (account: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: widget
spec:
  template:
    spec:
      serviceAccountName: ${account}
      containers:
        - name: main
          image: example.com/widgets/manager:v1
`;
const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: widgets\nrules: []\n';
const binding = (account: string): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: widgets
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: widgets }
subjects: [{ kind: ServiceAccount, name: ${account} }]
`;
const account = (name: string): string => `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n`;

function found(texts: { readonly [path: string]: string }): readonly (readonly string[])[] {
  return plainManifests(repositoryOf(texts), ['manager']);
}

describe('plain manifests', () => {
  it('are one file that holds everything, before several', () => {
    const all = [deployment('w'), role, binding('w'), account('w')].join('---\n');

    expect(
      found({
        'deploy/all.yaml': all,
        'deploy/operator.yaml': deployment('other'),
        'deploy/rbac.yaml': [role, binding('other'), account('other')].join('---\n'),
      }),
    ).toEqual([['deploy/all.yaml'], ['deploy/operator.yaml', 'deploy/rbac.yaml']]);
  });

  it('are the files of a folder that belong together', () => {
    expect(
      found({
        'deploy/account.yaml': account('w'),
        'deploy/binding.yaml': binding('w'),
        'deploy/cr.yaml': 'apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\n',
        'deploy/operator.yaml': deployment('w'),
        'deploy/role.yaml': role,
      }),
    ).toEqual([['deploy/operator.yaml', 'deploy/binding.yaml', 'deploy/role.yaml', 'deploy/account.yaml']]);
  });

  it('are also the files of further roles that the same file binds', () => {
    const named = (text: string, name: string): string => text.replaceAll('widgets', name);
    const bindings = [binding('w'), named(binding('w'), 'gadgets'), named(binding('w'), 'elsewhere')].join('---\n');

    expect(
      found({
        'deploy/account.yaml': [account('w'), bindings].join('---\n'),
        'deploy/gadgets.yaml': named(role, 'gadgets'),
        'deploy/operator.yaml': deployment('w'),
        'deploy/role.yaml': role,
      }),
    ).toEqual([['deploy/operator.yaml', 'deploy/account.yaml', 'deploy/role.yaml', 'deploy/gadgets.yaml']]);
  });

  it.each([
    ['nothing gives the account rights', { 'deploy/operator.yaml': deployment('w'), 'deploy/role.yaml': role }],
    ['the role is not there', { 'deploy/operator.yaml': deployment('w'), 'deploy/binding.yaml': binding('w') }],
    ['they serve tests', { 'test/all.yaml': [deployment('w'), role, binding('w')].join('---\n') }],
    [
      'the rights are for another namespace',
      {
        'deploy/all.yaml': [
          deployment('w'),
          role,
          binding('w').replace('name: w }', 'name: w, namespace: elsewhere }'),
        ].join('---\n'),
      },
    ],
  ])('are none where %s', (_, texts) => {
    expect(found(texts)).toEqual([]);
  });
});
