/** The interface between `main` and the commands. */
import type { ExitCode } from '../model/errors.ts';
import type { Console } from './console.ts';

/** The context of a command. The command reports its exit code through `finish`. */
export interface CommandContext {
  readonly console: Console;
  /** Aborted by Ctrl-C: the command should stop soon and keep its results. */
  readonly signal: AbortSignal;
  finish(code: ExitCode): void;
}
