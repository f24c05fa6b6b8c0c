import { expect, it } from 'vitest';
import { conflicts, type Item } from './item.ts';

function item(touches: string, write = false): Item {
  const rest = { seq: 0, kind: 'send', actor: 'a', label: 'l', stream: '', k: 0, verb: '', revision: 0 } as const;
  return { ...rest, staleable: false, touches, write };
}

const WRITE = item('widgets.example.com/default/a', true);

it.each([
  ['the same object', 'widgets.example.com/default/a', true],
  ['another object', 'widgets.example.com/default/b', false],
  ['the collection of its namespace', 'widgets.example.com/default/', true],
  ['the collection of another namespace', 'widgets.example.com/other/', false],
  ['the collection of all namespaces', 'widgets.example.com//', true],
  ['a collection of another kind', 'gadgets.example.com//', false],
  ['a timer', '', false],
])('a write does not commute with a read of what it touches: %s', (_, touches, expected) => {
  expect(conflicts(item(touches), WRITE)).toBe(expected);
  expect(conflicts(WRITE, item(touches))).toBe(expected);
});

it('two reads always commute', () => {
  expect(conflicts(item(WRITE.touches), item(WRITE.touches))).toBe(false);
});
