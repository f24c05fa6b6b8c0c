/**
 * Frames of the user's file for errors that are thrown far from it.
 *
 * What fast-check throws comes out of its own run loop, and what a predicate throws out of a worker's message: neither names a line
 * of the user's, so editors and CI annotations have nowhere to point. Take the frames where the user called, give them to the error.
 */

/** Frames of these folders are ours. */
const EXECUTION = new URL('..', import.meta.url).pathname;
/** Enough to see past our own frames. */
const FRAMES_MAX = 30;

/**
 * The frames above those of `execution`, as text.
 *
 * @param module - Address of another module whose frames are ours.
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

/** The error, with the user's frames in place of its own. */
export function withFrames(error: Error, frames: string): Error {
  if (frames !== '') error.stack = `${error.name}: ${error.message}\n${frames}`;
  return error;
}
