import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recording } from '../model/recording.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { recordOf } from '../report/record.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { encodeRecord } from '../schedule/codec/record.ts';
import { encodeRecording } from '../schedule/codec/recording.ts';
import { stalemate } from './test-bin.ts';

/** A record in version 1 of the format. */
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

  it('tells of a counterexample by the record beside it, and says what is missing where there is none', () => {
    const { counterexample } = lostUpdate();
    mkdirSync(join(folder, 'out', 'failures'));
    for (const name of ['a', 'b'])
      writeFileSync(join(folder, `out/failures/${name}.json`), encodeCounterexample(counterexample));
    writeFileSync(join(folder, 'out/records/a.json'), encodeRecord(recordOf(lostUpdate())));

    const { code, stderr } = stalemate(['report', 'out/failures/a.json'], { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '"out/failures/a.json" is a counterexample; the page is made of its record "out/records/a.json"\n',
    });
    expect(read('out/reports/a.html')).toContain('LOST UPDATE');
    expect(stalemate(['report', 'out/failures/b.json'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"out\/records\/b\.json" is not there.*"stalemate replay out\/failures\/b\.json"/),
    });
  });

  it('tells of a recording what each property says of it', () => {
    const recording: Recording = {
      version: 2,
      kind: 'recording',
      source: 'gate',
      actors: { controller: 'manager/1.0', 'writer-1': 'go-test </script>' },
      notes: ['what was not seen'],
      schedule: EMPTY_SCHEDULE,
      history: lostUpdate().record,
    };
    mkdirSync(join(folder, 'out', 'recordings'));
    writeFileSync(join(folder, 'out/recordings/suite.json'), encodeRecording(recording));

    const { code, stdout } = stalemate(['report', 'out'], { cwd: folder });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^out\/reports\/suite\.html\n {2}/),
    });
    expect(read('out/reports/suite.html')).toMatch(/RECORDED.*manager\/1\.0.*what was not seen/s);
    expect(read('out/reports/suite.html')).toContain('go-test &lt;/script&gt;');
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
