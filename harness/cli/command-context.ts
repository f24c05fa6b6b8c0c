/** The context that `main` passes to each command. */
import type { ExitCode } from '../model/errors.ts';
import type { Console } from './console.ts';

/** What every command receives. A command reports its exit code through `finish`. */
export interface CommandContext {
  readonly console: Console;
  /** Aborted by Ctrl-C: the command should stop soon and keep its results. */
  readonly signal: AbortSignal;
  finish(code: ExitCode): void;
}
