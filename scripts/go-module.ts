/** Downloads sources of Go modules from the module proxy. */
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Downloads a module unless it is in Go's cache, and returns its folder. @throws with the output of `go`. */
export function moduleFolder(
  module: string,
  version: string,
  { env, ...options }: Pick<ExecFileSyncOptions, 'cwd' | 'env' | 'timeout'> = {},
): string {
  const downloaded = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...options,
  });
  return (JSON.parse(downloaded) as { readonly Dir: string }).Dir;
}

/** Copies a folder of Go's module cache to a folder where it can be built. */
export function copyModule(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', to]);
  // A module's archive has no vendored sources, only the list of them.
  rmSync(join(to, 'vendor'), { recursive: true, force: true });
}
