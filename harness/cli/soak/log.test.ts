import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchResult, entry, finding, head } from '../../report/soak/test-lines.ts';
import { readSoakFile, SOAK_FILE, SoakLog } from './log.ts';

const LINES = [
  head('1/1'),
  entry('1/1', { line: 'finding', batch: 0, record: finding('spec.replicas') }),
  entry('1/1', { line: 'batch', batch: 0, result: batchResult() }),
].map(({ line }) => line);

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-soak-log-'));
  file = join(folder, SOAK_FILE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(): void {
  const log = new SoakLog(folder);
  for (const line of LINES) log.append(line);
  log.close();
}

describe('the file of a soak', () => {
  it('gives back each line as it was written', () => {
    write();

    expect(readSoakFile(file, 'f')).toMatchObject({ cut: 0 });
    expect(readSoakFile(file, 'f').entries.map(({ line }) => line)).toEqual(LINES);
  });

  it('loses the last line at most when it is cut off anywhere, and goes on behind it', () => {
    write();
    const whole = readFileSync(file);
    for (let length = whole.length - 1; length > 0; length -= 1 + Math.floor(whole.length / 40)) {
      writeFileSync(file, whole);
      truncateSync(file, length);
      const before = readSoakFile(file, 'f').entries.length;
      const wholeLines = whole.subarray(0, length).toString().split('\n').length - 1;
      expect(before).toBeGreaterThanOrEqual(wholeLines);

      const log = new SoakLog(folder);
      log.append(LINES[0] as (typeof LINES)[number]);
      log.close();

      expect(readSoakFile(file, 'f').entries).toHaveLength(before + 1);
    }
  });

  it('says which line is of a newer version, or of something else', () => {
    write();
    const text = readFileSync(file, 'utf8');

    appendFileSync(file, `${text.split('\n')[2]?.replace('"version":1', '"version":9') ?? ''}\n`);
    expect(() => readSoakFile(file, 'a/soak.jsonl')).toThrow(
      '"a/soak.jsonl:4" is a soak-line of version 9, and this stalemate reads up to version 1',
    );
    writeFileSync(file, `${text}{"level":"info","msg":"started"}\n`);
    expect(() => readSoakFile(file, 'a/soak.jsonl')).toThrow('"a/soak.jsonl:4" is no document of stalemate');
    writeFileSync(file, text.replace('"runs":100', '"runs":-1'));
    expect(() => readSoakFile(file, 'a/soak.jsonl')).toThrow(
      /"a\/soak.jsonl:3" is not a valid soak-line .* at result.runs/,
    );
  });

  it('says that the disk is full, and keeps what is on it', () => {
    symlinkSync('/dev/full', file);
    const log = new SoakLog(folder);

    expect(() => log.append(LINES[0] as (typeof LINES)[number])).toThrow(
      /could not write ".*soak.jsonl": the disk is full; free some space or name another folder with --report-dir/,
    );
    log.close();
  });

  it('names the file that cannot be written to', () => {
    writeFileSync(join(folder, 'file'), '');

    expect(() => new SoakLog(join(folder, 'file'))).toThrow(
      /could not write ".*soak.jsonl": a part of the path is a file/,
    );
  });
});
