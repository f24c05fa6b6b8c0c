import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAIRS, type Proof } from './pairs.ts';
import { withBugs } from './start.ts';

const README = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
const IN_README = [...README.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);

function overlaps(one: Proof, other: Proof): boolean {
  const agrees = (a = '', b = ''): boolean => a.startsWith(b) || b.startsWith(a);
  return (
    one.property === other.property &&
    one.resource === other.resource &&
    agrees(one.field, other.field) &&
    agrees(one.cause, other.cause)
  );
}

it('has twenty different pairs', () => {
  const names = PAIRS.map(({ controller, bugs }) => `${controller} ${bugs.map(({ bug }) => bug).join(' + ')}`);

  expect(new Set(names).size).toBe(20);
  expect(names).toHaveLength(20);
});

it('explains each bug of a pair in the README, and no other', () => {
  const planted = PAIRS.flatMap(({ bugs }) => bugs.map(({ bug }) => bug));

  expect(new Set(IN_README)).toEqual(new Set(planted));
});

describe.each(PAIRS.map((pair) => ({ name: pair.bugs.map(({ bug }) => bug).join(' + '), pair })))(
  '$pair.controller $name',
  ({ pair: { controller, bugs } }) => {
    it('can have both bugs', () => {
      expect(withBugs(controller, ...bugs.map(({ bug }) => bug))).toBeTypeOf('function');
    });

    it('has no finding that proves both', () => {
      const [first, second] = bugs;
      const shared = first.provedBy.filter((one) => second.provedBy.some((other) => overlaps(one, other)));

      expect(shared).toEqual([]);
    });
  },
);

it('refuses two bugs of which one would replace the other, and bugs that it does not know', () => {
  expect(() => withBugs('releases', 'takes-conditions-from-cache', 'patches-conditions-blind')).toThrow(
    'both replace the step "readRelease"',
  );
  expect(() => withBugs('disks', 'leaks')).toThrow('got bug "leaks", expected one of asks-without-key,');
});
