/** Tests that rest is detected for real programs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WallClock } from '../../determinism/run-clock.ts';
import { CutShort } from '../run/cut-short.ts';
import { WallRest } from './wall-rest.ts';
import type { World } from '../run/world.ts';

/** A world with no pending items at its gate. */
const WORLD = { gate: { activity: 0 } } as World;
/** A program that, on input, computes for a third of a second without sleeping and then writes to the file that it is given. */
const THINKS = `process.stdin.once('data', () => {
  const until = Date.now() + 350;
  while (Date.now() < until);
  require('fs').writeFileSync(process.argv[1], 'acted');
}); console.log('ready')`;

/** A program that wakes up without input and computes for longer than one wait. */
const WAKES = `setTimeout(() => {
  const { writeFileSync, writeSync } = require('fs');
  writeSync(1, 'awake');
  const until = Date.now() + 350;
  while (Date.now() < until);
  writeFileSync(process.argv[1], 'acted');
}, 20); setTimeout(() => {}, 30_000)`;

let child: ChildProcess | undefined;
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-rest-'));
});

afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function note(): string {
  return join(folder, 'note');
}

/** Reads what the program has written: unlike output in a pipe, it is there at once. */
function noted(): string {
  return existsSync(note()) ? readFileSync(note(), 'utf8') : '';
}

describe.runIf(existsSync('/proc/self/task'))('rest', () => {
  it('has not come while a process still computes what it makes of what it was told', async () => {
    child = spawn(process.execPath, ['-e', THINKS, note()], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdin, stdout, pid } = child;
    if (stdin === null || stdout === null) throw new Error('its streams are pipes');
    await once(stdout, 'data');
    const rest = new WallRest(new WallClock(), () => {});
    const over = rest.watch({ pid, moved: 0 });

    stdin.write('go\n');
    rest.told();
    await rest.drain(WORLD);
    over();

    expect(noted()).toBe('acted');
  });

  it('has not come while a process that was woken by its own timer has something to do yet', async () => {
    child = spawn(process.execPath, ['-e', WAKES, note()], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { stdout, pid } = child;
    if (stdout === null) throw new Error('its output is a pipe');
    let said = '';
    stdout.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
    const time = new WallClock();
    const rest = new WallRest(time, () => {});
    const over = rest.watch({ pid, moved: 0 });
    while (!said.includes('awake')) await once(stdout, 'data');

    // The program now computes without any input.
    time.advanceToNext();
    await rest.drain(WORLD);
    over();

    expect(noted()).toBe('acted');
  });

  it('has come for a life that begins where something has to happen first', async () => {
    const rest = new WallRest(new WallClock(), () => {});
    rest.starting(600_000);
    rest.startsAfter(() => true);

    await expect(rest.drain(WORLD)).resolves.toBeUndefined();
  });

  it('is given up when something outside does not answer, and nothing moves any more', async () => {
    const rest = new WallRest(new WallClock(), () => {}, 20);
    rest.alsoWhile(() => 'instant');

    await expect(rest.drain(WORLD)).rejects.toThrow(CutShort);
  });
});
