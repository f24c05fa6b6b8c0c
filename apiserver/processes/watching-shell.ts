/**
 * A shell that cleans up after this process has ended in any way: Ctrl-C twice, a crash, kill -9.
 *
 * It reads a pipe that only this process can write to, and exits without cleaning up when it reads the line "done". Where no shell is
 * available, the next start finds the leftovers. Owns: starting it without keeping the event loop alive. Start at {@link WatchingShell}.
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
    // A shell that cannot be written to has exited already, or never started.
    this.#shell.stdin?.on('error', () => {});
    this.#shell.on('error', () => {});
    this.#shell.unref();
    (this.#shell.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }

  tell(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  /** Makes the shell exit without cleaning up. */
  done(): void {
    this.#shell.stdin?.end('done\n');
  }
}
