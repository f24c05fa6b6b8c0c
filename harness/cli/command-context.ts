/** What `main` passes to each command. */
import type { ExitCode } from '../model/errors.ts';
import type { Console } from './console.ts';

/** What every command gets. It answers with the exit code. */
export interface CommandContext {
  readonly console: Console;
  /** Aborted by Ctrl-C: stop soon, keep what was found. */
  readonly signal: AbortSignal;
  finish(code: ExitCode): void;
}
