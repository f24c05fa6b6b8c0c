/**
 * The pump: drain, ask the scheduler, release one item, repeat.
 *
 * Owns: when a stretch of a run ends. Does not own: what comes next (schedulers) or what a phase means (`trial.ts`).
 */
import type { EndListener } from '../../clusters/connections/disturbance.ts';
import { describeFault } from '../../gate/faults.ts';
import type { Choice, Item, Scheduler } from '../../model/item.ts';
import { isConnectionFault } from '../../model/schedule.ts';
import { slackAfter } from './program-waits.ts';
import type { World } from './world.ts';

export interface PumpRule {
  readonly stepsMax: number;
  /** If this many items happen without a timer in between, the target counts as spinning. */
  readonly hotMax: number;
  /** The run time before which neither limit ends a stretch: in real time, many items happen before a client relists. */
  readonly boundsFromMs?: number;
  /**
   * Reports whether a watch that the target will reopen is down: until it is reopened, the target acts on stale state. Neither limit ends a
   * stretch before the target has had the chance to reopen it; in virtual time, the next timer is fired first, or a spinning target would
   * postpone it forever.
   */
  readonly isDeaf?: () => boolean;
  /** Reports whether time may pass to a timer at `atMs`. Called once per turn if there is a timer, so it may count its calls. */
  readonly mayWaitUntil: (atMs: number) => boolean;
  /**
   * The number of timers of programs that count as one step; absent: 1. A program that is at rest may still have a timer every few
   * milliseconds, such as that of its runtime's monitor, none of which leads to a request.
   */
  readonly timersPerStep?: number;
  /** Whether programs' timers may become late after a period in which only timers fired: some fire twice a second while a request waits. */
  readonly mayBeLate?: boolean;
  /** Selects items that must not happen in this stretch. */
  readonly withheld?: (item: Item) => boolean;
}

/** Why a stretch ended. `idle`: the rule allows no pending item or timer. */
export type PumpEnd = 'idle' | 'steps' | 'hot';

/** The run time in ms that a target gets in one stretch to reopen a watch, timer by timer: clients wait a second or two before doing so. */
const DEAF_MAX_MS = 10_000;

/** Returns a scheduler that is like another one, but chooses by `next`. */
export function wrapped(scheduler: Scheduler, next: Scheduler['next']): Scheduler {
  return { holding: () => scheduler.holding(), called: (items) => scheduler.called?.(items) ?? [], next };
}

const NOBODY: ReadonlySet<string> = new Set();

export async function pump(world: World, scheduler: Scheduler, rule: PumpRule): Promise<PumpEnd> {
  const { host, gate } = world;
  let steps = 0;
  // Only the clock of programs in virtual time has `hurry`; with any other clock, `timersPerStep` does not apply.
  const timersPerStep = host.time.hurry === undefined ? 1 : (rule.timersPerStep ?? 1);
  let atInstant = 0;
  let isTimersTurn = false;
  let deafUntilMs: number | undefined;
  let stirredMs = host.time.now();
  let newest = -1;
  const ended: EndListener = (at, fault) => world.recorder.decision('release', at, `${fault.do} ends`);
  for (;;) {
    // The order of the following steps is part of every history: everything that has happened so far is recorded before the scheduler
    // chooses.
    await host.drain(world);
    world.incarnations.resume();
    // Expired connection faults end here.
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
    else if (world.waits.isAny && scheduler.called?.(items).some((actor) => world.waits.endOf(actor)) === true)
      continue;
    let timer = world.pollTimer();
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
      // No timer is late while an item is being handled: a webhook has seconds to answer.
      if (rule.mayBeLate === true) host.time.hurry?.(0);
    }
    // In real time, timers are unknown and waiting is not a step. A wait that a program requested is not a step either.
    if (choice.item.kind !== 'timer') steps++;
    else if (!host.mode.waitsForReal && !world.isWaitAskedFor) steps += 1 / timersPerStep;
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

/** Starts a connection fault before its item happens. Resolves to false if the item's actor has cancelled the item in the meantime. */
async function begin({ host, gate, recorder }: World, { item, fault }: Choice): Promise<boolean> {
  if (fault === undefined || !isConnectionFault(fault)) return true;
  await host.disturbance.begin(fault, item.label, host.time.now());
  if (gate.pending.some(({ seq }) => seq === item.seq)) return true;
  recorder.decision('fault', item.label, describeFault(fault));
  return false;
}
