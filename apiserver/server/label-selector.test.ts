import { expect, it } from 'vitest';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';

it.each([
  ['a', true],
  ['!b', true],
  ['a in (x,y)', true],
  ['a notin (x,)', false],
  ['a in()', false],
  ['in in (in)', false],
  ['a=x,c=', false],
  ['a!=y,b!=z', true],
  [' a\t==\nx ', true],
  ['n>3', true],
  ['n<3', false],
  ['', true],
  [' ', true],
  ['a=x\0b', true],
])('selects by %j (34)', (text, matches) => {
  const matcher = parseLabelSelector(text);

  expect(typeof matcher === 'string' ? matcher : (matcher?.({ a: 'x', n: '4' }) ?? true)).toBe(matches);
});

it.each([
  ['a,', "found '', expected: identifier after ','"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['!!a', "unable to parse requirement: found '!', expected: identifier"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['a>=1', "unable to parse requirement: found '=', expected: identifier"],
  ['a===b', "unable to parse requirement: found '=', expected: identifier"],
  ['a=(b)', "unable to parse requirement: found '(', expected: identifier"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a notin (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  [
    'a>x',
    `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
])("refuses %j with apimachinery's message (34)", (text, why) => {
  expect(parseLabelSelector(text)).toBe(why);
});

it('refuses invalid keys and values, every value by itself (34)', () => {
  expect(parseLabelSelector('-a=b')).toMatch(
    /^unable to parse requirement: <nil>: Invalid value: "-a": name part must/,
  );
  expect(parseLabelSelector('a=b;c')).toMatch(
    /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "b;c": a valid label must/,
  );
  expect(parseLabelSelector('a in (-x,y,-z)')).toMatch(/requirement: \[values\[0\]\[a\]: .*, values\[1\]\[a\]: /);
});

it.each([
  ['a', "invalid selector: 'a'; can't understand 'a'"],
  ['b=1,a', "invalid selector: 'b=1,a'; can't understand 'a'"],
  ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  [String.raw`a=\b`, String.raw`invalid field selector: invalid escape sequence: \b`],
  ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
])('refuses the field selector %j (34)', (text, why) => {
  expect(parseFieldSelector(text)).toBe(why);
});

it('reads the terms of a field selector in order of their text (34)', () => {
  expect(parseFieldSelector(String.raw`b!=1,,a==x\,y`)).toEqual([
    { label: 'a', equal: true, value: 'x,y' },
    { label: 'b', equal: false, value: '1' },
  ]);
});
