/** The container engine of this machine: docker, or the command in STALEMATE_ENGINE (podman, nerdctl). */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';

export const ENGINE: string = process.env['STALEMATE_ENGINE'] || 'docker';

export function engine(
  args: readonly string[],
  options: { readonly cwd?: string; readonly show?: boolean } = {},
): SpawnSyncReturns<string> {
  return spawnSync(ENGINE, args, {
    encoding: 'utf8',
    stdio: options.show === true ? 'inherit' : 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}

/** Returns why no container can run on this machine, or undefined. */
export function engineTrouble(): string | undefined {
  const { status, error, stderr } = engine(['info']);
  if (status === 0) return undefined;
  return error === undefined
    ? `"${ENGINE} info" fails: ${stderr.trim().split('\n').at(-1)}`
    : `there is no "${ENGINE}"`;
}
