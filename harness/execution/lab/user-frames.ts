/**
 * Adds frames of the user's file to errors that are thrown in other files.
 *
 * fast-check throws from its own run loop, and a predicate throws while a worker's message is handled: neither stack trace contains a line
 * of the user's code for editors and CI annotations to point to. The frames are captured when the user calls the lab, and are later added
 * to the error.
 */

/** Frames in this folder belong to the harness. */
const EXECUTION = new URL('..', import.meta.url).pathname;
/** The number of frames to capture: enough to include the user's frames below those of the harness. */
const FRAMES_MAX = 30;

/**
 * Returns the stack frames of the code that called into `execution`, as text.
 *
 * @param module - URL of another module whose frames are skipped.
 */
export function callerFrames(module?: string): string {
  const ours = module === undefined ? [EXECUTION] : [EXECUTION, new URL(module).pathname];
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES_MAX;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !ours.some((path) => line.includes(path)))
    .join('\n');
}

/** Returns the error with the user's frames in place of its own. */
export function withFrames(error: Error, frames: string): Error {
  if (frames !== '') error.stack = `${error.name}: ${error.message}\n${frames}`;
  return error;
}
