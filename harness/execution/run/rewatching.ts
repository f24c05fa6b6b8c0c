/**
 * Tracks broken watches that will be reopened: a run is not at rest until the target receives all changes again.
 *
 * Clients wait before they reconnect: fabric8 a second, client-go and kube-rs 0.8 s or more after an error. Judged by silence alone, this
 * wait looks like rest. Owns: how long to wait in real time; virtual windows are longer than any of these waits. Does not own: the
 * violation for a watch that is never reopened (`oracle/open-watches.ts`).
 */
import { watchGivenUp } from '../../oracle/open-watches.ts';
import type { World } from './world.ts';

export class Rewatching {
  readonly #world: World;
  #downSinceMs: number | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** Reports whether a watch is down and has not been down for longer than clients wait. */
  isPending(): boolean {
    const { host, recorder } = this.#world;
    if (host.pace.rewatchMs === 0) return false;
    if (watchGivenUp(recorder) === undefined) {
      this.#downSinceMs = undefined;
      return false;
    }
    this.#downSinceMs ??= host.time.now();
    return host.time.now() - this.#downSinceMs < host.pace.rewatchMs;
  }
}
