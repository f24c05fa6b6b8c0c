import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../report/summary.ts';
import { summarySchema } from '../report/summary.ts';
import { decodeReplayable } from '../schedule/codec/record.ts';
import { shell, stalemate, startStalemate, type BinResult } from './test-bin.ts';
import { CONTROLLERS, NEVER_REDEPLOYED } from './test-config.ts';

const FLAGS = ['run', '--property', 'never-redeployed', '--budget', '100', '--stop-after', '1', '--seed', '1'];

let folder: string;
let run: BinResult;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-run-'));
  writeFileSync(join(folder, 'stalemate.config.ts'), NEVER_REDEPLOYED);
  run = stalemate([...FLAGS, '--json'], { cwd: folder });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function summary(): Summary {
  return summarySchema.parse(JSON.parse(run.stdout));
}

function counterexample(): string {
  const [finding] = summary().findings;
  if (finding?.counterexample === null || finding === undefined) throw new Error(`expected a finding: ${run.stderr}`);
  return finding.counterexample;
}

describe('run, then replay', () => {
  it('exits 1 with the published document on stdout and the story on stderr', () => {
    expect(run.code).toBe(1);
    expect(summary()).toMatchObject({ outcome: 'violated', seed: 1, findings: [{ property: 'never-redeployed' }] });
    expect(run.stderr).toContain('NEVER REDEPLOYED');
    expect(run.stderr).toContain(`replay: npx stalemate replay ${counterexample()}`);
  });

  it('reproduces it in every replay, twice with the same document', { timeout: 180_000 }, () => {
    const first = stalemate(['replay', counterexample(), '--json', '--times', '3'], { cwd: folder });
    const second = stalemate(['replay', counterexample(), '--json', '--times', '3'], { cwd: folder });

    expect(first.code).toBe(1);
    expect(JSON.parse(first.stdout)).toMatchObject({
      outcome: 'reproduced',
      reproduced: { k: 3, n: 3 },
      missedAnchors: [],
    });
    expect(second.stdout).toBe(first.stdout);
  });

  it('shows the story again in a replay', () => {
    const { code, stdout } = stalemate(['replay', counterexample(), '--times', '1'], { cwd: folder });

    expect(code).toBe(1);
    expect(stdout).toContain('NEVER REDEPLOYED');
    expect(stdout).toContain('reproduced 1 of 1');
  });

  it('exits 0 when the whole schedule was followed and the claim holds', () => {
    writeFileSync(join(folder, 'fixed.config.ts'), NEVER_REDEPLOYED.replace('< 2', '< 200'));

    const { code, stdout } = stalemate(['replay', counterexample(), '--times', '1', '--config', 'fixed.config.ts'], {
      cwd: folder,
    });

    expect(stdout).toContain('not reproduced, 0 of 1: the whole schedule was followed and the property holds');
    expect(code).toBe(0);
  });

  it('is still named by a later run that does not find it', () => {
    const flags = [
      'run',
      '--config',
      'fixed.config.ts',
      '--property',
      'never-redeployed',
      '--budget',
      '3',
      '--seed',
      '1',
    ];

    const { stdout } = stalemate(flags, { cwd: folder });

    expect(stdout).toContain('1 finding of earlier runs has not been reported by this one');
    expect(stdout).toContain(`→ npx stalemate replay ${counterexample()}`);
  });

  it('exits 3 when the schedule is anchored on what no longer happens', () => {
    const text = readFileSync(join(folder, counterexample()), 'utf8');
    const stored = decodeReplayable(text, 'f');
    const anchor = 'controller/update/deployments.apps/default/other#0!sent';
    const schedule = { ...stored.schedule, preemptions: [{ before: anchor, run: 'user' }] };
    writeFileSync(join(folder, 'moved.json'), JSON.stringify({ ...stored, schedule }));

    const { code, stdout } = stalemate(['replay', 'moved.json', '--times', '1', '--config', 'fixed.config.ts'], {
      cwd: folder,
    });

    expect(stdout).toContain(`never happened: ${anchor}\n  nearest to it: controller/`);
    expect(stdout).toContain('deployments.apps/default/');
    expect(code).toBe(3);
  });

  it('rechecks the record without running anything', () => {
    const [record = ''] = readdirSync(join(folder, '.stalemate', 'records'));

    const { code, stdout } = stalemate(['recheck', join('.stalemate', 'records', record)], { cwd: folder });

    expect(stdout).toMatch(/^violated +\.stalemate\/records\/never-redeployed-/);
    expect(code).toBe(1);
  });

  it('tells the story when the report cannot be written, and names the file', () => {
    // With a limit on file sizes the write fails as on a full disk, even for root.
    const { code, stdout, stderr } = shell(`ulimit -f 1; $STALEMATE ${FLAGS.join(' ')} --report-dir small`, folder);

    expect(stdout).toContain('NEVER REDEPLOYED');
    expect(stdout).toContain('replay: not possible, the counterexample could not be written');
    expect(stderr).toMatch(
      /stalemate: could not write ".*\/small\/failures\/never-redeployed-\w+\.json": the file is larger than/,
    );
    expect(readdirSync(join(folder, 'small', 'failures'))).toEqual([]);
    expect(code).toBe(1);
  });

  it('stops on Ctrl-C, keeps what it found and still sums it up', async () => {
    const args = ['run', '--property', 'never-redeployed', '--budget', '60s', '--seed', '1', '--report-dir', 'stopped'];
    const child = startStalemate(args, folder);
    let stdout = '';
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    let asked = false;
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (asked || !stdout.includes('replay: npx stalemate')) return;
      // Only once: a second Ctrl-C ends the process immediately.
      asked = true;
      child.kill('SIGINT');
      // npx and similar tools forward a Ctrl-C that the terminal has already sent.
      setTimeout(() => child.kill('SIGINT'), 50);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));

    expect(stderr).toContain('stopping; findings so far are saved');
    expect(stdout).toContain('1 distinct finding, stopped early\n');
    expect(readdirSync(join(folder, 'stopped', 'failures'))).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('ends by a Ctrl-C that is typed again and again, where nothing else can stop it, and releases its folder', async () => {
    writeFileSync(join(folder, 'busy.ts'), 'export default () => { for (;;); };\n');
    const args = ['run', '--target', 'busy.ts', '--budget', '60s', '--report-dir', 'busy'];
    const child = startStalemate(args, folder);
    child.stdout.once('data', () => {
      const typing = setInterval(() => child.kill('SIGINT'), 100);
      child.once('close', () => clearInterval(typing));
    });
    const ended = await once(child, 'close');

    expect(ended).toEqual([null, 'SIGINT']);
    expect(readdirSync(join(folder, 'busy'))).not.toContain('in-use');
  });

  it('has what it saw on disk before it is shrunk, also when it is killed then', async () => {
    const args = ['run', '--property', 'never-redeployed', '--budget', '60s', '--seed', '1', '--report-dir', 'killed'];
    const unproved = join(folder, 'killed', 'unproved');
    const child = startStalemate(args, folder);
    const closed = new Promise((resolve) => child.once('close', resolve));
    const names = (): readonly string[] =>
      existsSync(unproved) ? readdirSync(unproved).filter((name) => name.endsWith('.json')) : [];
    while (child.exitCode === null && names().length === 0) await delay(2);
    child.kill('SIGKILL');
    await closed;

    const [name = ''] = names();
    const { code, stdout } = stalemate(['replay', join('killed', 'unproved', name)], { cwd: folder });

    expect(stdout).toContain('reproduced 5 of 5');
    expect(code).toBe(1);
  });

  it('tells what was found, in every format, where the search broke off after it', () => {
    // Once its failure is on disk, the target crashes every worker: the one that searches, and the one that reproduces the failure.
    const broken = `
      import { existsSync } from 'node:fs';
      import start from ${JSON.stringify(`${CONTROLLERS}correct/controller.ts`)};
      export default (...given) => {
        if (existsSync('broken/failures')) process.reallyExit(7);
        return start(...given);
      };
    `;
    writeFileSync(join(folder, 'breaks.ts'), broken);
    const args = [
      '--target',
      'breaks.ts',
      '--report-dir',
      'broken',
      '--report',
      'junit',
      '--confirm',
      'none',
      '--json',
    ];

    const { code, stdout, stderr } = stalemate(['run', '--property', 'never-redeployed', '--budget', '1000', ...args], {
      cwd: folder,
    });

    const summary = summarySchema.parse(JSON.parse(stdout));
    expect(summary.findings).toHaveLength(1);
    expect(summary.runs).toBeGreaterThan(0);
    expect(summary.warnings.join()).toMatch(/the search stopped: .*an undisturbed run/);
    expect(readdirSync(join(folder, 'broken'))).toEqual(expect.arrayContaining(['index.html', 'junit.xml']));
    expect(stderr).toMatch(/^stalemate: .*an undisturbed run/m);
    expect(code).toBe(1);
  });

  it('refuses a target that cannot be imported in one sentence', () => {
    writeFileSync(join(folder, 'broken.ts'), 'export default 5;\n');

    const { code, stderr } = stalemate([...FLAGS, '--target', 'broken.ts'], { cwd: folder });

    expect(stderr).toContain('broken.ts');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect([2, 3]).toContain(code);
  });
});
