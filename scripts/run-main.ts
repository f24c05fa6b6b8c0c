import { HarnessError } from '../harness/model/errors.ts';

/** Runs a script: a mistake of its user is one line and an exit code, anything else is thrown. */
export async function runMain(main: () => void | Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}
