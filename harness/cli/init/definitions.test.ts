import { expect, it } from 'vitest';
import { findDefinitions } from './definitions.ts';
import { repositoryOf } from './repository.ts';

const crd = (group: string): string =>
  `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;
const names = (texts: { readonly [path: string]: string }): readonly (string | undefined)[] =>
  findDefinitions(repositoryOf(texts)).crds.map(({ metadata }) => metadata.name);

it.each([
  ['a marker', { 'api/v1/doc.go': '// +groupName=example.com\npackage v1\n' }],
  ['a group version', { 'api/v1/groupversion_info.go': 'GroupVersion = schema.GroupVersion{Group: "example.com"}\n' }],
  ['PROJECT', { PROJECT: 'domain: com\nresources:\n- group: example\n' }],
])('passes over definitions of groups that are not the project’s own by %s', (_, own) => {
  const texts = { ...own, 'config/crd/a.yaml': crd('example.com'), 'dev-env/b.yaml': crd('monitoring.example.org') };

  const { crds, others, notes } = findDefinitions(repositoryOf(texts));

  expect([crds, others].map((some) => some.map(({ metadata }) => metadata.name))).toEqual([
    ['widgets.example.com'],
    ['widgets.monitoring.example.org'],
  ]);
  expect(notes).toEqual([expect.stringMatching(/^CRDs of monitoring\.example\.org in dev-env are passed over/)]);
});

it('takes all of them where nothing says which groups are its own', () => {
  expect(names({ 'crds/a.yaml': crd('example.com'), 'crds/b.yaml': crd('example.org') })).toHaveLength(2);
});

it('finds definitions in files that begin with other objects', () => {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: op }\n---\n';

  expect(names({ 'install.yaml': `${namespace}${crd('example.com')}` })).toEqual(['widgets.example.com']);
});

it('says nothing of templates of Helm whose definitions were found elsewhere', () => {
  const template = `{{- if .Values.crds }}\n${crd('example.com')}{{- end }}\n`;
  const texts = { 'config/crd/a.yaml': crd('example.com'), 'charts/op/templates/a.yaml': template };

  expect(findDefinitions(repositoryOf(texts)).notes).toEqual([]);
  expect(findDefinitions(repositoryOf({ 'charts/op/templates/a.yaml': template })).notes).toHaveLength(1);
});

it('takes another file where the API server refuses the first definition of a name', () => {
  const refused = crd('example.com').replace('{ type: object }', '{ type: array }');
  const texts = { 'crds/full/a.yaml': refused, 'crds/minimal/a.yaml': crd('example.com') };

  const { paths, notes } = findDefinitions(repositoryOf(texts));

  expect([paths, notes]).toEqual([['crds/minimal'], []]);
});

it('passes over a definition that the API server refuses, and says why', () => {
  const refused = crd('example.com').replace('{ type: object }', '{ type: array }');

  const { crds, notes } = findDefinitions(repositoryOf({ 'crds/a.yaml': refused, 'crds/b.yaml': crd('example.org') }));

  expect(crds).toHaveLength(1);
  expect(notes).toEqual([expect.stringMatching(/^passed over: crds\/a\.yaml: .*widgets\.example\.com.* was refused/)]);
});

it('says nothing of old versions of what was found, and little of others that cannot be read', () => {
  const old = (group: string): string => crd(group).replace('k8s.io/v1', 'k8s.io/v1beta1');
  const found = { 'crds/a.yaml': crd('example.com'), 'bundles/1/a.yaml': old('example.com') };

  expect(findDefinitions(repositoryOf(found)).notes).toEqual([]);
  expect(findDefinitions(repositoryOf({ ...found, 'b/1.yaml': old('b.org'), 'b/2.yaml': old('b.org') })).notes).toEqual(
    [expect.stringMatching(/^passed over: "b\/1\.yaml" line 1 is a .*; and 1 more$/)],
  );
});

it('reads a definition whose descriptions have the braces of a template', () => {
  const described = crd('example.com').replace('type: object', "type: object, description: 'such as {{ .Name }}'");

  expect(names({ 'crds/a.yaml': described })).toEqual(['widgets.example.com']);
});

it('says nothing of a file that names the kind and declares none', () => {
  const texts = {
    'config/crd/a.yaml': crd('example.com'),
    'config/crd/kustomizeconfig.yaml':
      'nameReference:\n- kind: Service\n  fieldSpecs:\n  - kind: CustomResourceDefinition\n',
  };

  expect(findDefinitions(repositoryOf(texts)).notes).toEqual([]);
});
