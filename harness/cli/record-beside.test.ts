import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordOf } from '../report/record.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { encodeRecord } from '../schedule/codec/record.ts';
import { recordBeside } from './record-beside.ts';

let folder: string;
let said: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-beside-'));
  said = '';
  for (const name of ['failures', 'records']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'failures/a.json'), encodeCounterexample(lostUpdate().counterexample));
});
afterEach(() => rmSync(folder, { recursive: true }));

function recordOfFile(file: string): string {
  return recordBeside(join(folder, file), 'judged is its record', { cwd: folder, err: (text) => (said += text) });
}

it('is what has the history of a counterexample, and is named', () => {
  writeFileSync(join(folder, 'records/a.json'), encodeRecord(recordOf(lostUpdate())));

  expect(recordOfFile('failures/a.json')).toBe(join(folder, 'records/a.json'));
  expect(said).toBe('"failures/a.json" is a counterexample; judged is its record "records/a.json"\n');
  expect(recordOfFile('records/a.json')).toBe(join(folder, 'records/a.json'));
});

it('is named where it is not there', () => {
  expect(() => recordOfFile('failures/a.json')).toThrow(
    '"failures/a.json" is a counterexample and holds no history, and its record "records/a.json" is not there; expected a record',
  );
});
