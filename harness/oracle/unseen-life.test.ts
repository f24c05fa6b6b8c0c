import { expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import type { Difference } from './final-state.ts';
import { historyBuilder, manifest } from './test-history.ts';
import { diedUnseen } from './unseen-life.ts';

const KIND = 'configmaps';
const MISSING: Difference = { what: 'missing-object', resource: KIND, object: `${KIND}/web`, path: '', uid: undefined };
const OBJECT = manifest('ConfigMap', 'web');

/** Returns a history in which an object that the target has created is deleted, its watch expires, and it lists again. */
function history({
  shown = false,
  shownBefore = false,
  watches = true,
  expires = true,
  reads = false,
  lists = true,
  streams = false,
  retries = false,
  by = 'writer-1',
} = {}): History {
  const h = historyBuilder().phase('contention');
  const watch = watches ? h.call('controller', 'watch', KIND, '') : undefined;
  h.create('controller', KIND, OBJECT);
  if (shownBefore) {
    h.deliver('controller', KIND);
    h.delete('user', KIND, 'web');
    h.create('controller', KIND, OBJECT);
  }
  if (shown) h.deliver('controller', KIND);
  if (reads) h.get('controller', KIND, 'web');
  h.delete(by, KIND, 'web');
  if (retries) h.begin('controller', 'create', KIND, 'web', { body: OBJECT }).fail(500);
  if (expires) h.endStream('controller', KIND, 'expired');
  if (lists) h.list('controller', KIND);
  if (streams) h.call('controller', 'watch', KIND, '', { query: { watch: 'true', sendInitialEvents: 'true' } });
  const built = h.build();
  const stream = watch?.label ?? '';
  return { ...built, streamEnds: built.streamEnds.map((end) => ({ ...end, stream })) };
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
  ['whose predecessor an event had shown: the list brings the deletion of that', { shownBefore: true }],
  ['of a kind that was not listed since', { lists: false }],
  ['whose watch was open all the time', { expires: false }],
  ['of a kind that the target never watches', { watches: false, expires: false }],
  ['that the target has tried to make again', { retries: true }],
])('is none %s', (_, how) => {
  expect(diedUnseen(history(how), MISSING)).toBe(false);
});
