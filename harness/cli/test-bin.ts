/** Runs the real executable, for tests. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** The executable as npx calls it: printed commands are what a user sees. */
const BIN = linkedLikeNpx(fileURLToPath(new URL('./bin.mjs', import.meta.url)));

export interface BinResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BinOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  /** Another copy of the executable. */
  readonly bin?: string;
}

export function stalemate(args: readonly string[], { cwd, env, bin = BIN }: BinOptions = {}): BinResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: 'utf8',
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  return { code: status, stdout, stderr };
}

/** Runs a line of shell with the executable as `$STALEMATE`. */
export function shell(line: string, cwd: string): BinResult {
  const env = { ...process.env, NO_COLOR: '1', STALEMATE: `"${process.execPath}" "${BIN}"` };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line.replaceAll('$STALEMATE', env.STALEMATE)], {
    encoding: 'utf8',
    cwd,
    env,
  });
  return { code: status, stdout, stderr };
}

/** Starts the executable and leaves it running. */
export function startStalemate(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [BIN, ...args], { cwd, env: { ...process.env, NO_COLOR: '1', ...env } });
}

function linkedLikeNpx(executable: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-bin-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, '.bin'));
  symlinkSync(executable, join(folder, '.bin', 'stalemate'));
  return join(folder, '.bin', 'stalemate');
}
