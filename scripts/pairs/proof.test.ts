import { expect, it } from 'vitest';
import type { PlantedBug } from '../../controllers-under-test/pairs/pairs.ts';
import { mistakenFor, proves } from './proof.ts';

const BUG: PlantedBug = {
  bug: 'rebuilds-finalizers',
  provedBy: [
    {
      property: 'no-lost-update',
      resource: 'deployments.apps',
      field: 'metadata.finalizers',
      request: 'update deployments.apps',
    },
  ],
};

function finding(
  over: { readonly field?: string; readonly kind?: string; readonly verb?: string } = {},
): Parameters<typeof proves>[0] {
  const { field = 'metadata.finalizers', kind = 'deployments.apps', verb = 'update' } = over;
  const signature = { property: 'no-lost-update', class: 'rebuilt', actors: ['target', 'writer'], kind, field };
  const operations = [{ id: 7, verb, resource: kind, subresource: '' }];
  return { violation: { signature, operations: [7, 3] }, record: { operations } } as unknown as Parameters<
    typeof proves
  >[0];
}

it('matches a finding to a bug if property, resource, field and guilty request agree', () => {
  expect(proves(finding(), BUG)).toBe(true);
});

it.each([
  ['field', { field: 'spec.replicas' }],
  ['resource', { kind: 'configmaps' }],
  ['guilty request', { verb: 'patch' }],
] as const)('does not match a finding with another %s', (_, over) => {
  expect(proves(finding(over), BUG)).toBe(false);
});

it('matches only a finding of the cause that a proof names', () => {
  const bug = { ...BUG, provedBy: BUG.provedBy.map((proof) => ({ ...proof, cause: 'write | ' })) };
  const { violation, record } = finding();
  const causedBy = (key: string): boolean =>
    proves({ violation: { ...violation, cause: { key, text: key } }, record }, bug);

  expect(causedBy('write | PUT | deployments.apps | stale')).toBe(true);
  expect(causedBy('given up | update deployments.apps | a conflict')).toBe(false);
});

it('returns the finding that has a bug among its symptoms', () => {
  const { signature } = finding().violation;
  const other = { ...signature, field: 'spec.replicas' };
  const findings = [
    { name: 'spec', violation: finding().violation, stats: { symptoms: [{ signature: other, count: 3 }] } },
    {
      name: 'both',
      violation: finding().violation,
      stats: { symptoms: [other, signature].map((one) => ({ signature: one, count: 1 })) },
    },
  ] as unknown as readonly (Parameters<typeof mistakenFor>[0][number] & { readonly name: string })[];

  expect(mistakenFor(findings, BUG)?.name).toBe('both');
  expect(mistakenFor(findings.slice(0, 1), BUG)).toBeUndefined();
});
