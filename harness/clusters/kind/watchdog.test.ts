/** A kind cluster whose creator is killed is deleted. `kind` is a program that records its calls. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kind-watchdog-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('is deleted once it is made to its end, for an engine goes on with what it was asked', async () => {
  const log = join(folder, 'log');
  const notes = join(folder, 'notes');
  const follower = join(folder, 'follower');
  mkdirSync(notes);
  const deletes = `echo delete >> '${log}'; kill $(cat '${follower}')`;
  writeFileSync(join(folder, 'kind'), `#!/bin/sh\n[ "$1" = get ] || { ${deletes}; }\n`);
  chmodSync(join(folder, 'kind'), 0o755);
  // Creating the cluster leaves a background process, such as one that follows a node's log; it ends with the node.
  const maker = `tail -f /dev/null & echo $! > '${follower}'; sleep 1; echo made >> '${log}'`;
  const program = `
    import { spawn } from 'node:child_process';
    import { Watchdog } from ${JSON.stringify(new URL('./watchdog.ts', import.meta.url).href)};
    const watchdog = new Watchdog('it', ${JSON.stringify(notes)}, process.env);
    const making = spawn('sh', ['-c', ${JSON.stringify(maker)}], { detached: true });
    watchdog.making(making.pid);
    process.stdout.write('ready');
    process.stdin.resume();`;
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const harness = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  await once(harness.stdout, 'data');

  harness.kill('SIGKILL');

  await vi.waitUntil(() => !existsSync(notes), { timeout: 60_000 });
  expect(readFileSync(log, 'utf8')).toBe('made\ndelete\n');
}, 60_000);
