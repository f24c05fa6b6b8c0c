/**
 * Virtual time: replaces the clock, the timers and the randomness that a target sees with ones that the harness controls.
 *
 * Owns: the one installation per process. Install it before the target is imported: a module that captured `setTimeout` earlier keeps the
 * real one (`uncontrolled.ts` finds those). Kept real: setImmediate (counted), queueMicrotask, process.nextTick.
 * Limits: `performance.mark`; and module-level timers set at import, which have no incarnation as owner and are dropped at the next reset.
 */
import { syncBuiltinESMExports } from 'node:module';
import { performance as platformPerformance } from 'node:perf_hooks';
import { HarnessError } from '../model/errors.ts';
import { Immediates } from './immediates.ts';
import { NOBODY, Owners } from './owners.ts';
import { Patches } from './patches.ts';
import type { Random } from './random.ts';
import type { RunClock } from './run-clock.ts';
import { seedPlatformRandomness } from './seeded-randomness.ts';
import { VirtualTimers } from './virtual-timers.ts';

/** A run's clock that moves from timer to timer: `next` returns the earliest timer and its owner, `advanceToNext` fires only that one. */
export interface VirtualTime extends RunClock {
  /** Runs `fn`. The timers, immediates and random numbers of its code, and of everything that it starts, belong to `owner`. */
  runAs<T>(owner: string, fn: () => T): T;
  /** Returns the owner of the code that is running now; undefined outside of {@link runAs}. */
  currentOwner(): string | undefined;
  /** Reports whether the code that is running now belongs to a dropped incarnation. */
  currentIsDead(): boolean;
  /** Cancels an incarnation's timers for good, including any that it sets later. */
  dropOwner(owner: string): void;
  /** Incremented whenever a timer is set, cleared or fires, or an immediate is queued or runs. */
  readonly activity: number;
  pendingImmediates(): number;
  uninstall(): void;
}

let installed = false;

/** Installs virtual time in this process or worker. */
export function installVirtualTime(): VirtualTime {
  if (installed) throw new HarnessError('USAGE', 'virtual time is installed already: install it once per process');
  installed = true;
  return new InstalledVirtualTime();
}

class InstalledVirtualTime implements VirtualTime {
  readonly #owners = new Owners();
  readonly #patches = new Patches();
  readonly #timers: VirtualTimers;
  readonly #immediates: Immediates;

  constructor() {
    this.#timers = new VirtualTimers(this.#owners, this.#patches);
    this.#immediates = new Immediates(this.#owners);
    this.#immediates.install(this.#patches);
    seedPlatformRandomness(
      this.#patches,
      () => this.#owners.random(),
      (fn) => void this.#immediates.set(fn),
    );
    this.#patchClocks();
    syncBuiltinESMExports();
  }

  get activity(): number {
    return this.#timers.activity + this.#immediates.activity;
  }

  reset({ startMs, random }: { readonly startMs: number; readonly random: Random }): void {
    this.#owners.reset(random);
    this.#timers.reset(startMs);
    this.#immediates.reset();
  }

  now(): number {
    return this.#timers.nowMs - this.#timers.startMs;
  }

  waited(): number {
    return this.now();
  }

  next(): { readonly atMs: number; readonly owner: string } | undefined {
    const first = this.#timers.first();
    if (first === undefined) return undefined;
    return { atMs: first.atMs - this.#timers.startMs, owner: first.owner?.name ?? NOBODY };
  }

  elapse(ms: number): void {
    this.#timers.elapse(ms);
  }

  advanceToNext(): void {
    this.#timers.fireFirst();
  }

  after(delayMs: number, owner: string, then: () => void): () => void {
    const timer = this.#owners.runAs(owner, () => this.#timers.set(then, delayMs, [], false));
    return () => this.#timers.clear(timer);
  }

  runAs<T>(owner: string, fn: () => T): T {
    return this.#owners.runAs(owner, fn);
  }

  currentOwner(): string | undefined {
    return this.#owners.current()?.name;
  }

  currentIsDead(): boolean {
    return this.#owners.current()?.live === false;
  }

  dropOwner(owner: string): void {
    this.#owners.drop(owner);
  }

  pendingImmediates(): number {
    return this.#immediates.pending;
  }

  uninstall(): void {
    this.#patches.restore();
    this.#timers.uninstall();
    syncBuiltinESMExports();
    installed = false;
  }

  /** Patches the clocks that fake-timers does not replace, or replaces with objects that lack features of the originals. */
  #patchClocks(): void {
    const timers = this.#timers;
    const sinceStart = (): number => timers.nowMs - timers.startMs;
    this.#patches.value(platformPerformance, 'now', sinceStart);
    this.#patches.getter(platformPerformance, 'timeOrigin', () => timers.startMs);
    this.#patches.value(process, 'uptime', () => sinceStart() / 1000);
    this.#patches.value(AbortSignal, 'timeout', (delayMs: number) => {
      const controller = new AbortController();
      timers
        .set(
          () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
          delayMs,
          [],
          false,
        )
        .unref();
      return controller.signal;
    });
  }
}
