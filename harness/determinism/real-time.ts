/**
 * The real clock and the real timers, captured when this file is first imported: before virtual time is installed.
 *
 * Owns: what budgets, heartbeats, progress lines and time-outs of the harness itself run on. Everything a target may see is in
 * `virtual-time.ts`.
 */
export {
  realClearTimeout,
  realDate,
  realDelay,
  realNow,
  realSetImmediate,
  realSetTimeout,
} from 'stalemate-apiserver/clock';

export const realSetInterval: typeof setInterval = globalThis.setInterval;
export const realClearInterval: typeof clearInterval = globalThis.clearInterval;
export const realClearImmediate: typeof clearImmediate = globalThis.clearImmediate;

/** The same clock, in ms from a beginning that all threads of this process share. */
export function realMoment(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Milliseconds of processor time that this process has had, all its threads together. */
export function realProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
