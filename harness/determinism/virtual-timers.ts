/**
 * Timers on a clock that moves only when the harness moves it.
 *
 * Owns: the owner of a timer, the async context in which it fires, and the methods of a timer handle. The clock, the heap, `Date`, `Intl`,
 * `process.hrtime` and `node:timers/promises` are from @sinonjs/fake-timers.
 */
import { AsyncResource } from 'node:async_hooks';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import fakeTimers from '@sinonjs/fake-timers';
import type { Owner, Owners } from './owners.ts';
import type { Patches } from './patches.ts';
import { realClearTimeout, realSetTimeout } from './real-time.ts';

/** The longest delay in Node. A delay that is shorter than 1 ms, longer than this, or invalid becomes 1 ms. */
const DELAY_MAX_MS = 0x7fff_ffff;
const DELAY_DEFAULT_MS = 1;

type Callback = (...args: readonly unknown[]) => void;

/** The part of fake-timers' clock that is missing from its types. */
interface TimerClock {
  now: number;
  readonly timerHeap?: { peek(): { readonly callAt: number; readonly args: readonly VirtualTimeout[] } | undefined };
  readonly abortListenerMap: Map<() => void, AbortSignal>;
  setTimeout(callback: (timer: VirtualTimeout) => void, delayMs: number, timer: VirtualTimeout): Handle;
  setInterval(callback: (timer: VirtualTimeout) => void, delayMs: number, timer: VirtualTimeout): Handle;
  clearTimeout(handle: Handle): void;
  next(): number;
  tick(ms: number): number;
  reset(): void;
  setSystemTime(nowMs: number): void;
  uninstall(): void;
}

interface Handle {
  refresh(): void;
}

const RealTimeout: unknown = (() => {
  const timeout = realSetTimeout(() => {}, 0);
  realClearTimeout(timeout);
  return timeout.constructor;
})();

/** The handle that `setTimeout` and `setInterval` return, like Node's `Timeout`. */
class VirtualTimeout {
  readonly owner: Owner | undefined;
  readonly #timers: VirtualTimers;
  readonly #scope = new AsyncResource('VirtualTimeout');
  readonly #callback: Callback;
  readonly #args: readonly unknown[];
  #handle: Handle | undefined;
  #hasRef = true;
  #id: number | undefined;

  constructor(virtualTimers: VirtualTimers, owner: Owner | undefined, callback: Callback, args: readonly unknown[]) {
    this.#timers = virtualTimers;
    this.owner = owner;
    this.#callback = callback;
    this.#args = args;
  }

  /** Sets the handle of the pending timer. Never called for dead owners, whose timers never fire. */
  arm(handle: Handle): void {
    this.#handle = handle;
  }

  disarm(): Handle | undefined {
    const handle = this.#handle;
    this.#handle = undefined;
    return handle;
  }

  fire(): void {
    this.#scope.runInAsyncScope(call, undefined, this, this.#callback, this.#args);
  }

  ref(): this {
    this.#hasRef = true;
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    return this;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  refresh(): this {
    this.#handle?.refresh();
    this.#timers.activity++;
    return this;
  }

  close(): this {
    this.#timers.clear(this);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return (this.#id ??= this.#timers.name(this));
  }

  [Symbol.dispose](): void {
    this.#timers.clear(this);
  }
}

/**
 * Runs the callback. If it throws, the exception becomes an uncaught exception of the target, as with a real timer, and does not reach the
 * caller that advanced the clock.
 */
function call(timer: VirtualTimeout, callback: Callback, args: readonly unknown[]): void {
  try {
    Reflect.apply(callback, timer, args);
  } catch (error) {
    process.nextTick(rethrow, error);
  }
}

function rethrow(error: unknown): void {
  throw error;
}

function fire(timer: VirtualTimeout): void {
  timer.fire();
}

export class VirtualTimers {
  /** Incremented whenever a timer is set, cleared or fires. */
  activity = 0;
  readonly #owners: Owners;
  readonly #clock: TimerClock;
  readonly #armOnce: TimerClock['setTimeout'];
  readonly #armRepeating: TimerClock['setInterval'];
  readonly #clearHandle: TimerClock['clearTimeout'];
  readonly #byId = new Map<number, VirtualTimeout>();
  #lastId = 0;
  #startMs = 0;

  constructor(owners: Owners, patches: Patches) {
    this.#owners = owners;
    this.#clock = fakeTimers.install({
      now: 0,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'Intl', 'hrtime'],
    }) as unknown as TimerClock;
    this.#armOnce = this.#clock.setTimeout.bind(this.#clock);
    this.#armRepeating = this.#clock.setInterval.bind(this.#clock);
    this.#clearHandle = this.#clock.clearTimeout.bind(this.#clock);
    this.#install(patches);
  }

  get startMs(): number {
    return this.#startMs;
  }

  get nowMs(): number {
    return this.#clock.now;
  }

  /** Drops all timers and sets the clock to `startMs`; monotonic clocks start at 0. */
  reset(startMs: number): void {
    this.#clock.reset();
    this.#clock.setSystemTime(startMs);
    this.#clock.abortListenerMap.clear();
    this.#byId.clear();
    this.#lastId = 0;
    this.#startMs = startMs;
  }

  /** Returns the earliest timer of a live owner. */
  first(): { readonly atMs: number; readonly owner: Owner | undefined } | undefined {
    for (;;) {
      const first = this.#clock.timerHeap?.peek();
      if (first === undefined) return undefined;
      const [timer] = first.args as [VirtualTimeout];
      if (timer.owner?.live !== false) return { atMs: first.callAt, owner: timer.owner };
      this.clear(timer);
    }
  }

  /** Moves the clock to the earliest timer and fires that one. */
  fireFirst(): void {
    if (this.first() === undefined) return;
    this.activity++;
    this.#clock.next();
  }

  /** Lets up to `ms` pass without firing anything: the clock stops just before the earliest timer. */
  elapse(ms: number): void {
    const first = this.first();
    const passing = first === undefined ? ms : Math.min(ms, first.atMs - this.#clock.now - 1);
    if (passing > 0) this.#clock.tick(passing);
  }

  set(callback: unknown, delay: unknown, args: readonly unknown[], repeats: boolean): VirtualTimeout {
    if (typeof callback !== 'function') realSetTimeout(callback as () => void); // throws the platform's own error
    const owner = this.#owners.current();
    const timer = new VirtualTimeout(this, owner, callback as Callback, args);
    if (owner?.live === false) return timer;
    this.activity++;
    const delayMs = toDelayMs(delay);
    timer.arm(repeats ? this.#armRepeating(fire, delayMs, timer) : this.#armOnce(fire, delayMs, timer));
    return timer;
  }

  clear(timer: unknown): void {
    if (timer instanceof VirtualTimeout) {
      const handle = timer.disarm();
      if (handle === undefined) return;
      this.activity++;
      this.#clearHandle(handle);
    } else if (typeof timer === 'number' || typeof timer === 'string') {
      this.clear(this.#byId.get(Number(timer)));
    } else if (typeof RealTimeout === 'function' && timer instanceof RealTimeout) {
      realClearTimeout(timer as NodeJS.Timeout);
    }
  }

  /** Assigns a number to a timer, counting from 1 in each run. */
  name(timer: VirtualTimeout): number {
    this.#byId.set(++this.#lastId, timer);
    return this.#lastId;
  }

  uninstall(): void {
    this.#clock.uninstall();
  }

  /** Inserts this layer between fake-timers' clock and all code that sets timers, `node:timers/promises` included. */
  #install(patches: Patches): void {
    const clock = this.#clock;
    const set = (callback: unknown, delay: unknown, ...args: readonly unknown[]): VirtualTimeout =>
      this.set(callback, delay, args, false);
    const setRepeating = (callback: unknown, delay: unknown, ...args: readonly unknown[]): VirtualTimeout =>
      this.set(callback, delay, args, true);
    const clear = (timer: unknown): void => this.clear(timer);
    Object.assign(clock, { setTimeout: set, setInterval: setRepeating, clearTimeout: clear, clearInterval: clear });
    Object.assign(set, { [promisify.custom]: timersPromises.setTimeout });
    for (const target of [globalThis, timers]) {
      patches.value(target, 'setTimeout', set);
      patches.value(target, 'setInterval', setRepeating);
      patches.value(target, 'clearTimeout', clear);
      patches.value(target, 'clearInterval', clear);
    }
    patches.value(timersPromises.scheduler, 'wait', (delayMs: number, options?: { readonly signal?: AbortSignal }) =>
      timersPromises.setTimeout(delayMs, undefined, options),
    );
  }
}

function toDelayMs(delay: unknown): number {
  const delayMs = Math.trunc(Number(delay));
  return delayMs >= 1 && delayMs <= DELAY_MAX_MS ? delayMs : DELAY_DEFAULT_MS;
}
