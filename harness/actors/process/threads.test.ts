/** Whether a process sleeps, observed from outside the process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ThreadWatch, type Sleep } from './threads.ts';

let child: ChildProcess | undefined;
let watch: ThreadWatch | undefined;

afterEach(() => {
  watch?.close();
  if (child?.pid !== undefined) killGroup(child.pid);
  child = watch = undefined;
});

/** Kills the process group, because the children of a shell outlive it. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}

function watching(script: string): ThreadWatch {
  watch = new ThreadWatch(started(script));
  return watch;
}

function started(script: string): number {
  child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
  return child.pid ?? 0;
}

function hasChild(pid: number): boolean {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1') !== '';
}

/** Polls until the watch reports the wanted state. */
async function seen(of: ThreadWatch, wanted: Sleep): Promise<void> {
  while (of.look() !== wanted) await delay(1);
}

/** True if the kernel lists the children of a process; in some containers it does not. */
const listsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

describe.runIf(listsChildren)('threads', () => {
  it('sleep when nothing runs between two looks', async () => {
    const sleeping = watching('sleep 1000 & wait');

    await seen(sleeping, 'asleep');

    expect(sleeping.look()).toBe('asleep');
  });

  it('of a process that computes are awake, look as often as you like', async () => {
    const busy = watching('while :; do :; done');
    await seen(busy, 'awake');

    const before = busy.ranMs;
    const looks = Array.from({ length: 50 }, () => busy.look());

    expect(looks).not.toContain('asleep');
    while (busy.ranMs <= before) busy.look();
  });

  it('of what it started count too', async () => {
    const pid = started('sh -c "while :; do :; done" & wait');
    // The kernel lists a new child with some delay.
    while (!hasChild(pid)) await delay(1);
    const parent = (watch = new ThreadWatch(pid));
    await seen(parent, 'awake');

    const looks = Array.from({ length: 50 }, () => parent.look());

    expect(looks).not.toContain('asleep');
  });

  it('of a process that is gone are unknown', async () => {
    const gone = watching('exit 0');

    await seen(gone, 'unknown');

    expect(gone.look()).toBe('unknown');
  });
});
