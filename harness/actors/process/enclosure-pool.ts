/**
 * An enclosure for each life that runs at a time, as each pod has a network of its own: two replicas may listen on the same port.
 *
 * Owns: which life is where. Does not own: what an enclosure is (`enclosure.ts`). Start at {@link EnclosurePool}.
 */
import type { Socket } from 'node:net';
import type { Network } from '../../model/counterexample.ts';
import { openEnclosure, type Enclosure, type Reach } from './enclosure.ts';

/** An enclosure with one life in it. */
export interface Taken extends Enclosure {
  /** That life is over. */
  giveBack(): void;
}

export class EnclosurePool {
  /** What it has come to, and what the user has to know about that. */
  readonly network: Network;
  readonly warning: string | null;
  /** Whether lives have a file system of their own. */
  readonly hasOwnFiles: boolean;
  /** Why clocks of lives cannot be steered; null where they can. */
  readonly unsteered: string | null;
  readonly #reach: Reach;
  readonly #idle: Enclosure[];
  readonly #byPort = new Map<number, Enclosure>();
  #latest: Enclosure;
  /** Where the youngest life of each program is, the youngest of all last. */
  readonly #byProgram = new Map<string, Enclosure>();

  private constructor(first: Enclosure, reach: Reach) {
    this.hasOwnFiles = reach.fileSystem === 'own' && first.openFiles === null;
    this.unsteered = first.unsteered;
    this.#reach = { ...reach, network: first.network };
    this.network = first.network;
    this.warning = first.warning;
    this.#idle = [first];
    this.#latest = first;
  }

  static async open(reach: Reach): Promise<EnclosurePool> {
    return new EnclosurePool(await openEnclosure(reach), reach);
  }

  /**
   * An empty one. The host's network is one for all.
   *
   * @param program Whose life it is for.
   */
  async take(program = ''): Promise<Taken> {
    while (this.#idle.at(-1)?.isGone() === true) this.#idle.pop();
    const enclosure = this.#idle.pop() ?? (this.network === 'host' ? this.#latest : await openEnclosure(this.#reach));
    this.#latest = enclosure;
    this.#byProgram.delete(program);
    this.#byProgram.set(program, enclosure);
    let over = false;
    return {
      ...enclosure,
      freePorts: async (count) => {
        const ports = await enclosure.freePorts(count);
        for (const port of ports) this.#byPort.set(port, enclosure);
        return ports;
      },
      giveBack: () => {
        if (!over) this.#idle.push(enclosure);
        over = true;
      },
    };
  }

  /** A connection to a port that was given out, or to that port where the youngest life of a program is that listens on it. */
  connect(port: number): Promise<Socket> {
    const given = this.#byPort.get(port);
    const [first = this.#latest, ...others] = given === undefined ? [...this.#byProgram.values()].reverse() : [given];
    let socket = first.connect(port);
    for (const place of others) socket = socket.catch(() => place.connect(port));
    return socket;
  }
}
