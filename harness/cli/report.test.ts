import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lostUpdate } from '../report/test-findings.ts';
import { recordOf } from '../report/record.ts';
import { encodeRecord } from '../schedule/codec/record.ts';
import { stalemate } from './test-bin.ts';

/** A record of version 1, as it was once written. */
const OLD = new URL('../../docs/examples/lost-update.record.json', import.meta.url);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-report-'));
  mkdirSync(join(folder, 'out', 'records'), { recursive: true });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const read = (...path: readonly string[]): string => readFileSync(join(folder, ...path), 'utf8');

describe('stalemate report', () => {
  it('writes a page for each record of a report folder, beside the records', () => {
    writeFileSync(join(folder, 'out/records/a.json'), encodeRecord(recordOf(lostUpdate())));
    writeFileSync(join(folder, 'out/records/b.json'), encodeRecord(recordOf(lostUpdate())));

    expect(stalemate(['report', 'out'], { cwd: folder }).code).toBe(0);
    expect(read('out/reports/a.html')).toContain('npx stalemate replay out/records/a.json');
    expect(existsSync(join(folder, 'out/reports/b.html'))).toBe(true);
  });

  it('tells a record of version 1 by judging its history again', () => {
    writeFileSync(join(folder, 'old.json'), readFileSync(OLD));

    const { code, stdout } = stalemate(['report', 'old.json', '--out', 'page.html'], { cwd: folder });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^page\.html\n {2}controller rever/),
    });
    expect(read('page.html')).toContain('LOST UPDATE');
  });

  it('goes on with the other records of a folder when one cannot be read', () => {
    writeFileSync(join(folder, 'out/records/a.json'), 'no JSON');
    writeFileSync(join(folder, 'out/records/b.json'), encodeRecord(recordOf(lostUpdate())));

    const { code, stderr } = stalemate(['report', 'out'], { cwd: folder });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"out/records/a.json" is not JSON'),
    });
    expect(existsSync(join(folder, 'out/reports/b.html'))).toBe(true);
  });

  it('refuses what is no record, in one sentence', () => {
    writeFileSync(join(folder, 'cut.json'), encodeRecord(recordOf(lostUpdate())).slice(0, 500));

    expect(stalemate(['report', 'no'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: 'stalemate: "no" does not exist, expected a record or a folder of records\n',
    });
    expect(stalemate(['report', 'cut.json'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"cut.json" is cut off'),
    });
    expect(stalemate(['report', 'out'], { cwd: folder }).stderr).toContain('"out" holds no record');
  });
});
