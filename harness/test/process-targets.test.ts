/** Targets that are processes: found, told and ended; and what is said of commands that are no targets. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HarnessError, run, type StalemateOptions } from '../index.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CRDS = [file('harness/test/targets/crd.yaml')];
const SAMPLES = [file('harness/test/targets/sample.yaml')];
const CONTROLLER = [process.execPath, file('harness/test/targets/takes-finalizers.mjs')];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-process-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function options(command: readonly string[], more: StalemateOptions = {}): StalemateOptions {
  return { command, crds: CRDS, samples: SAMPLES, budget: 30, seed: 1, ...more };
}

async function failureOf(command: readonly string[]): Promise<string> {
  try {
    await run(options(command), { cwd: folder });
  } catch (error) {
    if (error instanceof HarnessError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error(`${command.join(' ')} was tested as if nothing were wrong with it`);
}

describe('a process', { timeout: 180_000 }, () => {
  it('that takes finalizers away is caught, shrunk and comes back', async () => {
    const only = { properties: ['no-lost-update'], stopAfter: 1 };
    const writers = { 'spec-churn': false, 'status-writer': false, 'scale-writer': false, recreator: false };
    const faults = { fail: false, refuse: false, 'lose-response': false, crash: false, 'stale-list': false };

    const { findings } = await run(options(CONTROLLER, { ...only, writers, faults }));

    expect(findings[0]?.violation.signature).toMatchObject({ property: 'no-lost-update' });
    expect(findings[0]?.counterexample.target).toMatchObject({
      command: CONTROLLER,
    });
    expect(findings[0]?.stats.reproduced.k).toBeGreaterThanOrEqual(3);
  });

  it('ends with the harness, however that ends', async () => {
    const script = join(folder, 'target.sh');
    writeFileSync(script, '#!/bin/sh\necho $$ > "$1"\nsleep 1000\n', { mode: 0o755 });
    const pidFile = join(folder, 'pid');
    const args = ['run', '--crds', CRDS[0] ?? '', '--sample', SAMPLES[0] ?? '', '--', script, pidFile];
    const harness = spawn(process.execPath, [file('harness/cli/bin.mjs'), ...args], { cwd: folder, stdio: 'ignore' });
    const pid = Number(await until(() => readFileSync(pidFile, 'utf8').trim()));
    expect(isAlive(pid)).toBe(true);

    harness.kill('SIGKILL');

    await until(() => (isAlive(pid) ? '' : 'gone'));
  });
});

describe('a command that is no target', { timeout: 60_000 }, () => {
  it.each([
    ['is not there', ['./nothing'], 'TARGET_INVALID: got command "./nothing", expected a program: looked for'],
    ['is in no folder of PATH', ['no-such-program-anywhere'], 'it is in no folder of PATH'],
    ['exits at once', ['false'], 'TARGET_FAILED: the target exited while starting (with code 1)'],
  ])('%s', async (_, command, message) => {
    expect(await failureOf(command)).toContain(message);
  });

  it('is not executable', async () => {
    writeFileSync(join(folder, 'plain'), 'text');

    expect(await failureOf(['./plain'])).toContain('is not executable, expected a program');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(look: () => string): Promise<string> {
  for (;;) {
    try {
      const found = look();
      if (found !== '') return found;
    } catch {
      // Not there yet.
    }
    await delay(20);
  }
}
