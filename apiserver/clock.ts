/**
 * The real clock and timers, captured when this file is first imported: fake timers that a test installs later do not affect sockets,
 * deadlines and processes.
 *
 * Owns: the time of the HTTP shell and of programs. Stored objects take their time from `ApiServerOptions.now`.
 */

const RealDate = globalThis.Date;
const realPerformanceNow = globalThis.performance.now.bind(globalThis.performance);

export const realSetTimeout: typeof setTimeout = globalThis.setTimeout;
export const realClearTimeout: typeof clearTimeout = globalThis.clearTimeout;
export const realSetImmediate: typeof setImmediate = globalThis.setImmediate;

/** Returns the time of a monotonic clock, in milliseconds. */
export function realNow(): number {
  return realPerformanceNow();
}

/** Returns the time of the wall clock. */
export function realDate(): Date {
  return new RealDate();
}

/** Resolves after `delayMs` of real time. */
export function realDelay(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    realSetTimeout(resolve, delayMs);
  });
}
