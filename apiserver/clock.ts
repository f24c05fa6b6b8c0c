/**
 * The real clock and the real timers, captured when this file is first imported: whatever a test installs in their place later does
 * not reach sockets, deadlines and processes.
 *
 * Owns: what the HTTP shell and the programs beside it run on. What the server stores has its time from `ApiServerOptions.now`.
 */

const RealDate = globalThis.Date;
const realPerformanceNow = globalThis.performance.now.bind(globalThis.performance);

export const realSetTimeout: typeof setTimeout = globalThis.setTimeout;
export const realClearTimeout: typeof clearTimeout = globalThis.clearTimeout;
export const realSetImmediate: typeof setImmediate = globalThis.setImmediate;

/** Milliseconds of a clock that never goes back. */
export function realNow(): number {
  return realPerformanceNow();
}

/** The wall clock. */
export function realDate(): Date {
  return new RealDate();
}

/** Resolves after that much real time. */
export function realDelay(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    realSetTimeout(resolve, delayMs);
  });
}
