import { expect, it } from 'vitest';
import { Naming } from './naming.ts';

it.each([
  ['backup-20261126120033', 'backup~0'],
  ['backup-202611261200-full', 'backup~0'],
  ['backup-1795694433', 'backup~0'],
  ['backup-1795694433123', 'backup~0'],
  ['backup-1795806752171025377', 'backup~0'],
  ['backup-17956944331', 'backup-17956944331'],
  ['backup-20261326120033', 'backup-20261326120033'],
  ['release-20261126', 'release-20261126'],
  ['a20261126120033', 'a20261126120033'],
])('goes by its order where the target puts the time into a name: %s', (name, canonical) => {
  const body = { metadata: { name } };

  expect(new Naming().ofCreate('backups.example.com', 'default', body, true)).toBe(canonical);
  expect(new Naming().ofCreate('backups.example.com', 'default', body, false)).toBe(name);
});

it('takes no time for what the target draws, where its names are known to be drawn', () => {
  const naming = new Naming({ nodes: { kept: ['fixed-1795694433'], stems: [''] } });
  const nameOf = (name: string): string => naming.ofCreate('nodes', '', { metadata: { name } }, true);

  expect(nameOf('bold-bose-3524234797')).toBe('~0');
  expect(nameOf('funny-keller-1795694433')).toBe('~1');
  expect(nameOf('fixed-1795694433')).toBe('fixed-1795694433');
});

it('names a child after the canonical name of an owner that the target named after the time', () => {
  const naming = new Naming();
  const name = 'report-1795806752171025377';
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Report', name, uid: 'u', controller: true }];
  naming.ofCreate('reports.example.com', 'default', { metadata: { name } }, true);
  const child = { metadata: { name: `${name}-svc`, ownerReferences } };

  expect(naming.ofCreate('services', 'default', child, true)).toBe('report~0/report~0');
});
