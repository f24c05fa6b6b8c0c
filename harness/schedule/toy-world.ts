/**
 * A toy world for tests of schedulers: actors with fixed scripts, watch streams fed by their steps, a few timers. A delayed item returns
 * with the next timer, or once nothing else is pending.
 *
 * Models nothing of Kubernetes; just enough structure for orders, holds and preemptions to matter.
 */
import type { Item, Scheduler, TimerItem } from '../model/item.ts';

export interface ToyWorld {
  /** Steps per actor; each step is one send and one answer. */
  readonly actors: { readonly [actor: string]: number };
  /** Maps a stream to the actor whose answers feed it, one event each. */
  readonly streams: { readonly [stream: string]: string };
  readonly timers: number;
}

/** Runs the world to its end and returns the labels in the order of execution. */
export function runToyWorld(world: ToyWorld, scheduler: Scheduler): readonly string[] {
  const pending: Item[] = [];
  const happened: string[] = [];
  const left = new Map(Object.entries(world.actors));
  const queues = new Map(Object.keys(world.streams).map((stream) => [stream, { next: 0, waiting: 0 }]));
  let seq = 0;
  let timers = 0;
  const late: Item[] = [];
  const completed = new Set<string>();
  const park = (kind: Item['kind'], actor: string, label: string, stream = '', k = 0): void => {
    pending.push({
      seq: seq++,
      kind,
      actor,
      label,
      stream,
      k,
      touches: kind === 'answer' ? '' : `things/default/${actor.length % 2}`,
      write: true,
      verb: kind,
      revision: 0,
      staleable: false,
    });
  };
  const begin = (actor: string): void => {
    const remaining = left.get(actor) ?? 0;
    if (remaining === 0) return;
    left.set(actor, remaining - 1);
    park('send', actor, `${actor}/update/things/default/x#${(world.actors[actor] ?? 0) - remaining}!sent`);
  };
  const expose = (stream: string): void => {
    const queue = queues.get(stream);
    if (queue === undefined || queue.waiting === 0) return;
    park('event', 'controller', `${stream}/x@${queue.next}`, stream, queue.next);
  };
  for (const actor of left.keys()) begin(actor);
  for (let step = 0; step < 10_000; step++) {
    const timer: TimerItem | undefined =
      timers < world.timers
        ? {
            seq: -1,
            kind: 'timer',
            actor: 'time',
            label: `controller/timer#${timers}`,
            stream: '',
            k: 0,
            touches: '',
            write: false,
            verb: 'timer',
            revision: 0,
            staleable: false,
            atMs: timers * 1_000,
          }
        : undefined;
    if (pending.length === 0 && timer === undefined) pending.push(...late.splice(0));
    if (pending.length === 0 && timer === undefined) break;
    const choice = scheduler.next({ items: pending, timer, nowMs: timers * 1_000, step, completed });
    if (choice === undefined) break;
    completed.clear();
    const { item } = choice;
    if (item.kind === 'timer') {
      happened.push(item.label);
      timers++;
      pending.push(...late.splice(0));
      continue;
    }
    pending.splice(
      pending.findIndex((other) => other.seq === item.seq),
      1,
    );
    happened.push(item.label);
    if (choice.fault?.do === 'delay') {
      late.push({ ...item, label: `${item.label}!late` });
      continue;
    }
    if (item.kind === 'send') park('answer', item.actor, item.label.replace(/!sent(?:!late)?$/, '!answered'));
    else if (item.kind === 'answer') {
      completed.add(item.actor);
      for (const [stream, feeder] of Object.entries(world.streams)) {
        const queue = queues.get(stream);
        if (feeder === item.actor && queue !== undefined && ++queue.waiting === 1) expose(stream);
      }
      begin(item.actor);
    } else {
      const queue = queues.get(item.stream);
      if (queue !== undefined) {
        queue.waiting--;
        queue.next++;
        expose(item.stream);
      }
    }
  }
  return happened;
}
