import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goRegExp, patternFault, readPattern } from './go-regexp.ts';

/** Results of Go 1.26: a pattern, matching texts and non-matching texts. Written by a Go program with package regexp. */
const TABLE: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [String.raw`^\pL+$`, ['abc', 'pL', 'é'], ['1']],
  [String.raw`^\p{Greek}+$`, ['αβ'], ['ab']],
  [String.raw`^\PN$`, ['a'], ['PN', '7']],
  [String.raw`^\Qa.b\E$`, ['a.b'], ['axb', 'Qa.bE']],
  [String.raw`^\Q(x`, ['(x'], ['x']],
  [String.raw`^\x{41}$`, ['A'], ['x']],
  [String.raw`^\x41$`, ['A'], []],
  [String.raw`^\a\f\v$`, ['\u0007\f\u000b'], ['afv']],
  [String.raw`^\012$`, ['\n'], []],
  [String.raw`^\-\_\/\@\:$`, ['-_/@:'], []],
  ['^[[:alpha:]]+$', ['aZ'], ['a1', ':']],
  ['^[[:^alpha:]]+$', ['12'], ['a']],
  ['^[[:word:]-]+$', ['a_1-'], ['.']],
  ['^[]a]+$', [']a'], ['b']],
  [String.raw`^[^\pL\d]$`, ['-'], ['a', '1']],
  [String.raw`^[\w.&&a]+$`, ['a&', 'b.'], ['-']],
  ['^a(?i)b|c$', ['aB', 'xC', 'C'], ['AB']],
  ['^(a(?i)b)c$', ['aBc'], ['aBC']],
  ['(?i)^straße$', ['STRAßE'], ['STRASSE']],
  ['(?i)^k$', ['K', '\u212a'], []],
  ['(?i:a)b', ['Ab'], ['AB']],
  ['(?-i)a(?i)B(?-i)c', ['abc'], ['abC']],
  ['(?s)^.$', ['\n', 'a'], []],
  ['^.$', ['😀', 'é'], ['\n']],
  ['(?m)^b$', ['a\nb\nc'], ['ab']],
  ['^a$', ['a'], ['a\n']],
  [String.raw`\Aa\z`, ['a'], ['xa', 'a\n']],
  [String.raw`^C:\\zip$`, [String.raw`C:\zip`], ['C:zip']],
  ['(?U)^a+$', ['aaa'], ['b']],
  ['^(?P<first>a)(?<second>b)$', ['ab'], ['ba']],
  ['^a{,2}$', ['a{,2}'], ['aa']],
  ['^a{2,3}?$', ['aa'], ['a']],
  ['a{0}b', ['b'], []],
  [String.raw`\bé\b`, [], ['é', ' é ']],
  [String.raw`^\s$`, [' '], ['\u000b', '\u00a0']],
  [String.raw`^\d+$`, ['12'], ['١']],
  [String.raw`^\w+$`, ['a_1'], ['é']],
  ['^$', [''], ['\n']],
  ['x*', [''], []],
  [String.raw`^(([a-z0-9]|[a-z0-9][-a-z0-9]*[a-z0-9])\.)*[a-z]+$`, ['a-b.example.com'], ['-a.b']],
  [
    String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
    ['1.5Gi', '1e3'],
    ['1Q'],
  ],
  [String.raw`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, ['1h30m', '1µs'], ['1d']],
  ['^[^/]+(?:/[^/]+)*$', ['a/b'], ['/a']],
];

/** `regexp.Compile` errors of Go 1.26. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['[a', 'missing closing ]: `[a`'],
  ['(a', 'missing closing ): `(a`'],
  ['a)', 'unexpected ): `a)`'],
  ['*a', 'missing argument to repetition operator: `*`'],
  ['a**', 'invalid nested repetition operator: `**`'],
  ['a++', 'invalid nested repetition operator: `++`'],
  [String.raw`\8`, 'invalid escape sequence: `\\8`'],
  [String.raw`\C`, 'invalid escape sequence: `\\C`'],
  [String.raw`\Z`, 'invalid escape sequence: `\\Z`'],
  [String.raw`\u0041`, 'invalid escape sequence: `\\u`'],
  ['a{1001}', 'invalid repeat count: `{1001}`'],
  ['a{2,1}', 'invalid repeat count: `{2,1}`'],
  ['(?:a{2}){1000}', 'invalid repeat count: `{1000}`'],
  ['[z-a]', 'invalid character class range: `z-a`'],
  ['[^]', 'missing closing ]: `[^]`'],
  ['(?P<n', 'invalid named capture: `(?P<n`'],
  ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(?!a)', 'invalid or unsupported Perl syntax: `(?!`'],
  ['(?<=a)b', 'invalid named capture: `(?<=a)b`'],
  ['(?>a)', 'invalid or unsupported Perl syntax: `(?>`'],
  ['(?z)a', 'invalid or unsupported Perl syntax: `(?z`'],
  [String.raw`(a)\1`, 'invalid escape sequence: `\\1`'],
  ['\\', 'trailing backslash at end of expression: ``'],
  ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
  [String.raw`\pX`, 'invalid character class range: `\\pX`'],
  [String.raw`\xZ`, 'invalid escape sequence: `\\xZ`'],
];

/** `FindAllString` results of Go 1.26. */
const FOUND: readonly (readonly [string, string, readonly string[]])[] = [
  ['a*', 'baac', ['', 'aa', '']],
  ['l', 'hello', ['l', 'l']],
  ['(?i)L+', 'heLlo', ['Ll']],
  [String.raw`\_.`, 'a_b_c', ['_b', '_c']],
  ['', 'ab', ['', '', '']],
  ['.', '😀é', ['😀', 'é']],
  [String.raw`\b`, 'ab cd', ['', '', '', '']],
];

describe('a pattern', () => {
  it.each(TABLE)('%s matches as in Go', (pattern, matched, others) => {
    const regexp = goRegExp(pattern);

    expect(matched.filter((text) => regexp?.test(text) !== true)).toEqual([]);
    expect(others.filter((text) => regexp?.test(text) !== false)).toEqual([]);
  });

  it.each(REFUSED)("%s is refused with Go's error", (pattern, why) => {
    expect(goRegExp(pattern)).toBeUndefined();
    expect(readPattern(pattern)).toEqual({ fault: `error parsing regexp: ${why}` });
  });

  it.each(FOUND)('%s finds in %s what Go finds', (pattern, text, found) => {
    expect(goRegExp(pattern)?.findAll(text, -1)).toEqual(found);
    expect(goRegExp(pattern)?.findAll(text, 1)).toEqual(found.slice(0, 1));
  });
});

const pieces = fc.constantFrom(
  ...[
    'a',
    'Z',
    '0',
    '_',
    ' ',
    '.',
    '/',
    '-',
    ':',
    '\\.',
    '\\d',
    '\\-',
    '\\q',
    '[a-z]',
    '[^A-Z0-9_.-]',
    '[a-Z]',
    '[z-a]',
    '[',
    ']',
  ],
  ...['(', ')', '(?:', '(?i)', '|', '^', '$', '*', '+', '?', '*?', '{2}', '{2000}', '{'],
);

it('finds the same errors with and without compiling common patterns (seed 16)', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const source = parts.join('');
      const read = readPattern(source);

      expect(patternFault(source)).toBe('fault' in read ? read.fault : undefined);
    }),
    { seed: 16, numRuns: 2000 },
  );
});
