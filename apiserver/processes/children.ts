/**
 * Child processes that never outlive this process.
 *
 * Owns: starting, supervising and ending the processes of one control plane. When this process ends, in whatever way (Ctrl-C, a crash, kill
 * -9), a shell ends the programs and removes their folder (`watching-shell.ts`). The programs run in process groups of their own, so that
 * Ctrl-C reaches only this process, which then ends them in order. Start at {@link Children}.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { noteProcess } from './scratch.ts';
import { WatchingShell } from './watching-shell.ts';
import { realClearTimeout, realSetTimeout } from '../clock.ts';

/** Grace period before SIGKILL. */
const GRACE_MS = 5000;

/** Reads pids and then "done", or the end of the pipe, which means that the parent is gone. */
const WATCHDOG = `
pids=
while read -r line; do
  [ "$line" = done ] && exit 0
  pids="$line $pids"
done
for pid in $pids; do kill -TERM "$pid" 2>/dev/null; done
sleep 2
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
rm -rf -- "$1"`;

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Returns the exit status; undefined while the program runs. */
  readonly ended: () => string | undefined;
  /** Resolves when the program has exited. */
  readonly gone: Promise<void>;
}

export class Children {
  readonly #folder: string;
  readonly #watchdog: WatchingShell;
  readonly #running: { readonly child: Child; readonly process: ChildProcess }[] = [];

  /** `folder` holds the programs' data and logs and is removed once they have ended. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#watchdog = new WatchingShell(WATCHDOG, [folder]);
  }

  start(name: string, binary: string, args: readonly string[]): Child {
    const logFile = join(this.#folder, `${name}.log`);
    const log = openSync(logFile, 'w');
    const started = spawn(binary, args, { stdio: ['ignore', log, log], detached: true, cwd: this.#folder });
    closeSync(log);
    let ended: string | undefined;
    const gone = new Promise<void>((resolve) => {
      const end = (how: string): void => {
        ended ??= how;
        resolve();
      };
      started.on('error', (error) => end(error.message));
      started.on('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    if (started.pid !== undefined) {
      this.#watchdog.tell(`${started.pid}`);
      noteProcess(this.#folder, started.pid);
    }
    const child: Child = { name, pid: started.pid ?? 0, logFile, ended: () => ended, gone };
    this.#running.push({ child, process: started });
    return child;
  }

  /** Ends the programs, the last one first, and removes the folder. */
  async stop(): Promise<void> {
    for (const { child, process } of this.#running.toReversed()) {
      if (child.ended() !== undefined) continue;
      process.kill('SIGTERM');
      const timer = realSetTimeout(() => process.kill('SIGKILL'), GRACE_MS);
      await child.gone;
      realClearTimeout(timer);
    }
    this.#watchdog.done();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns the last lines of a log, for an error message. */
export function logTail(child: Child, lines = 12): string {
  try {
    return readFileSync(child.logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
