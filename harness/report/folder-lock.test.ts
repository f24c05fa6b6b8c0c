/** Two runs with the same report folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ourHost } from 'stalemate-apiserver/processes/process-identity';
import { lockFolder, takeFolder } from './folder-lock.ts';
import { eventually } from '../determinism/test-wait.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a report folder', () => {
  it('is for one run at a time', () => {
    const release = lockFolder(folder);

    expect(() => lockFolder(folder)).toThrow(
      `another run (process ${process.pid}) writes to "${folder}"; wait for it, or name another folder with --report-dir`,
    );

    release();
    lockFolder(folder)();
    expect(existsSync(join(folder, 'in-use'))).toBe(false);
  });

  const left = (holder: object): string => JSON.stringify({ version: 1, started: '1', ...holder });

  it('stays with a run of another container for as long as it goes on, whatever its number', () => {
    const path = join(folder, 'in-use');
    writeFileSync(path, left({ host: 'another pid:[1]', pid: 999_999_999 }));

    expect(() => lockFolder(folder)).toThrow(
      `another run (process 999999999 of another, or one that ended less than 2 minutes ago) writes to "${folder}"; wait`,
    );

    utimesSync(path, 0, 0);
    lockFolder(folder)();
    expect(existsSync(path)).toBe(false);
  });

  it('is waited for where its run was killed on another machine a moment ago, and not where that lives', async () => {
    const path = join(folder, 'in-use');
    const waits: string[] = [];
    const manner = { signal: new AbortController().signal, onWait: (why: string) => void waits.push(why) };
    writeFileSync(path, left({ host: 'another pid:[1]', pid: 9 }));
    const silent = Date.now() / 1000 - 119;
    utimesSync(path, silent, silent);

    (await takeFolder(folder, manner))();

    expect(waits).toEqual([
      `process 9 of another, or one that ended less than 2 minutes ago, had "${folder}"; waiting for it to be silent for so long`,
    ]);
    writeFileSync(path, left({ host: 'another pid:[1]', pid: 9 }));
    const taken = takeFolder(folder, { ...manner, onWait: () => utimesSync(path, silent, silent + 60) });
    await expect(taken).rejects.toThrow('another run (process 9 of another');
  });

  it('goes to one of many that find a dead holder at the same moment', async () => {
    const rounds = Array.from({ length: 60 }, (_, round) => join(folder, String(round)));
    for (const place of rounds) {
      mkdirSync(place);
      writeFileSync(join(place, 'in-use'), left({ host: ourHost(), pid: 999_999_999 }));
    }
    const code = `
      import { lockFolder } from ${JSON.stringify(new URL('folder-lock.ts', import.meta.url).href)};
      const places = ${JSON.stringify(rounds)};
      const had = [];
      process.stdout.write('ready');
      process.stdin.once('data', () => {
        for (const place of places) {
          try { lockFolder(place); had.push(place); } catch {}
        }
        // No process releases its lock before all have tried.
        process.stdout.write(JSON.stringify(had));
        process.stdin.once('end', () => process.exit());
        process.stdin.resume();
      });`;
    const children = [1, 2, 3].map(() => spawn(process.execPath, ['--input-type=module', '-e', code]));
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    const answers = children.map((child) => once(child.stdout, 'data'));

    for (const child of children) child.stdin.write('go');

    const had = (await Promise.all(answers)).flatMap(([text]) => JSON.parse(String(text)) as readonly string[]);
    expect(had.toSorted()).toEqual(rounds.toSorted());
    for (const place of rounds) expect(readdirSync(place)).toEqual(['in-use']);
    const ends = children.map((child) => once(child, 'close'));
    for (const child of children) child.stdin.end();
    await Promise.all(ends);
  }, 60_000);

  it('is seen to be in use from outside', async () => {
    const release = lockFolder(folder);
    utimesSync(join(folder, 'in-use'), 0, 0);

    await eventually(() => expect(statSync(join(folder, 'in-use')).mtimeMs).toBeGreaterThan(0));

    release();
  }, 60_000);

  it.each([
    left({ host: ourHost(), pid: 999_999_999 }),
    // As in a container, where the first process always has the same id.
    left({ host: ourHost(), pid: process.pid }),
    '999999999',
    '',
    'not a number',
  ])('is free when who had it is gone (%j)', (text) => {
    writeFileSync(join(folder, 'in-use'), text);

    expect(() => lockFolder(folder)()).not.toThrow();
  });
});
