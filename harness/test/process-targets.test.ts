/** Targets that are processes: how they are found, reported and ended, and the errors for commands that are not targets. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EnclosurePool } from '../actors/process/enclosure-pool.ts';
import { HarnessError, run, type StalemateOptions } from '../index.ts';
import { processesNaming } from './processes.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CRDS = [file('harness/test/targets/crd.yaml')];
const SAMPLES = [file('harness/test/targets/sample.yaml')];
const CONTROLLER = [process.execPath, file('harness/test/targets/takes-finalizers.mjs')];
const TICKS = [process.execPath, file('harness/test/targets/ticks.mjs')];
const POLLS = [process.execPath, file('harness/test/targets/polls.mjs')];

let folder: string;
/** Gives each test of a suite an empty `folder`. */
function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stalemate-process-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
}

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

/** Runs for a search that stops at its first finding: how many it needs depends on the load, since lanes share what they learn. */
const UNTIL_FOUND = 300;

/** How long the harness takes equal signals for one. */
const ECHO_MS = 300;

/** Long enough to reproduce a finding; how far it is shrunk does not matter here. */
const SHORT = { shrinkMs: 10_000 } as const;

describe.concurrent('a process', { timeout: 180_000 }, () => {
  it('that takes finalizers away is caught, shrunk and comes back', async () => {
    const only = { properties: ['no-lost-update'], stopAfter: 1 };
    const writers = { 'spec-churn': false, 'status-writer': false, 'scale-writer': false, recreator: false };
    const faults = { fail: false, refuse: false, 'lose-response': false, crash: false, 'stale-list': false };

    const { findings } = await run(options(CONTROLLER, { ...only, writers, faults, budget: UNTIL_FOUND }), SHORT);

    expect(findings[0]?.violation.signature).toMatchObject({ property: 'no-lost-update' });
    expect(findings[0]?.counterexample.target).toMatchObject({
      command: CONTROLLER,
    });
    expect(findings[0]?.stats.reproduced.k).toBeGreaterThanOrEqual(3);
  });

  it('that lists every two seconds comes to rest all the same, and holds', async () => {
    const properties = ['no-lost-update', 'convergence', 'bounded-rate'];

    const { findings, warnings } = await run(options(POLLS, { properties, budget: 8 }));

    expect(findings).toEqual([]);
    expect(warnings.filter((warning) => warning.includes('never comes to rest'))).toEqual([]);
  });
});

const enclosure = await EnclosurePool.open({ network: 'none', fileSystem: 'own' });

describe.runIf(enclosure.unsteered === null)('a process in virtual time', { timeout: 400_000 }, () => {
  it('is at rest where only timers fire that do nothing', async () => {
    const only = { properties: ['convergence'], writers: { recreator: false }, faults: { crash: false }, stopAfter: 1 };

    const { findings, inconclusive } = await run(options(TICKS, { ...only, budget: UNTIL_FOUND }), SHORT);

    expect(findings[0]?.violation.signature).toMatchObject({ class: 'missing-object', kind: 'configmaps' });
    expect(inconclusive.count).toBe(0);
  });

  it('is tested in real time once it arms a timer of the kernel, and that is said', async () => {
    const { runs, warnings } = await run(options(['timeout', '600', ...CONTROLLER], { budget: 2 }));

    expect(runs).toBeGreaterThan(0);
    expect(warnings).toContain(
      'time passed in real time: the program uses timer_settime, which virtual time does not steer; use --time real to accept this',
    );
  });
});

describe('a process', { timeout: 180_000 }, () => {
  useFolder();

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'ends with the harness, and so does what it put into the background, also after %s',
    async (signal) => {
      const script = join(folder, 'target.sh');
      const text = `#!/bin/sh\ntrap '' TERM INT\n$(command -v setsid) sh -c "sleep 1000; : $1" &\nsleep 1000\n`;
      writeFileSync(script, text, { mode: 0o755 });
      const mark = join(folder, 'started');
      const args = ['run', '--crds', CRDS[0] ?? '', '--sample', SAMPLES[0] ?? '', '--', script, mark];
      const harness = spawn(process.execPath, [file('harness/cli/bin.mjs'), ...args], { cwd: folder });
      const said = outputOf(harness);
      await until(() => (processesNaming(mark).includes('sleep 1000; :') ? 'in the background' : ''));

      harness.kill(signal);
      const isGone = (): boolean => processesNaming(mark) === '';
      const asksAgain = (): boolean => said().includes('once more to stop at once');
      if (signal !== 'SIGKILL') {
        await until(() => (asksAgain() ? 'asks again' : ''));
        // A second signal that follows at once counts as an echo of the first one.
        await delay(ECHO_MS * 2);
        if (harness.exitCode === null && harness.signalCode === null) harness.kill(signal);
      }

      expect(await until(() => (isGone() ? 'gone' : ''))).toBe('gone');
    },
  );
});

describe('a command that is no target', () => {
  useFolder();

  it.each([
    ['is not there', ['./nothing'], 'TARGET_INVALID: got command "./nothing", expected a program: nothing is at'],
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

/** Returns a function that returns the output so far, of stdout and stderr. */
function outputOf({ stdout, stderr }: ChildProcessWithoutNullStreams): () => string {
  let said = '';
  for (const stream of [stdout, stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
  return () => said;
}

async function until(look: () => string): Promise<string> {
  for (;;) {
    try {
      const found = look();
      if (found !== '') return found;
    } catch {
      // A file that `look` reads may not exist yet.
    }
    await delay(20);
  }
}
