/** Items and views for tests of schedulers and strategies. Used by tests only. */
import type { Item, View } from '../model/item.ts';

let seq = 0;

/** An item of `actor`, by default a write about to be sent. Events take their stream and number from the label. */
export function item(label: string, more: Partial<Item> = {}): Item {
  const event = /^(.*#\d+)\/[^/]*@(-?\d+)$/.exec(label);
  const kind = event !== null ? 'event' : label.endsWith('!answered') ? 'answer' : 'send';
  return {
    seq: seq++,
    kind,
    actor: label.slice(0, label.indexOf('/')),
    label,
    stream: event?.[1] ?? '',
    k: Number(event?.[2] ?? 0),
    touches: '',
    write: true,
    verb: event !== null ? 'event' : (label.split('/')[1] ?? ''),
    revision: 0,
    staleable: false,
    ...more,
  };
}

/** The earliest timer of `owner`. */
export function timer(owner = 'controller', n = 0): Item {
  return item(`${owner}/timer#${n}`, { seq: -1, kind: 'timer', actor: 'time', verb: 'timer', write: false });
}

export function view(items: readonly Item[], more: Partial<View> = {}): View {
  return { items, timer: undefined, step: 0, completed: new Set(), ...more };
}
