/**
 * A shell that does something once we are gone, in whatever way: Ctrl-C twice, a crash, kill -9.
 *
 * It waits at the end of a pipe that only we hold, and its script ends at a line "done". Where there is no shell nothing watches: what
 * is left then is found by the next start. Owns: starting it, so that it keeps nobody from ending. Start at {@link WatchingShell}.
 */
import { spawn, type ChildProcess } from 'node:child_process';

export class WatchingShell {
  readonly #shell: ChildProcess;

  /** `args` are the script's `$1` and so on. */
  constructor(
    script: string,
    args: readonly string[],
    env: { readonly [name: string]: string | undefined } = process.env,
  ) {
    this.#shell = spawn('sh', ['-c', script, 'stalemate-watchdog', ...args], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: { ...env },
      cwd: '/',
    });
    // One that cannot be told anything has ended already, or was never there.
    this.#shell.stdin?.on('error', () => {});
    this.#shell.on('error', () => {});
    this.#shell.unref();
    (this.#shell.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }

  tell(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  /** There is nothing left to do. */
  done(): void {
    this.#shell.stdin?.end('done\n');
  }
}
