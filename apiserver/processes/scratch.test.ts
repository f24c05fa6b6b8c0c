import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { hostMark } from './process-identity.ts';
import { endLeft, noteProcess, scratchFolder } from './scratch.ts';

const parent = mkdtempSync(join(tmpdir(), 'scratch-test-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

it('ends what somebody has left who is gone, and nothing of those who still live', async () => {
  const { pid: gone } = spawnSync('true');
  const left = join(parent, `stalemate-thing-${hostMark()}-${gone}-1-abcdef`);
  const otherKind = join(parent, `stalemate-other-${hostMark()}-${gone}-1-abcdef`);
  for (const folder of [left, otherKind]) mkdirSync(folder);
  const ours = scratchFolder('thing', parent);
  const [orphan, stays] = [spawn('sleep', ['1000']), spawn('sleep', ['1000'])];
  const ended = once(orphan, 'exit');
  noteProcess(left, orphan.pid ?? 0);
  noteProcess(left, gone);
  noteProcess(ours, stays.pid ?? 0);

  expect(endLeft('thing', true, parent)).toEqual([{ folder: left, pids: [orphan.pid] }]);
  expect(existsSync(left)).toBe(true);
  expect(endLeft('thing', false, parent)).toEqual([{ folder: left, pids: [orphan.pid] }]);

  expect((await ended)[1]).toBe('SIGKILL');
  expect([left, otherKind, ours].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  expect(stays.exitCode).toBeNull();
  expect(endLeft('thing', false, parent)).toEqual([]);
  stays.kill('SIGKILL');
});
