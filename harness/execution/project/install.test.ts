import { describe, expect, it } from 'vitest';
import { ApiServer } from 'stalemate-apiserver';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { HarnessError } from '../../model/errors.ts';
import { installProject, unserved } from './install.ts';

function server(): ApiServer {
  let uids = 0;
  return new ApiServer({ now: () => 0, newUid: () => `uid-${++uids}`, nameSuffix: () => 'abcde' });
}

const configMap = (name: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});

describe('installing a project', () => {
  it('makes namespaces that nobody declares, and leaves alone what is there', () => {
    const made = server();

    installProject(made, [configMap('a', 'shop'), configMap('b'), configMap('b')], 'home');

    expect(made.object('configmaps', 'shop', 'a')).toBeDefined();
    expect(made.object('configmaps', 'home', 'b')).toBeDefined();
  });

  it('keeps the status of a node, which is set when it is made, and of nothing else', () => {
    const made = server();
    const status = { phase: 'Active' };

    installProject(
      made,
      [
        { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {}, status: { capacity: { cpu: '4' } } },
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 1 }] }, status },
      ],
      'home',
    );

    expect(made.object('nodes', '', 'n')?.['status']).toMatchObject({ capacity: { cpu: '4' } });
    expect(made.object('services', 'home', 's')?.['status']).not.toMatchObject(status);
  });

  it('fills roles that gather the rules of others', () => {
    const role = (name: string, more: object): KubeObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name, labels: { part: name } },
      ...more,
    });
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
    const made = server();

    installProject(
      made,
      [
        role('whole', { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'pods' } }] }, rules: [] }),
        role('pods', { rules: [rule] }),
        role('other', { rules: [{ ...rule, verbs: ['delete'] }] }),
      ],
      'default',
    );

    expect(made.object('clusterroles.rbac.authorization.k8s.io', '', 'whole')?.['rules']).toEqual([rule]);
  });

  it('says which object the server refuses, and why', () => {
    const broken = { ...configMap('Not A Name', 'shop') };

    expect(() => installProject(server(), [broken], 'default')).toThrow(HarnessError);
    expect(() => installProject(server(), [broken], 'default')).toThrow(
      /refused ConfigMap shop\/Not A Name of the manifests with 422: .*a lowercase RFC 1123 subdomain/s,
    );
  });

  it('names kinds that nobody serves, each once', () => {
    const monitor = (name: string): KubeObject => ({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata: { name },
    });

    expect(unserved([monitor('a'), configMap('b'), monitor('c')], new Set(['v1/ConfigMap']))).toEqual([
      'ServiceMonitor (monitoring.coreos.com/v1)',
    ]);
  });
});
