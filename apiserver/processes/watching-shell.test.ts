import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Children } from './children.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watching-shell-test-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it('is optional where there is no shell', async () => {
  vi.stubEnv('PATH', '');
  const within = join(folder, 'within');
  mkdirSync(within);

  const children = new Children(within);
  const child = children.start('sleeper', '/bin/sleep', ['1000']);
  await children.stop();

  expect(child.ended()).toBe('signal SIGTERM');
  expect(existsSync(within)).toBe(false);
});

it('acts when the holder of the pipe is killed, but not after "done"', async () => {
  const program = `
    import { WatchingShell } from ${JSON.stringify(new URL('./watching-shell.ts', import.meta.url).href)};
    const folder = ${JSON.stringify(folder)};
    const script = 'while read -r line; do [ "$line" = done ] && exit 0; done; touch "$1"';
    new WatchingShell(script, [folder + '/told']).done();
    new WatchingShell(script, [folder + '/killed']);
    process.stdout.write('ready');
    process.stdin.resume();`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');

  other.kill('SIGKILL');

  await vi.waitFor(() => expect(existsSync(join(folder, 'killed'))).toBe(true), { timeout: 60_000 });
  expect(existsSync(join(folder, 'told'))).toBe(false);
}, 60_000);
