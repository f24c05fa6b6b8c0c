/** Runs the real executable, for tests. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/**
 * The folder with the link. The first test that needs it creates it, because `afterAll` does not run in a file whose tests are all skipped.
 */
let linked: string | undefined;
afterAll(() => {
  if (linked !== undefined) rmSync(linked, { recursive: true, force: true });
});

export interface BinResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BinOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  /** The copy of the executable to run; default: this repository's. */
  readonly bin?: string;
}

/** The time limit in ms: an executable that takes longer counts as hanging, and its exit code is null. */
const HANGS_MS = 300_000;

export function stalemate(args: readonly string[], { cwd, env, bin = binLikeNpx() }: BinOptions = {}): BinResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: 'utf8',
    timeout: HANGS_MS,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  return { code: status, stdout, stderr };
}

/** Runs several command lines in one process, one after the other, and returns their results. */
export function stalemateLines(lines: readonly (readonly string[])[], cwd: string): readonly BinResult[] {
  const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL('./test-lines.ts', import.meta.url))], {
    encoding: 'utf8',
    timeout: HANGS_MS,
    cwd,
    env: { ...process.env, NO_COLOR: '1', NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
    input: JSON.stringify(lines),
  });
  if (stdout === '') throw new Error(`the command lines did not all end: ${stderr}`);
  return JSON.parse(stdout) as readonly BinResult[];
}

/** Runs a line of shell script with the executable as `$STALEMATE`. */
export function shell(line: string, cwd: string): BinResult {
  const env = { ...process.env, NO_COLOR: '1', STALEMATE: `"${process.execPath}" "${binLikeNpx()}"` };
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
  return spawn(process.execPath, startArguments(args), { cwd, env: { ...process.env, NO_COLOR: '1', ...env } });
}

/** Returns Node's arguments to start the executable. */
export function startArguments(args: readonly string[]): readonly string[] {
  return [binLikeNpx(), ...args];
}

/** Returns a link to the executable like that of npx, so that printed commands are those that a user sees. */
function binLikeNpx(): string {
  if (linked === undefined) {
    linked = mkdtempSync(join(tmpdir(), 'stalemate-bin-'));
    mkdirSync(join(linked, '.bin'));
    symlinkSync(fileURLToPath(new URL('./bin.mjs', import.meta.url)), join(linked, '.bin', 'stalemate'));
  }
  return join(linked, '.bin', 'stalemate');
}
