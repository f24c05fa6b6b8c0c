import { expect, it } from 'vitest';
import { isCopiedEntry } from './copied-entries.ts';
import { historyBuilder, manifest } from './test-history.ts';

const WIDGETS = 'widgets.example.com';
const TOUCHED = ['metadata', 'annotations', 'touched'] as const;

/** A writer annotates a widget twice, and the target makes a child in between. */
function touchedTwice(): { history: Parameters<typeof isCopiedEntry>[0]; uid: string } {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web'));
  h.edit('writer-1', WIDGETS, 'web', TOUCHED, '1');
  const child = h.create('controller', 'configmaps', manifest('ConfigMap', 'web', { data: { a: 'b' } }));
  h.edit('writer-1', WIDGETS, 'web', TOUCHED, '9');
  return { history: h.build(), uid: child.metadata.uid ?? '' };
}

it.each([
  ['set at two times', '9', '1', true],
  ['set, and absent', undefined, '1', true],
  ['set, and never set by a writer', '9', 'made-up', false],
  ['absent, and never set by a writer', undefined, 'made-up', false],
])('an entry of a child is a copy where each value was %s', (_, expected, actual, copied) => {
  const { history, uid } = touchedTwice();
  const path = 'metadata.annotations.touched';
  const difference = { what: 'wrong-value', resource: 'configmaps', object: 'configmaps/web', path, uid } as const;

  expect(isCopiedEntry(history, { ...difference, expected, actual })).toBe(copied);
});

it('an entry is no copy where its values come from two objects', () => {
  const h = historyBuilder();
  for (const [name, value] of [
    ['a', '1'],
    ['b', '9'],
  ] as const) {
    h.create('user', WIDGETS, manifest('Widget', name));
    h.edit('writer-1', WIDGETS, name, TOUCHED, value);
  }
  const child = h.create('controller', 'configmaps', manifest('ConfigMap', 'b'));
  const path = 'metadata.annotations.touched';
  const uid = child.metadata.uid ?? '';

  expect(
    isCopiedEntry(h.build(), {
      ...({ what: 'wrong-value', resource: 'configmaps', object: 'configmaps/b' } as const),
      ...{ path, uid, expected: '9', actual: '1' },
    }),
  ).toBe(false);
});
