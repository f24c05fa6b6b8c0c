/**
 * The real clock and the real timers, captured when this file is first imported: before virtual time is installed.
 *
 * Owns: what budgets, heartbeats, progress lines and time-outs of the harness itself run on. Everything a target may see is in
 * `virtual-time.ts`.
 */

const RealDate = globalThis.Date;
const realPerformanceNow = globalThis.performance.now.bind(globalThis.performance);

export const realSetTimeout: typeof setTimeout = globalThis.setTimeout;
export const realClearTimeout: typeof clearTimeout = globalThis.clearTimeout;
export const realSetInterval: typeof setInterval = globalThis.setInterval;
export const realClearInterval: typeof clearInterval = globalThis.clearInterval;
export const realSetImmediate: typeof setImmediate = globalThis.setImmediate;
export const realClearImmediate: typeof clearImmediate = globalThis.clearImmediate;

/** Milliseconds of a clock that never goes back. */
export function realNow(): number {
  return realPerformanceNow();
}

/** The same clock, in ms from a beginning that all threads of this process share. */
export function realMoment(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The wall clock. */
export function realDate(): Date {
  return new RealDate();
}

/** Milliseconds of processor time that this process has had, all its threads together. */
export function realProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Resolves after that much real time. */
export function realDelay(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    realSetTimeout(resolve, delayMs);
  });
}
