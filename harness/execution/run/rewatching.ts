/**
 * Watches that are down and will be opened again: a run is not at rest before the target hears of everything once more.
 *
 * Clients wait before they reconnect: fabric8 a second, client-go and kube-rs 0.8 s and more after an error. To whoever only counts
 * silence that looks like rest. Owns: how long they are waited for, on the wall's clock only; virtual windows outlast them all. Does not
 * own: what is said of a watch that never comes back (`oracle/open-watches.ts`).
 */
import { watchGivenUp } from '../../oracle/open-watches.ts';
import type { World } from './world.ts';

export class Rewatching {
  readonly #world: World;
  #downSinceMs: number | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether a watch is down at present, and has not been for longer than clients wait. */
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
