import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { claimsFor } from './claims.ts';

/** Returns a definition with one version whose spec and status have these fields. */
function definition(spec: JsonObject, status?: JsonObject): KubeObject {
  const properties = {
    spec: { type: 'object', properties: spec },
    ...(status === undefined ? {} : { status: { type: 'object', properties: status } }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'backups.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'backups', kind: 'Backup' },
      versions: [{ name: 'v1', storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }],
    },
  };
}

function always(crd: KubeObject): string {
  return (
    claimsFor(crd)
      .always?.map((claim) => ('cel' in claim ? claim.cel : ''))
      .join() ?? ''
  );
}

describe('the claims that init offers', () => {
  it('are about a count that the kind has, its replicas first', () => {
    const count = { type: 'integer' };

    expect(always(definition({ keep: count, replicas: count }))).toContain('object.spec.replicas >= 0');
    expect(always(definition({ schedule: { type: 'string' }, keep: count }))).toBe(
      '!has(object.spec.keep) || object.spec.keep >= 0',
    );
  });

  it('are about any field where the kind has no count, and about none that it does not have', () => {
    const text = { type: 'string' };

    expect(always(definition({ namespace: text, schedule: text }))).toBe(
      '!has(oldObject.spec.schedule) || has(object.spec.schedule)',
    );
    expect(always(definition({}))).toBe('object.metadata.generation >= oldObject.metadata.generation');
  });

  it('are about a status only where there is one', () => {
    expect(claimsFor(definition({}))).not.toHaveProperty('eventually');
    expect(claimsFor(definition({}, {}))).toHaveProperty('eventually');
    expect(claimsFor(undefined)).toMatchObject({ eventually: [{ resource: 'deployments.apps' }] });
  });
});
