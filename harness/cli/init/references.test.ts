import { expect, it } from 'vitest';
import { drawReferenced, referencesIn } from './references.ts';

it('reads kinds with names, and names of Secrets and ConfigMaps where fields speak of them', () => {
  const object = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'home' },
    spec: {
      secretRef: { name: 'git' },
      auth: { secretKeyRef: { name: 'db', key: 'password' } },
      other: { passwordSecretRef: { name: 'db', key: 'user', namespace: 'away' } },
      tls: [{ secretName: 'cert' }],
      configMapRefs: [{ name: 'settings' }],
      secretive: true,
      sourceRef: { kind: 'Repository', name: 'app' },
      template: { kind: 'Pod', name: 'p', metadata: {} },
    },
  };

  expect(referencesIn(object)).toEqual([
    { kind: 'Secret', name: 'git', namespace: 'home', keys: [] },
    { kind: 'Secret', name: 'db', namespace: 'home', keys: ['password'] },
    { kind: 'Secret', name: 'db', namespace: 'away', keys: ['user'] },
    { kind: 'Secret', name: 'cert', namespace: 'home', keys: [] },
    { kind: 'ConfigMap', name: 'settings', namespace: 'home', keys: [] },
    { kind: 'Repository', name: 'app', namespace: 'home', keys: [] },
  ]);
});

it('draws what is referenced with the entries that are named', () => {
  expect(drawReferenced({ kind: 'Secret', name: 'db', namespace: '', keys: ['password'] })).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'db' },
    stringData: { password: 'example' },
  });
});

it('draws nothing whose schema it does not know', () => {
  expect(drawReferenced({ kind: 'Repository', name: 'app', namespace: '', keys: [] })).toBeUndefined();
});
