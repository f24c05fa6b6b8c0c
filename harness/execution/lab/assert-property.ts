/** `fc.assert` with a line to point at: what it throws comes out of its own run loop and names no file of the user's. */
import * as fc from 'fast-check';
import { callerFrames, withFrames } from './user-frames.ts';

/**
 * Checks an asynchronous property as `fc.assert` does; the error that it throws has the caller's line on top of its stack, where
 * editors and CI annotations look for one.
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
