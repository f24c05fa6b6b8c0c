/** Explains an error that ends a command. */
import { CommanderError } from 'commander';
import { versions } from '../execution/versions.ts';
import { EXIT, HarnessError, type ExitCode } from '../model/errors.ts';
import { plainText } from '../report/plain-text.ts';
import type { Console } from './console.ts';

/** Prints the error and whether the user, the environment or the harness caused it; returns the exit code. */
export function explain(error: unknown, console: Pick<Console, 'err'>, command?: string): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has already printed its message. Help and version also end here, with exit code 0.
    if (error.exitCode === 0) return EXIT.holds;
    console.err(`see "stalemate ${command === undefined ? '' : `${command} `}--help"\n`);
    return EXIT.usage;
  }
  if (error instanceof HarnessError) {
    // Parts of the message may come from another user's file.
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
