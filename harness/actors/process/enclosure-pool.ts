/**
 * An enclosure for each running incarnation, as each pod has a network of its own: two replicas may listen on the same port.
 *
 * Owns: which incarnation uses which enclosure. Does not own: what an enclosure is (`enclosure.ts`). Start at {@link EnclosurePool}.
 */
import type { Socket } from 'node:net';
import type { Network } from '../../model/counterexample.ts';
import { openEnclosure, type Enclosure, type Reach } from './enclosure.ts';

/** An enclosure in use by one incarnation. */
export interface Taken extends Enclosure {
  /** Returns the enclosure to the pool after the incarnation has ended. */
  giveBack(): void;
}

export class EnclosurePool {
  /** The actual isolation, and a warning for the user if it differs from what was requested. */
  readonly network: Network;
  readonly warning: string | null;
  /** True if incarnations have a file system of their own. */
  readonly hasOwnFiles: boolean;
  /** The reason why the clocks of incarnations cannot be controlled; null if they can. */
  readonly unsteered: string | null;
  readonly #reach: Reach;
  readonly #idle: Enclosure[];
  readonly #byPort = new Map<number, Enclosure>();
  #latest: Enclosure;
  /** The enclosure of the youngest incarnation of each program, in order of their start. */
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
   * Returns an unused enclosure. With the host's network, all incarnations share one.
   *
   * @param program - The program of the incarnation.
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

  /**
   * Connects to the incarnation that was assigned this port. If there is none, tries the youngest incarnation of each program, starting
   * with the program that was started last.
   */
  connect(port: number): Promise<Socket> {
    const given = this.#byPort.get(port);
    const [first = this.#latest, ...others] = given === undefined ? [...this.#byProgram.values()].reverse() : [given];
    let socket = first.connect(port);
    for (const place of others) socket = socket.catch(() => place.connect(port));
    return socket;
  }
}
