/**
 * Programs that are called for what they say: kind and the container engines.
 *
 * Owns: how they are started and, where they take too long, ended. They are in process groups of their own:
 * Ctrl-C reaches us alone, and the order of ending is ours. Start at {@link called}.
 */
import { $ } from 'zx';
import { realClearTimeout, realSetTimeout } from '../../determinism/real-time.ts';

export interface CallOptions {
  readonly env?: { readonly [name: string]: string | undefined };
  readonly timeoutMs?: number;
  /** Hears of the process, whose group has its number, once it is there. */
  readonly started?: (pid: number) => void;
}

export interface Said {
  /** 127 where there is no such program, as shells have it; null where it was ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Resolves when the program has ended, however it has. */
export async function called(command: readonly string[], options: CallOptions = {}): Promise<Said> {
  const { env = process.env, timeoutMs, started } = options;
  const run = $({ nothrow: true, quiet: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...env } });
  const running = run`${command}`;
  const { pid } = running;
  // zx's own way of ending looks for all descendants; a group needs no looking.
  const end = (): void => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
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
