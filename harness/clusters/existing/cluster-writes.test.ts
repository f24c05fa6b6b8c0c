import { expect, it } from 'vitest';
import { allowsWrite, isClusterWrite } from './cluster-writes.ts';

const ROLES = 'clusterroles.rbac.authorization.k8s.io';

it.each([
  ['nodes=a', true],
  [`${ROLES}=widgets:*-reader`, true],
  ['certificatesigningrequests.certificates.k8s.io/approval=a', true],
  ['*=a', false],
  ['nodes', false],
  ['nodes=', false],
  ['Nodes=a', false],
  ['namespaces=a', false],
  ['namespaces/finalize=a', false],
])('takes %s for one: %s', (text, is) => {
  expect(isClusterWrite(text)).toBe(is);
});

it.each([
  ['a', 'a', true],
  ['a', 'ab', false],
  ['a*', 'ab', true],
  ['a*', 'ba', false],
  ['*', '', true],
  ['a*', '', false],
  ['a*b*c', 'axbxc', true],
  ['a*b*c', 'axc', false],
  ['ab*ba', 'aba', false],
  ['a.c', 'abc', false],
])('%s allows the name "%s": %s', (names, name, is) => {
  expect(allowsWrite([`nodes=${names}`], 'nodes', name)).toBe(is);
});

it('allows one kind, and a subresource of it only by its name', () => {
  expect(allowsWrite([`${ROLES}=*`], 'clusterrolebindings.rbac.authorization.k8s.io', 'a')).toBe(false);
  expect(allowsWrite(['nodes=*'], 'nodes/proxy', 'a')).toBe(false);
  expect(allowsWrite(['nodes/proxy=*'], 'nodes', 'a')).toBe(false);
  expect(allowsWrite(['nodes/proxy=*'], 'nodes/proxy', 'a')).toBe(true);
});
