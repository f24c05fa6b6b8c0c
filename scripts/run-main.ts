import { relative } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { EXIT, HarnessError } from '../harness/model/errors.ts';

/** Runs the main function of a script. For a user error it prints one line and sets the exit code; other errors are thrown. */
export async function runMain(main: () => void | Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    process.exitCode = printed(error);
  }
}

/** Reads the values of flags before a script starts; an invalid value ends the script like a user error in {@link runMain}. */
export function readFlags<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.exit(printed(error));
  }
}

/** Parses the command line of a script; an unknown flag ends the script like a user error in {@link runMain}. */
export function parseFlags<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  return readFlags(() => parseArgs(config));
}

function printed(error: unknown): number {
  if (error instanceof HarnessError) {
    console.error(error.message);
    return error.exitCode;
  }
  if (!(error instanceof TypeError) || !String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS'))
    throw error;
  const script = relative(process.cwd(), process.argv[1] ?? '');
  console.error(`${error.message.split('. ')[0]}\n${script} lists its flags in its first lines`);
  return EXIT.usage;
}
