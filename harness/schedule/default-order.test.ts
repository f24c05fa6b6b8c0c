import { describe, expect, it } from 'vitest';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { defaultItem, hasProgram, holdKey, itemOfRun } from './default-order.ts';
import { ReplayScheduler } from './replay-scheduler.ts';
import { item, timer, view } from './test-items.ts';
import { runToyWorld } from './toy-world.ts';

describe('the default order', () => {
  it('takes the target before the environment, the user and the writers', () => {
    const items = [
      item('writer-2/get/a#0!sent'),
      item('writer-1/get/a#0!sent'),
      item('user/get/a#0!sent'),
      item('gc/get/a#0!sent'),
      item('controller~2/get/a#0!sent'),
      item('controller/get/a#0!sent'),
    ];
    const order: string[] = [];

    for (let rest = items; rest.length > 0;) {
      const next = defaultItem(rest);
      order.push(next?.actor ?? '');
      rest = rest.filter((other) => other !== next);
    }

    // Two incarnations have the same rank, so the one that arrived first is picked.
    expect(order).toEqual(['controller~2', 'controller', 'gc', 'user', 'writer-1', 'writer-2']);
  });

  it('keeps to the order of arrival within a rank', () => {
    const first = item('controller/update/b#0!sent');

    expect(defaultItem([first, item('controller/update/a#0!sent')])).toBe(first);
    expect(defaultItem([])).toBeUndefined();
  });

  it('runs each writer for a whole operation and lets time pass last', () => {
    const happened = runToyWorld(
      { actors: { 'writer-2': 1, 'writer-1': 2, user: 1, controller: 1 }, streams: {}, timers: 1 },
      new ReplayScheduler(EMPTY_SCHEDULE),
    );

    expect(happened).toEqual([
      'controller/update/things/default/x#0!sent',
      'controller/update/things/default/x#0!answered',
      'user/update/things/default/x#0!sent',
      'user/update/things/default/x#0!answered',
      'writer-1/update/things/default/x#0!sent',
      'writer-1/update/things/default/x#0!answered',
      'writer-1/update/things/default/x#1!sent',
      'writer-1/update/things/default/x#1!answered',
      'writer-2/update/things/default/x#0!sent',
      'writer-2/update/things/default/x#0!answered',
      'controller/timer#0',
    ]);
  });

  it('goes on with a writer once begun, although the target has something to do, until its operation is over', () => {
    const scheduler = new ReplayScheduler(EMPTY_SCHEDULE);
    const writer = item('writer-1/update/a#0!sent');
    const answer = item('writer-1/update/a#0!answered');
    const target = item('controller/update/b#0!sent');
    const next = item('writer-1/update/a#1!sent');

    expect(scheduler.next(view([writer]))?.item).toBe(writer);
    expect(scheduler.next(view([target, answer]))?.item).toBe(answer);
    expect(scheduler.next(view([target, next], { completed: new Set(['writer-1']) }))?.item).toBe(target);
  });

  it('turns to the others when the actor it runs has nothing pending', () => {
    const scheduler = new ReplayScheduler(EMPTY_SCHEDULE);
    const target = item('controller/update/b#0!sent');

    scheduler.next(view([item('user/update/a#0!sent')]));

    expect(scheduler.next(view([target], { timer: timer() }))?.item).toBe(target);
    expect(scheduler.next(view([], { timer: timer() }))?.item.kind).toBe('timer');
    expect(scheduler.next(view([]))).toBeUndefined();
  });

  it('knows who works through a program', () => {
    expect(['controller', 'controller~2', 'gc', 'user', 'writer-1'].filter(hasProgram)).toEqual(['user', 'writer-1']);
  });
});

describe('what a run takes', () => {
  it('is the item that it ends with as soon as that is there, else the oldest of its actor', () => {
    const own = item('writer-1/get/a#0!sent');
    const end = item('controller/update/a#0!sent');

    expect(itemOfRun([own, end], { actor: 'writer-1', until: end.label })).toBe(end);
    expect(itemOfRun([own], { actor: 'writer-1', until: end.label })).toBe(own);
    expect(itemOfRun([end], { actor: 'writer-1' })).toBeUndefined();
  });

  it('is named by its stream for an event, by its own label for a request', () => {
    expect(holdKey(item('controller/watch/pods/default#0/a@3'))).toBe('controller/watch/pods/default#0');
    expect(holdKey(item('controller/get/pods/default/a#1!answered'))).toBe('controller/get/pods/default/a#1!answered');
  });
});
