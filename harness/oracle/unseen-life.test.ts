import { expect, it } from 'vitest';
import type { Difference } from './final-state.ts';
import { historyBuilder, manifest } from './test-history.ts';
import { diedUnseen } from './unseen-life.ts';

const KIND = 'configmaps';
const MISSING: Difference = { what: 'missing-object', resource: KIND, object: `${KIND}/web`, path: '', uid: undefined };

/** Returns a history in which a writer deletes what the target has created. */
function history({
  shown = false,
  watches = true,
  reads = false,
  lists = true,
  streams = false,
  by = 'writer-1',
} = {}): ReturnType<ReturnType<typeof historyBuilder>['build']> {
  const h = historyBuilder().phase('contention');
  h.create('controller', KIND, manifest('ConfigMap', 'web'));
  if (watches) h.call('controller', 'watch', KIND, '');
  if (shown) h.deliver('controller', KIND);
  if (reads) h.get('controller', KIND, 'web');
  h.delete(by, KIND, 'web');
  if (lists) h.list('controller', KIND);
  if (streams) h.call('controller', 'watch', KIND, '', { query: { watch: 'true', sendInitialEvents: 'true' } });
  return h.build();
}

it('is an object that came and went before the target listed again', () => {
  expect(diedUnseen(history(), MISSING)).toBe(true);
  expect(diedUnseen(history({ by: 'controller' }), MISSING)).toBe(true);
  expect(diedUnseen(history({ reads: true }), MISSING)).toBe(true);
  expect(diedUnseen(history({ lists: false, streams: true }), MISSING)).toBe(true);
  expect(diedUnseen(history(), { ...MISSING, what: 'extra-object' })).toBe(false);
});

it.each([
  ['that an event had shown', { shown: true }],
  ['of a kind that was not listed since', { lists: false }],
  ['of a kind that the target never watches', { watches: false }],
])('is none %s', (_, how) => {
  expect(diedUnseen(history(how), MISSING)).toBe(false);
});
