/**
 * Faults of connections in one run after the other: what is in force now, on which links, and until when.
 *
 * Owns: going in, the ends (a label, so many items, so much time, the end of contention), and that links which come later are disturbed
 * like those that are there. Does not own: what decides (`schedule/`), toxiproxy (`toxiproxy.ts`). Start at {@link Disturbance}.
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

/** Called when one ends, with where. */
export type EndListener = (at: Label, fault: ConnectionFault) => void;

export class Disturbance {
  /** Where connections can be disturbed. */
  readonly links: readonly Link[];
  /** Whether connections have been disturbed since the run began. */
  hasBeen = false;
  readonly #between = new Map<Link, Set<Between>>();
  #active: Active | undefined;
  /** Calls to toxiproxy happen one after the other. */
  #calls: Promise<void> = Promise.resolve();
  #underWay = 0;
  #trouble: Error | undefined;

  constructor(links: readonly Link[]) {
    this.links = links;
    for (const link of links) this.#between.set(link, new Set());
  }

  /** Whether toxiproxy has been asked for something that it has not done yet. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** Run time until which connections are disturbed; in the past when they are not. */
  get untilMs(): number {
    return this.#active?.untilMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether that link is disturbed. */
  isOn(link: Link): boolean {
    return this.#active?.fault.link === link;
  }

  /** Another connection of that link begins here; it is disturbed like the others. */
  async add(link: Link, between: Between): Promise<void> {
    this.#between.get(link)?.add(between);
    const { fault } = this.#active ?? {};
    if (fault?.link === link) await this.#call(() => between.disturb(fault));
  }

  async remove(link: Link, between: Between): Promise<void> {
    this.#between.get(link)?.delete(between);
    await this.#call(() => between.remove());
  }

  /** Another run begins. */
  renew(): void {
    this.hasBeen = false;
  }

  /** Puts a fault in, in the place of another one; resolves when it is in force. False where there is no such link. */
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

  /** Something has happened: what ends with it, ends. */
  happened(label: Label, ended: EndListener): void {
    const active = this.#active;
    if (active === undefined) return;
    active.left--;
    if (active.left <= 0 || active.fault.until === label) this.#finish(label, ended);
  }

  /** Whether it has lasted long enough, and has not ended yet. */
  isOver(nowMs: number): boolean {
    return this.#active !== undefined && nowMs >= this.#active.untilMs;
  }

  /** What has lasted long enough ends; true when something has. */
  expire(nowMs: number, ended: EndListener): boolean {
    const active = this.#active;
    if (active === undefined || !this.isOver(nowMs)) return false;
    this.#finish(active.at, ended);
    return true;
  }

  /** Connections are left alone from here on; resolves when they are. */
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

  /** Errors are reported by {@link end}: a proxy that is gone with its target needs nothing done. */
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
