import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockFolder } from '../../report/folder-lock.ts';
import { summarySchema } from '../../report/summary.ts';
import { epochArgument, shardArgument } from '../commands/soak.ts';
import { stalemate, startStalemate, type BinResult } from '../test-bin.ts';
import { NEVER_REDEPLOYED } from '../test-config.ts';

const SHARD = ['soak', '--property', 'never-redeployed', '--seed-epoch', 'night', '--shard', '1/2'];
const PLACE = '.stalemate/soak/night/1-of-2';

let folder: string;
/** The result of a second soak that was started while the first one was running; the first one was then killed. */
let second: BinResult;
let resumed: BinResult;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-soak-'));
  writeFileSync(join(folder, 'stalemate.config.ts'), NEVER_REDEPLOYED);
  const child = startStalemate([...SHARD, '--budget', '10m'], folder);
  let stdout = '';
  for await (const chunk of child.stdout) {
    stdout += String(chunk);
    if (stdout.includes('replay: npx stalemate')) break;
  }
  second = stalemate([...SHARD, '--budget', '10m'], { cwd: folder });
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  // Leaves the file as if the process had been killed while it wrote a line.
  writeFileSync(join(folder, PLACE, 'soak.jsonl'), '{"version":1,"kind":"soak-', { flag: 'a' });
  rmSync(join(folder, PLACE, 'failures'), { recursive: true });
  resumed = stalemate([...SHARD, '--budget', '4', '--json'], { cwd: folder });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function merge(...args: readonly string[]): BinResult {
  return stalemate(['merge', ...args], { cwd: folder });
}

/** Returns the names and contents of all files in a folder. */
function contents(place: string): readonly (readonly [string, string])[] {
  return readdirSync(join(folder, place), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .sort()
    .map((file) => [file.slice(join(folder, place).length), readFileSync(file, 'utf8')] as const);
}

describe('a soak that was killed', () => {
  it('goes on with all that it had found', () => {
    const summary = summarySchema.parse(JSON.parse(resumed.stdout));

    expect(resumed.stderr).toContain('1 line cut short by a kill, skipped');
    expect(resumed.stderr).toContain('continues after 0 batches, 0 runs, 1 finding: 4 runs left');
    expect(summary).toMatchObject({ outcome: 'violated', runs: 4, soak: { cutShort: 1, unfinished: [] } });
    expect(summary.findings).toHaveLength(1);
    expect(readdirSync(join(folder, PLACE, 'failures'))).toHaveLength(1);
    expect(resumed.code).toBe(1);
  });

  it('has its folder for itself while it runs', () => {
    expect(second.stderr).toMatch(/stalemate: another run \(process \d+\) writes to ".*1-of-2"; wait for it, or/);
    expect(second.code).toBe(2);
  });

  it('is done when it is started once more', () => {
    const again = stalemate([...SHARD, '--budget', '4'], { cwd: folder });

    expect(again.stdout).toContain('0 runs left');
    expect(again.stdout).toContain('1 distinct finding');
    expect(again.code).toBe(1);
  });

  it('is not mixed with a soak of something else', () => {
    const changed = stalemate([...SHARD, '--budget', '4', '--property', 'survival'], { cwd: folder });

    expect(changed.stderr).toContain(
      `"${PLACE}/soak.jsonl" is a soak of another target or configuration, and only equal ones are added up`,
    );
    expect(changed.code).toBe(2);
  });
});

describe('merge', () => {
  it('writes the same files however often and in whatever order it is given the shards', () => {
    mkdirSync(join(folder, 'copy'));
    cpSync(join(folder, PLACE), join(folder, 'copy', 'one'), { recursive: true });

    const once = merge(PLACE, '--output', 'a');
    const twice = merge('copy', join(PLACE, 'soak.jsonl'), '.stalemate', '--output', 'b');

    const [first, other] = [contents('a'), contents('b')];
    expect(first.map(([name]) => name)).toEqual(
      expect.arrayContaining(['/index.html', '/junit.xml', '/run.jsonl', '/soak.jsonl']),
    );
    expect(other.map(([name]) => name)).toEqual(first.map(([name]) => name));
    // Pages contain commands to copy, which name the folder of the page.
    expect(
      other.map(([, text]) =>
        text
          .replaceAll('b/failures', 'a/failures')
          .replaceAll('b/records', 'a/records')
          .replaceAll('b/reports', 'a/reports'),
      ),
    ).toEqual(first.map(([, text]) => text));
    expect(twice.stdout.replaceAll('b/', 'a/')).toBe(once.stdout);
    expect(once.stdout).toContain('unfinished: shard 2/2 of night is missing');
    expect(once.code).toBe(1);
  });

  it('merges what it has merged', () => {
    merge(PLACE, '--output', 'a');

    expect(merge('a').stdout).toBe(merge(PLACE).stdout);
  });

  it('never writes over lines that it has not read, nor into a folder that is in use', () => {
    merge(PLACE, '--output', 'kept');
    const file = join(folder, 'kept', 'soak.jsonl');
    const lines = readFileSync(file, 'utf8');
    const foreign = lines.replaceAll('"shard":"1/2"', '"shard":"2/2"');
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'soak.jsonl'), foreign);

    const refused = merge('other', '--output', 'kept');
    const count = lines.trim().split('\n').length;
    expect(refused.stderr).toContain(
      `"kept/soak.jsonl" has ${count} lines of a soak that would be lost; name that file`,
    );
    expect(refused.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe(lines);

    const release = lockFolder(join(folder, 'kept'));
    expect(merge('kept', 'other', '--output', 'kept').stderr).toMatch(
      /another run .* name another folder with --output/,
    );
    release();
    merge('kept', 'other', '--output', 'kept');
    expect(readFileSync(file, 'utf8').length).toBe(lines.length + foreign.length);
  });

  it('gives findings of several targets files of their own, also where they are of the same kind', () => {
    const lines = readFileSync(join(folder, PLACE, 'soak.jsonl'), 'utf8');
    const [, about = ''] = /"about":"(\w+)","epoch"/.exec(lines) ?? [];
    mkdirSync(join(folder, 'foreign'));
    writeFileSync(join(folder, 'foreign', 'soak.jsonl'), lines.replaceAll(`"about":"${about}"`, '"about":"b2"'));

    const { stdout } = merge(PLACE, 'foreign', '--output', 'both');

    const names = contents('both').map(([name]) => name);
    for (const one of [about, 'b2']) {
      const [page = 'none'] = names.filter((name) => name.startsWith(`/${one}/reports/`));
      expect(readFileSync(join(folder, 'both', 'index.html'), 'utf8')).toContain(`"${page.slice(1)}"`);
      expect(stdout).toContain(`both/${one}/failures/`);
    }
  });

  it('refuses in a sentence what is no soak', () => {
    writeFileSync(join(folder, 'page.html'), '<!doctype html>\n<p>\n');

    expect(merge('page.html').stderr).toContain('"page.html" holds no line of a soak; expected a soak.jsonl');
    expect(merge('nowhere').stderr).toContain('"nowhere" does not exist');
    expect(merge('copy/one/failures').stderr).toContain('holds no soak.jsonl');
    expect(merge('stalemate.config.ts', '--report', 'junit').stderr).toContain('got --report without --output');
  });
});

describe('the flags of a soak', () => {
  it('take which part of how many it is, in an Indexed Job from there', () => {
    expect(shardArgument('3/16', undefined, {})).toEqual({ index: 3, count: 16 });
    expect(shardArgument('job/16', undefined, { JOB_COMPLETION_INDEX: '0' })).toEqual({ index: 1, count: 16 });
  });

  it.each(['17/16', '0/16', '3', 'x/2', ''])('refuse the shard "%s"', (text) => {
    expect(() => shardArgument(text, undefined, {})).toThrow(
      `got --shard "${text}", expected which of how many, from "1/16" to "16/16"`,
    );
  });

  it('refuse the index of a job outside of one, or of a larger one', () => {
    expect(() => shardArgument('job/16', undefined, {})).toThrow(
      'got --shard "job/16" without the variable JOB_COMPLETION_INDEX',
    );
    expect(() => shardArgument('job/2', undefined, { JOB_COMPLETION_INDEX: '2' })).toThrow(
      'got --shard "job/2" with JOB_COMPLETION_INDEX 2, expected which of how many',
    );
  });

  it('refuse an epoch that can be no folder', () => {
    expect(() => epochArgument('../x')).toThrow('got --seed-epoch "../x", expected a day');
  });

  it('want to be told how long, and draw seeds of their own', () => {
    const untold = stalemate(['soak'], { cwd: folder, env: { STALEMATE_SEED: '7' } });

    expect(untold.stderr).toBe(
      'stalemate: got no --budget, expected how long to search over all starts, such as "--budget 8h"\n',
    );
    expect(untold.code).toBe(2);
    expect(stalemate(['soak', '--help'], { cwd: folder }).stdout).not.toMatch(/--seed </);
  });
});
