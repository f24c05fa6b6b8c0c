import { expect, it } from 'vitest';
import type { HistoryBuilder } from '../../oracle/test-history.ts';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { freshWrites } from './fresh-writes.ts';

const POOLS = 'pools.example.com';

/** A pool with one address in use; then the target is started again. */
function restarted(): HistoryBuilder {
  const h = historyBuilder();
  h.create('user', POOLS, manifest('Pool', 'a', { status: { used: 1, phase: 'Wrong' } }));
  return h.process('controller', 'stopped').process('controller~2', 'started');
}

function set(h: HistoryBuilder, field: string, value: number | string): void {
  h.edit('controller~2', POOLS, 'a', ['status', field], value, 'status');
}

it('has no writes that are taken back before the copy is at rest', () => {
  const h = restarted();
  set(h, 'used', 0);
  set(h, 'used', 1);

  expect(freshWrites(h.build())).toMatchObject({ writes: [], paths: [] });
});

it('has the leaves of a write that stay changed', () => {
  const h = restarted();
  set(h, 'used', 0);
  set(h, 'phase', 'Right');
  set(h, 'used', 1);

  expect(freshWrites(h.build())).toMatchObject({ paths: [['status.phase']] });
});

it('has what was made or deleted for good, and not what was both', () => {
  const h = restarted();
  h.create('controller~2', 'configmaps', manifest('ConfigMap', 'probe'));
  h.delete('controller~2', 'configmaps', 'probe');
  h.create('controller~2', 'configmaps', manifest('ConfigMap', 'child'));
  h.delete('controller~2', POOLS, 'a');

  const { writes } = freshWrites(h.build()) as { readonly writes: readonly string[] };
  expect(writes.map((text) => text.split(' ', 2).join(' '))).toEqual([
    'create configmaps/child',
    'delete pools.example.com/a',
  ]);
});
