/**
 * The connection faults of consecutive runs: which one is active, on which link, and until when.
 *
 * Owns: applying faults, ending them (at a label, after a number of items or a time, at the end of contention), and applying them to links
 * that are added later. Does not own: the decisions (`schedule/`), toxiproxy (`toxiproxy.ts`). Start at {@link Disturbance}.
 */
import type { ConnectionFault, Link } from '../../model/connection-fault.ts';
import type { Label } from '../../model/label.ts';
import type { Between } from './toxiproxy.ts';

interface Active {
  readonly fault: ConnectionFault;
  readonly at: Label;
  readonly untilMs: number;
  left: number;
}

/** Called when a fault ends, with its label. */
export type EndListener = (at: Label, fault: ConnectionFault) => void;

export class Disturbance {
  /** The links that can be disturbed. */
  readonly links: readonly Link[];
  /** True if connections have been disturbed since the run began. */
  hasBeen = false;
  readonly #between = new Map<Link, Set<Between>>();
  #active: Active | undefined;
  /** Serialises the calls to toxiproxy. */
  #calls: Promise<void> = Promise.resolve();
  #underWay = 0;
  #trouble: Error | undefined;

  constructor(links: readonly Link[]) {
    this.links = links;
    for (const link of links) this.#between.set(link, new Set());
  }

  /** Reports whether a call to toxiproxy is in progress. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** The run time, in ms, until which connections are disturbed; negative infinity if they are not. */
  get untilMs(): number {
    return this.#active?.untilMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Reports whether that link is disturbed. */
  isOn(link: Link): boolean {
    return this.#active?.fault.link === link;
  }

  /** Adds another connection of a link; an active fault applies to it too. */
  async add(link: Link, between: Between): Promise<void> {
    this.#between.get(link)?.add(between);
    const { fault } = this.#active ?? {};
    if (fault?.link === link) await this.#call(() => between.disturb(fault));
  }

  async remove(link: Link, between: Between): Promise<void> {
    this.#between.get(link)?.delete(between);
    await this.#call(() => between.remove());
  }

  /** Resets the state for the next run. */
  renew(): void {
    this.hasBeen = false;
  }

  /** Applies a fault, replacing an active one; resolves with true once it is in effect, or with false if there is no such link. */
  async begin(fault: ConnectionFault, at: Label, nowMs: number): Promise<boolean> {
    const all = this.#between.get(fault.link);
    if (all === undefined) return false;
    await this.end();
    this.hasBeen = true;
    const { forMs, items = Number.POSITIVE_INFINITY } = fault;
    this.#active = { fault, at, untilMs: nowMs + forMs, left: items };
    await this.#call(async () => void (await Promise.all([...all].map((between) => between.disturb(fault)))));
    return true;
  }

  /** Reports that an item happened, which may end the fault. */
  happened(label: Label, ended: EndListener): void {
    const active = this.#active;
    if (active === undefined) return;
    active.left--;
    if (active.left <= 0 || active.fault.until === label) this.#finish(label, ended);
  }

  /** Reports whether the fault has lasted long enough but has not ended yet. */
  isOver(nowMs: number): boolean {
    return this.#active !== undefined && nowMs >= this.#active.untilMs;
  }

  /** Ends a fault that has lasted long enough; returns true if there was one. */
  expire(nowMs: number, ended: EndListener): boolean {
    const active = this.#active;
    if (active === undefined || !this.isOver(nowMs)) return false;
    this.#finish(active.at, ended);
    return true;
  }

  /** Ends the fault at the end of contention; resolves once connections are undisturbed. */
  async end(): Promise<void> {
    const active = this.#active;
    if (active === undefined && !this.isBusy && this.#trouble === undefined) return;
    this.#active = undefined;
    if (active !== undefined) void this.#restore(active);
    await this.#calls;
    const trouble = this.#trouble;
    this.#trouble = undefined;
    if (trouble !== undefined) throw trouble;
  }

  #finish(label: Label, ended: EndListener): void {
    const active = this.#active;
    if (active === undefined) return;
    this.#active = undefined;
    void this.#restore(active);
    ended(label, active.fault);
  }

  #restore({ fault }: Active): Promise<void> {
    const all = [...(this.#between.get(fault.link) ?? [])];
    return this.#call(async () => void (await Promise.all(all.map((between) => between.restore()))));
  }

  /** Queues a call; {@link end} reports its error. */
  #call(work: () => Promise<void>): Promise<void> {
    this.#underWay++;
    const done = this.#calls.then(work).catch((error: unknown) => {
      this.#trouble ??= error instanceof Error ? error : new Error(String(error));
    });
    this.#calls = done.finally(() => {
      this.#underWay--;
    });
    return this.#calls;
  }
}
