import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostMark } from 'stalemate-apiserver/processes/process-identity';
import { HarnessError } from '../model/errors.ts';
import { findingFiles, writeFinding } from './record.ts';
import { lostUpdate } from './test-findings.ts';
import { checkFolder, partialOf, reportFolderOf, writeWhole } from './write-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-report-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function failure(write: () => void): HarnessError {
  try {
    write();
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('expected the write to fail');
}

describe('writeWhole', () => {
  it('writes into folders that do not exist yet and leaves nothing else behind', () => {
    const path = join(folder, 'a', 'b', 'c.json');

    writeWhole(path, '{}\n');

    expect(readFileSync(path, 'utf8')).toBe('{}\n');
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['c.json']);
  });

  it('makes folders that others make at the same moment', async () => {
    const started = new Int32Array(new SharedArrayBuffer(4));
    const code = `
      const { workerData: { started, folder, own } } = require('node:worker_threads');
      import(${JSON.stringify(new URL('write-files.ts', import.meta.url).href)}).then(({ writeWhole }) => {
        for (let round = 1; round <= 100; round++) {
          Atomics.add(started, 0, 1);
          while (Atomics.load(started, 0) < 2 * round);
          writeWhole(folder + '/' + round + '/a/b/' + own + '.json', '');
        }
      });`;
    const ends = ['one', 'other'].map(
      (own) =>
        new Promise((resolve, reject) => {
          const worker = new Worker(code, { eval: true, workerData: { started, folder, own } });
          worker.once('error', (error) => {
            // Release the other workers, which would wait for the failed one.
            Atomics.store(started, 0, 1_000_000);
            reject(error);
          });
          worker.once('exit', resolve);
        }),
    );

    await expect(Promise.all(ends)).resolves.toEqual([0, 0]);
  }, 60_000);

  it.runIf(existsSync('/dev/full'))('says that the disk is full and keeps what was there', () => {
    const path = join(folder, 'old.json');
    writeFileSync(path, 'old');
    // The kernel's full device replaces the temporary file: a real write that fails with a real ENOSPC.
    symlinkSync('/dev/full', partialOf(path));

    const error = failure(() => writeWhole(path, 'new'));

    expect(error.code).toBe('OUTPUT_FAILED');
    expect(error.message).toBe(
      `could not write "${path}": the disk is full; free some space or name another folder with --report-dir`,
    );
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['old.json']);
  });

  it('names the path when a file stands where a folder is needed', () => {
    writeFileSync(join(folder, 'taken'), '');

    const error = failure(() => writeWhole(join(folder, 'taken', 'x.json'), ''));

    expect(error.message).toMatch(/could not write ".*taken\/x\.json": a part of the path is a file, not a folder/);
  });

  it('names the path when a folder of that name is in the way', () => {
    mkdirSync(join(folder, 'x.json'));

    expect(failure(() => writeWhole(join(folder, 'x.json'), '')).message).toContain(
      'a folder of that name is in the way',
    );
  });
});

describe('a link in place of a folder of ours', () => {
  it('is written through by nobody', () => {
    const elsewhere = join(folder, 'elsewhere');
    const out = join(folder, 'out');
    for (const one of [elsewhere, out]) mkdirSync(one);
    symlinkSync(elsewhere, join(out, 'failures'));

    for (const act of [() => checkFolder(out), () => writeWhole(join(out, 'failures', 'a.json'), '')])
      expect(failure(act)).toMatchObject({ code: 'USAGE', message: expect.stringContaining('is a symbolic link') });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it.each([
    ['.stalemate', 'a.json'],
    ['.stalemate', 'failures/a.json'],
    ['.stalemate', 'soak/soak.jsonl'],
    ['corpus', 'a.json'],
  ])('is not followed where a repository brings it along: %s, for %s', (link, path) => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(join(elsewhere, 'soak'), { recursive: true });
    symlinkSync(elsewhere, join(folder, link));

    const { message } = failure(() => writeWhole(join(folder, link, path), '', undefined, '--corpus'));

    expect(message).toContain(`${link}" is a symbolic link, expected a folder; remove the link, or name another`);
    expect(message).toContain('--corpus');
    expect(readdirSync(elsewhere)).toEqual(['soak']);
    expect(readdirSync(join(elsewhere, 'soak'))).toEqual([]);
  });

  it('is not followed when what was left unfinished is removed', () => {
    const elsewhere = join(folder, 'elsewhere');
    const out = join(folder, 'out');
    for (const one of [elsewhere, out]) mkdirSync(one);
    const name = `a.json.${hostMark()}-999999999-1.partial`;
    writeFileSync(join(elsewhere, name), '');
    symlinkSync(elsewhere, join(out, 'other'));

    checkFolder(out);

    expect(readdirSync(elsewhere)).toEqual([name]);
  });
});

describe('reportFolderOf', () => {
  it.each([
    ['.stalemate/failures/lost-update.json', '/project/.stalemate'],
    ['/elsewhere/records/lost-update.json', '/elsewhere'],
    ['docs/reports/0001-stuck.json', '/project/.stalemate'],
    ['lost-update.json', '/project/.stalemate'],
  ])('finds that of %s', (file, folder) => {
    expect(reportFolderOf(file, '/project')).toBe(folder);
  });
});

describe('checkFolder', () => {
  it('removes what nobody writes any more, and nothing that another container may be writing', () => {
    const partial = (mark: string): string => `a.json.${mark}.partial`;
    const elsewhere = partial(`${hostMark('another')}-999999999-1`);
    const ours = basename(partialOf('a.json'));
    const gone = [partial(`${hostMark()}-999999999-1`), partial(`${hostMark()}-${process.pid}-1`)];
    for (const name of [elsewhere, ours, ...gone]) writeFileSync(join(folder, name), '');

    checkFolder(folder);

    expect(readdirSync(folder).toSorted()).toEqual([elsewhere, ours].toSorted());
  });
});

describe('writeFinding', () => {
  it('writes the counterexample and the record under one stem that the signature decides', () => {
    const encoders = { counterexample: () => 'c', record: () => 'r' };

    const files = writeFinding(folder, lostUpdate(), encoders);

    expect(files).toEqual(findingFiles(folder, lostUpdate()));
    expect(files.counterexample).toMatch(/failures\/lost-update-[0-9a-f]{6}\.json$/);
    expect(readFileSync(files.counterexample, 'utf8')).toBe('c');
    expect(readFileSync(files.record, 'utf8')).toBe('r');
  });
});
