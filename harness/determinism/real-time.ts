/**
 * The real clock and the real timers, captured when this file is first imported, before virtual time is installed.
 *
 * Owns: the clock of the harness's own budgets, heartbeats, progress lines and time-outs. Everything visible to a target is in
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

/** Returns the real time in ms since an origin that all threads of this process share. */
export function realMoment(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Returns the processor time that all threads of this process have used, in ms. */
export function realProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
