/** Items and views for tests of schedulers and strategies. Used by tests only. */
import type { Item, TimerItem, View } from '../model/item.ts';
import { ANSWERED, partsOf } from '../model/label.ts';

let seq = 0;

/** Returns an item with this label, by default a write about to be sent. The stream and number of an event come from its label. */
export function item(label: string, more: Partial<Item> = {}): Item {
  const { actor, verb, marks, event } = partsOf(label);
  const kind = event !== undefined ? 'event' : marks.endsWith(ANSWERED) ? 'answer' : 'send';
  return {
    seq: seq++,
    kind,
    actor,
    label,
    stream: event === undefined ? '' : label.slice(0, label.lastIndexOf('/')),
    k: event?.k ?? 0,
    touches: '',
    write: true,
    verb: event === undefined ? verb : 'event',
    revision: 0,
    staleable: false,
    ...more,
  };
}

/** Returns the earliest timer of `owner`. */
export function timer(owner = 'controller', n = 0, atMs = 0): TimerItem {
  return {
    ...item(`${owner}/timer#${n}`, { seq: -1, kind: 'timer', actor: 'time', verb: 'timer', write: false }),
    atMs,
  };
}

export function view(items: readonly Item[], more: Partial<View> = {}): View {
  return { items, timer: undefined, nowMs: 0, step: 0, completed: new Set(), ...more };
}
