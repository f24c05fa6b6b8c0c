/** Wraps `fc.assert` so that the stack trace names the user's file: fast-check throws from its own run loop. */
import * as fc from 'fast-check';
import { callerFrames, withFrames } from './user-frames.ts';

/**
 * Checks an asynchronous property as `fc.assert` does; the error that it throws has the caller's line on top of its stack trace, where
 * editors and CI annotations look for a line.
 */
export async function assertProperty<Ts>(
  property: fc.IAsyncProperty<Ts>,
  parameters?: fc.Parameters<Ts>,
): Promise<void> {
  const frames = callerFrames();
  try {
    await fc.assert(property, parameters);
  } catch (error) {
    throw error instanceof Error ? withFrames(error, frames) : error;
  }
}
