import { describe, expect, it } from 'vitest';
import { isPutAside, waiverFor, waiverText, type Waiver } from './waiver.ts';

const WAIVER: Waiver = {
  property: 'no-lost-update',
  kind: 'deployments.apps',
  field: 'spec.template',
  writer: 'autoscaler',
  reason: 'r',
  expires: '2027-01-31',
};
const VIOLATION = {
  property: 'no-lost-update',
  kind: 'deployments.apps',
  field: 'spec.template',
  writers: ['autoscaler'],
};

describe('waiverFor', () => {
  it.each([
    ['the same', {}, true],
    ['a field below', { field: 'spec.template.spec.replicas' }, true],
    ['a key below', { field: 'spec.template["x"]' }, true],
    ['a field that only begins alike', { field: 'spec.templates' }, false],
    ['the field above', { field: 'spec' }, false],
    ['another kind', { kind: 'pods' }, false],
    ['another property', { property: 'convergence' }, false],
    ['another writer', { writers: ['scale-writer'] }, false],
    ['one writer among others', { writers: ['spec-churn', 'autoscaler'] }, true],
    ['nobody', { writers: [] }, false],
  ])('%s', (_, change, covered) => {
    expect(waiverFor([WAIVER], { ...VIOLATION, ...change }) === WAIVER).toBe(covered);
  });

  it('covers everything that it does not name', () => {
    const wide: Waiver = { property: 'no-lost-update', reason: 'r', expires: '2027-01-31' };

    expect(waiverFor([wide], { ...VIOLATION, kind: 'pods', writers: [] })).toBe(wide);
    expect(waiverText(wide)).toBe('no-lost-update');
    expect(waiverText(WAIVER)).toBe('no-lost-update of deployments.apps spec.template beside autoscaler');
  });
});

it('puts aside what is co-owned or volatile, with all below it, of that kind only', () => {
  const declared = {
    coOwned: [{ kind: 'deployments.apps', field: 'spec.replicas' }],
    volatile: [{ kind: 'widgets.example.com', field: 'status' }],
  };

  expect(isPutAside(declared, 'deployments.apps', 'spec.replicas')).toBe(true);
  expect(isPutAside(declared, 'widgets.example.com', 'status.token')).toBe(true);
  expect(isPutAside(declared, 'deployments.apps', 'status.token')).toBe(false);
  expect(isPutAside(undefined, 'deployments.apps', 'spec.replicas')).toBe(false);
});
