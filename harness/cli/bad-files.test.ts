/** Checks that each command reports malformed or huge files quickly, in one sentence, and does not change them. */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordOf } from '../report/record.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { encodeRecord } from '../schedule/codec/record.ts';
import { type BinResult, stalemate, stalemateLines, startStalemate } from './test-bin.ts';

const GIBIBYTE = 1024 ** 3;
const LEVELS = 20_000;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'stalemate-files-')));
  spawnSync('mkfifo', [join(folder, 'pipe'), join(folder, 'pipe.yaml')]);
  mkdirSync(join(folder, 'folder'));
  mkdirSync(join(folder, 'folder.yaml'));
  for (const name of ['loop', 'loop.yaml']) symlinkSync(name, join(folder, name));
  symlinkSync('/dev/zero', join(folder, 'device.yaml'));
  for (const name of ['huge', 'huge.yaml']) {
    writeFileSync(join(folder, name), '');
    truncateSync(join(folder, name), 5 * GIBIBYTE);
  }
  writeFileSync(join(folder, 'deep'), `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`);
  writeFileSync(join(folder, 'deep.yaml'), `apiVersion: v1\nkind: A\na: ${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`);
  const named = Array.from({ length: 200 }, () => '*a').join(', ');
  writeFileSync(join(folder, 'aliases.yaml'), `a: &a [1, 2, 3, 4, 5, 6, 7]\nb: &b [${named}]\nc: [*b, *b, *b, *b]\n`);
  writeFileSync(join(folder, 'self.yaml'), 'apiVersion: v1\nkind: A\na: &a\n  b: *a\n');
  writeFileSync(join(folder, 'plain.yaml'), 'target: target.ts\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function refused(args: readonly string[], result = stalemate(args, { cwd: folder })): string {
  const { code, stdout, stderr } = result;
  expect({ args, code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return stderr;
}

/** A kind of file that no command can read. */
const KINDS: readonly (readonly [name: string, said: RegExp])[] = [
  ['pipe', /is a named pipe/],
  ['loop', /is a loop of symbolic links|does not exist|cannot be read/],
  ['huge', /has 5368709120 bytes, more than/],
];

const KINDS_BY_COMMAND = [
  ['replay', ''],
  ['recheck', ''],
  ['report', ''],
  ['merge', ''],
  ['serve --token-file', ''],
  ['serve --crds', '.yaml'],
  ['run --config', '.yaml'],
].flatMap(([command = '', end = '']) => KINDS.map(([name, said]) => [command, name + end, said] as const));

describe('a file that cannot be read', () => {
  const REFUSED: readonly (readonly [command: string, file: string, said: RegExp | string])[] = [
    ...KINDS_BY_COMMAND,
    ['replay', '/dev/zero', 'is a device'],
    ['replay', 'folder', 'is a folder'],
    ['serve --token-file', '/dev/zero', 'is a device'],
    ['serve --crds', 'device.yaml', 'is a device'],
    ['run --config', 'device.yaml', 'is a device'],
    ['run --config', 'folder.yaml', 'is a folder'],
    ['replay', 'deep', 'nests deeper than 2000 levels'],
    ['recheck', 'deep', 'nests deeper than 2000 levels'],
    ['report', 'deep', 'nests deeper than 2000 levels'],
    ['merge', 'deep', 'nests deeper than 2000 levels'],
    ['serve --crds', 'deep.yaml', '"deep.yaml" line 3'],
    ['run --config', 'deep.yaml', '"deep.yaml" could not be loaded'],
    ['serve --crds', 'aliases.yaml', 'anchors that cannot be followed: Excessive alias count'],
    ['run --config', 'aliases.yaml', 'Excessive alias count'],
    ['serve --crds', 'self.yaml', 'holds an anchor inside itself'],
    ['run --config', 'self.yaml', 'holds an anchor inside itself'],
  ];
  const lineOf = ([command, file]: (typeof REFUSED)[number]): readonly string[] => [...command.split(' '), file];
  let results: readonly BinResult[];
  beforeAll(() => {
    results = stalemateLines(REFUSED.map(lineOf), folder);
  });

  it.each(REFUSED.map((row, at) => [...row, at] as const))('%s %s: %s', (command, file, said, at) => {
    expect(refused(lineOf([command, file, said]), results[at])).toMatch(said);
  });
});

it('passes by links to folders when it looks for soaks', () => {
  const place = join(folder, 'soaks');
  mkdirSync(place);
  for (const name of ['a', 'b', 'c']) symlinkSync('.', join(place, name));

  expect(refused(['merge', 'soaks'])).toContain('holds no soak.jsonl');
});

it.each([
  ['merge', ['merge', 'deep']],
  ['run --crds', ['run', '--target', 'target.ts', '--sample', 'plain.yaml', '--crds', 'deep']],
])('%s says which folder inside of another one cannot be read', (_, args) => {
  // A path that is too long is unreadable even for root.
  const place = join(folder, 'deepest');
  const script = `mkdir deep && cd deep && for i in $(seq 30); do mkdir ${'d'.repeat(200)}; cd ${'d'.repeat(200)}; done`;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'target.ts'), '');
  spawnSync('/bin/sh', ['-c', script], { cwd: place });
  const { code, stdout, stderr } = stalemate(args, { cwd: place });
  spawnSync('rm', ['-rf', place]);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^stalemate: "[^"]*d{200}" has too long a name, [^\n]*\n$/);
});

it('ends by an interrupt while it serves', async () => {
  const child = startStalemate(['serve', '--plain-http'], folder);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGINT');

  expect(await new Promise((resolve) => child.once('exit', (code) => resolve(code)))).toBe(0);
});

it('writes no page over a file that is none', () => {
  writeFileSync(join(folder, 'record.json'), encodeRecord(recordOf(lostUpdate())));
  writeFileSync(join(folder, 'thesis.html'), '<!doctype html><p>mine');
  const write = (out: string): number | null =>
    stalemate(['report', 'record.json', '--out', out], { cwd: folder }).code;

  expect(refused(['report', 'record.json', '--out', 'thesis.html'])).toContain('is a file, but no page of stalemate');
  expect(readFileSync(join(folder, 'thesis.html'), 'utf8')).toBe('<!doctype html><p>mine');
  expect([write('page.html'), write('page.html')]).toEqual([0, 0]);
});
