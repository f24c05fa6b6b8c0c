/**
 * Runs programs for their output: kind and the container engines.
 *
 * Owns: starting them and ending those that take too long. They run in separate process groups, so that Ctrl-C reaches only this process,
 * which ends them in the right order. Start at {@link called}.
 */
import { $ } from 'zx';
import { realClearTimeout, realSetTimeout } from '../../determinism/real-time.ts';

export interface CallOptions {
  readonly env?: { readonly [name: string]: string | undefined };
  readonly timeoutMs?: number;
  /** Called once the process runs; its pid is also the id of its group. */
  readonly started?: (pid: number) => void;
}

export interface Said {
  /** 127 if there is no such program, as in shells; null if it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Resolves when the program has ended, for whatever reason. */
export async function called(command: readonly string[], options: CallOptions = {}): Promise<Said> {
  const { env = process.env, timeoutMs, started } = options;
  const run = $({ nothrow: true, quiet: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...env } });
  const running = run`${command}`;
  const { pid } = running;
  // zx would look for all descendants; signalling the group is enough.
  const end = (): void => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  };
  if (pid !== undefined) started?.(pid);
  const timer = timeoutMs === undefined ? undefined : realSetTimeout(end, timeoutMs);
  try {
    const { exitCode, stdout, stderr } = await running;
    return { code: exitCode, stdout, stderr };
  } finally {
    realClearTimeout(timer);
  }
}
