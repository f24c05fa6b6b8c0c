/**
 * The pump: drain, ask the scheduler, let one thing happen, repeat.
 *
 * Owns: when a stretch of a run is over. Does not own: what comes next (schedulers) or what a phase means (`trial.ts`).
 */
import type { EndListener } from '../../clusters/connections/disturbance.ts';
import { describeFault } from '../../gate/faults.ts';
import type { Choice, Item, Scheduler } from '../../model/item.ts';
import { isConnectionFault } from '../../model/schedule.ts';
import { slackAfter } from './program-waits.ts';
import type { World } from './world.ts';

export interface PumpRule {
  readonly stepsMax: number;
  /** Items without a timer in between after which the target is taken to spin. */
  readonly hotMax: number;
  /** Run time before which neither bound ends a stretch: on the wall's clock many things happen before a client looks again. */
  readonly boundsFromMs?: number;
  /**
   * Whether a watch of the target is down that it will open again: what it does meanwhile, it does by what it knew before. Neither bound
   * ends a stretch until it has had the chance to; in virtual time its next timer comes first, which a spinning target would put off
   * for ever.
   */
  readonly isDeaf?: () => boolean;
  /** Whether time may pass to a timer at `atMs`. Asked once a turn, where there is a timer: it may keep count of what it is asked. */
  readonly mayWaitUntil: (atMs: number) => boolean;
  /** Timers of programs may be late once nothing but timers has happened for a while: some fire twice a second while a request waits. */
  readonly mayBeLate?: boolean;
  /** Items that must not happen in this stretch. */
  readonly withheld?: (item: Item) => boolean;
}

/** `idle`: nothing is left to do within the rule. */
export type PumpEnd = 'idle' | 'steps' | 'hot';

/** Run time that a target gets in one stretch to open a watch again, timer by timer: clients wait a second or two before they do. */
const DEAF_MAX_MS = 10_000;

/** A scheduler that chooses in another way. */
export function wrapped(scheduler: Scheduler, next: Scheduler['next']): Scheduler {
  return { holding: () => scheduler.holding(), next };
}

const NOBODY: ReadonlySet<string> = new Set();

export async function pump(world: World, scheduler: Scheduler, rule: PumpRule): Promise<PumpEnd> {
  const { host, gate } = world;
  let steps = 0;
  let atInstant = 0;
  let isTimersTurn = false;
  let deafUntilMs: number | undefined;
  let stirredMs = host.time.now();
  let newest = -1;
  const ended: EndListener = (at, fault) => world.recorder.decision('release', at, `${fault.do} ends`);
  for (;;) {
    // The order of what follows is part of every history: all that has come about by now stands in its place before anybody picks.
    await host.drain(world);
    world.incarnations.resume();
    // Who could reach nobody goes on now.
    if (host.disturbance.expire(host.time.now(), ended)) continue;
    if (world.serialised) gate.orderArrivals();
    const { withheld } = rule;
    const items: readonly Item[] = withheld ? gate.pending.filter((item) => !withheld(item)) : gate.pending;
    if (rule.mayBeLate === true && host.time.hurry !== undefined) {
      for (const { seq } of items) {
        if (seq <= newest) continue;
        newest = seq;
        stirredMs = host.time.now();
      }
      host.time.hurry(slackAfter(host.time.now() - stirredMs, world.keepsUp));
    }
    if (items.length === 0) world.waits.atRest(world.keepsUp);
    let timer = world.timer();
    if (timer !== undefined && !rule.mayWaitUntil(timer.atMs)) timer = undefined;
    if (items.length === 0 && timer === undefined) return 'idle';
    const completed = world.completed.size === 0 ? NOBODY : world.completed;
    const choice =
      isTimersTurn && timer !== undefined
        ? { item: timer }
        : scheduler.next({ items, timer, nowMs: host.time.now(), step: world.steps, completed });
    isTimersTurn = false;
    if (choice === undefined) return 'idle';
    if (choice.fault !== undefined && !(await begin(world, choice))) continue;
    world.execute(choice);
    host.disturbance.happened(choice.item.label, ended);
    atInstant = choice.item.kind === 'timer' ? 0 : atInstant + 1;
    if (choice.item.kind !== 'timer') {
      stirredMs = host.time.now();
      // No timer is late while an item is worked on: a webhook has seconds to answer.
      if (rule.mayBeLate === true) host.time.hurry?.(0);
    }
    // On the wall's clock nobody knows of timers: waiting is no step. Nor is it where somebody has asked for it.
    if (choice.item.kind !== 'timer' || (!host.mode.waitsForReal && !world.isWaitAskedFor)) steps++;
    if (rule.boundsFromMs !== undefined && host.time.now() < rule.boundsFromMs) continue;
    if (steps < rule.stepsMax && atInstant < rule.hotMax) continue;
    const isDeaf = rule.isDeaf?.() === true;
    if (isDeaf && host.mode.waitsForReal) continue;
    deafUntilMs ??= host.time.now() + DEAF_MAX_MS;
    if (isDeaf && timer !== undefined && host.time.now() < deafUntilMs) {
      isTimersTurn = true;
      atInstant = 0;
      continue;
    }
    return steps >= rule.stepsMax ? 'steps' : 'hot';
  }
}

/** Connections are disturbed before the item happens; false when its actor has given it up meanwhile. */
async function begin({ host, gate, recorder }: World, { item, fault }: Choice): Promise<boolean> {
  if (fault === undefined || !isConnectionFault(fault)) return true;
  await host.disturbance.begin(fault, item.label, host.time.now());
  if (gate.pending.some(({ seq }) => seq === item.seq)) return true;
  recorder.decision('fault', item.label, describeFault(fault));
  return false;
}
