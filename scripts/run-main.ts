import { HarnessError } from '../harness/model/errors.ts';

/** Runs a script: a mistake of its user is one line and an exit code, anything else is thrown. */
export async function runMain(main: () => void | Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    process.exitCode = printed(error).exitCode;
  }
}

/** Reads flags before a script begins; a mistake in them ends it in the same way. */
export function readFlags<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.exit(printed(error).exitCode);
  }
}

function printed(error: unknown): HarnessError {
  if (!(error instanceof HarnessError)) throw error;
  console.error(error.message);
  return error;
}
