/** Which processes of a container are signalled, tested with folders that look like those of /proc. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signalScript, type PodSignal } from './pod-signal.ts';

let proc: string;
beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'pod-signal-test-'));
  // A shim; in its container a shell and a program with two processes; and another container.
  process(40, 1, 'shim');
  process(1100, 40, 'abc');
  process(101, 1100, 'abc');
  process(102, 101, 'abc');
  process(103, 1, 'other');
});
afterEach(() => {
  rmSync(proc, { recursive: true });
});

function process(pid: number, parent: number, group: string): void {
  const folder = join(proc, String(pid));
  mkdirSync(folder);
  writeFileSync(join(folder, 'cgroup'), `0::/kubelet/cri-containerd-${group}.scope\n`);
  writeFileSync(join(folder, 'status'), `Name:\tone\nPid:\t${pid}\nPPid:\t${parent}\n`);
}

function signalled(name: PodSignal, container = 'abc'): readonly string[] {
  const script = `kill() { echo "$@"; }; ${signalScript(container, name, proc)}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

it('asks the first process to end, and no other', () => {
  expect(signalled('TERM')).toEqual(['-TERM 1100']);
});

it('holds and kills all of them', () => {
  expect(signalled('STOP')).toEqual(['-STOP 101', '-STOP 102', '-STOP 1100']);
});

it('signals no process where the container is gone', () => {
  expect([...signalled('TERM', 'gone'), ...signalled('KILL', 'gone')]).toEqual([]);
});
