/** What the command line says of an error that ends a command. */
import { CommanderError } from 'commander';
import { versions } from '../execution/versions.ts';
import { EXIT, HarnessError, type ExitCode } from '../model/errors.ts';
import { plainText } from '../report/plain-text.ts';
import type { Console } from './console.ts';

/** Prints what went wrong and whose problem it is; returns the exit code for that. */
export function explain(error: unknown, console: Pick<Console, 'err'>, command?: string): ExitCode {
  if (error instanceof CommanderError) {
    // Help and version come this way too. Commander has printed its message already.
    if (error.exitCode === 0) return EXIT.holds;
    console.err(`see "stalemate ${command === undefined ? '' : `${command} `}--help"\n`);
    return EXIT.usage;
  }
  if (error instanceof HarnessError) {
    // Parts of it may come from a file of another user.
    console.err(`stalemate: ${plainText(error.message)}\n`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const { stalemate, node } = versions();
  console.err(
    `stalemate: a fault of stalemate itself, not of your controller\n${stack}\n` +
      `please report it with the lines above and the command (stalemate ${stalemate}, node ${node})\n`,
  );
  return EXIT.fault;
}
