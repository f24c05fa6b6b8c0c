import { describe, expect, it } from 'vitest';
import { HarnessError } from '../model/errors.ts';
import { errorWithPrinted, lastLines, lastLinesOf, linesAbout, printedIn, printedLines } from './last-words.ts';
import { TOKENS } from './redaction/test-secrets.ts';

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

describe('the last lines', () => {
  it('are ten at most, without empty ones', () => {
    expect(lastLines([...numbered(30), '', '  '])).toEqual(numbered(30).slice(-10));
    expect(lastLines([])).toEqual([]);
  });

  it('begin where a program reports what went wrong, and end with its end', () => {
    const trace = ['Traceback (most recent call last):', ...numbered(20), 'ValueError: no such thing', 'exit status 1'];

    expect(lastLines([...numbered(5), ...trace])).toEqual([
      'Traceback (most recent call last):',
      ...numbered(6),
      '(14 lines left out)',
      'ValueError: no such thing',
      'exit status 1',
    ]);
  });

  it.each([
    'flag provided but not defined: -no-such-flag',
    'invalid value "x" for flag -retries: parse error',
    'invalid boolean value "x" for -leader-elect: parse error',
    "error: unexpected argument '--no-such-flag' found",
    'Error: unknown flag: --no-such-flag',
  ])('begin with the complaint about an argument, before all arguments: %s', (line) => {
    expect(lastLines([line, ...numbered(60)])[0]).toBe(line);
  });

  it('show control characters as what they are, without colours', () => {
    expect(lastLines(['\u001B[31mfatal\u001B[0m \u0007 \u001B \u202Egnp'])).toEqual([
      String.raw`fatal \u0007 \u001b \u202egnp`,
    ]);
  });

  it.each(Object.entries(TOKENS).filter(([, token]) => !token.includes('\n')))(
    'are cut between words, so that half of a token is never there: %s',
    (_, token) => {
      for (const before of ['a '.repeat(149), `${'a '.repeat(148)}k="`, `{"a":"${'b'.repeat(280)}","t":"`]) {
        const [line = ''] = lastLines([`${before}${token}${' z'.repeat(200)}`]);

        expect(line.length).toBeLessThan(320);
        expect(line).toMatch(/…$/);
        expect(line.includes(token) || !line.includes(token.slice(0, 6))).toBe(true);
      }
    },
  );

  it('have no line of a private key', () => {
    const lines = ['loading', ...(TOKENS['private key'] ?? '').split('\n'), 'failed'];

    const [begin = ''] = lines.slice(1);
    expect(lastLines(lines)).toEqual(['loading', begin, 'failed']);
    expect(lastLines(lines.slice(0, 4))).toEqual(['loading', begin]);
  });

  it('are those of the last life that printed', () => {
    const logs = ['controller', 'controller~2'].map((actor) => ({ actor, line: `by ${actor}`, at: 1, timeMs: 1 }));

    expect(lastLinesOf({ logs })).toEqual(['by controller~2']);
    expect(lastLinesOf({})).toEqual([]);
  });
});

it('an error shows them below its message, under a heading, and tells which they are', () => {
  const error = errorWithPrinted('TARGET_FAILED', 'it ended', ['one', 'two']);

  expect(error.message).toBe('it ended\nThe target printed last:\n  one\n  two');
  expect(printedIn(error)).toEqual(['one', 'two']);
  expect(errorWithPrinted('TARGET_FAILED', 'it ended', []).message).toBe('it ended');
  expect(printedIn(new HarnessError('USAGE', 'm'))).toEqual([]);
  expect(printedLines()).toEqual([]);
});

describe('lines about objects', () => {
  const logs = (lines: readonly string[]): Parameters<typeof linesAbout>[0] => ({
    logs: lines.map((line, at) => ({ actor: 'controller', line, at, timeMs: at })),
  });

  it('name one of them, each text once, whatever the time in it', () => {
    const lines = [
      '10:00:01 "Starting EventSource" controller="widget"',
      '10:00:02 "no owner yet" Widget="default/a"',
      '10:00:07 "no owner yet" Widget="default/a"',
      "10:00:08 widget 'a' is paused",
      '10:00:09 "no owner yet" Widget="default/ab"',
    ];

    expect(linesAbout(logs(lines), [{ namespace: 'default', name: 'a' }])).toEqual([lines[1], lines[3]]);
  });
});
