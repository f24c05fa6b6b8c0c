import { describe, expect, it } from 'vitest';
import type { Fault, Hold, Preemption, Schedule } from '../model/schedule.ts';
import { EMPTY_SCHEDULE, TIME } from '../model/schedule.ts';
import { anchorsOf, faultLabels, ReplayScheduler } from './replay-scheduler.ts';
import { item, timer, view } from './test-items.ts';
import { runToyWorld } from './toy-world.ts';
import type { ToyWorld } from './toy-world.ts';

const STREAM = 'controller/watch/things/default#0';

function schedule(deviations: {
  readonly preemptions?: readonly Preemption[];
  readonly holds?: readonly Hold[];
  readonly faults?: readonly Fault[];
}): Schedule {
  return { ...EMPTY_SCHEDULE, ...deviations };
}

/** Expands a short label of the toy world: `c0s` is the controller's first send. */
function of(short: string): string {
  const match = /^(c|u|w1|w2)(\d)(s|a)$/.exec(short);
  if (match === null) return short;
  const [, who = '', n = '', what = ''] = match;
  const actor = { c: 'controller', u: 'user', w1: 'writer-1', w2: 'writer-2' }[who] ?? who;
  return `${actor}/update/things/default/x#${n}!${what === 's' ? 'sent' : 'answered'}`;
}

function short(label: string): string {
  return label
    .replace(/^(controller|user|writer-\d)\/update.*#(\d)!(sent|answered)$/, (_, actor: string, n: string, what) => {
      const who = actor.startsWith('writer-') ? `w${actor.slice(7)}` : actor.charAt(0);
      return `${who}${n}${what === 'sent' ? 's' : 'a'}`;
    })
    .replace(`${STREAM}/x@`, '@')
    .replace('controller/timer#', 't');
}

const WORLD: ToyWorld = { actors: { controller: 2, 'writer-1': 2 }, streams: {}, timers: 0 };

function play(deviations: Parameters<typeof schedule>[0], world: ToyWorld = WORLD): string {
  return runToyWorld(world, new ReplayScheduler(schedule(deviations)))
    .map(short)
    .join(' ');
}

describe('a preemption', () => {
  it('changes nothing when there is none', () => {
    expect(play({})).toBe('c0s c0a c1s c1a w10s w10a w11s w11a');
  });

  it('before a label runs another actor for one whole operation first', () => {
    expect(play({ preemptions: [{ before: of('c1s'), run: 'writer-1' }] })).toBe('c0s c0a w10s w10a c1s c1a w11s w11a');
  });

  it('after a label runs another actor for one whole operation next', () => {
    expect(play({ preemptions: [{ after: of('c0s'), run: 'writer-1' }] })).toBe('c0s w10s w10a c0a c1s c1a w11s w11a');
  });

  it('of time for so long passes every timer that is due by then, or a moment later', () => {
    const own = item(of('c0s'));
    const preemptions = [{ before: own.label, run: TIME, forMs: 60_000 }];
    const taken = (...moments: readonly number[]): string => {
      const replaying = new ReplayScheduler(schedule({ preemptions }));
      let nowMs = 0;
      return [...moments, Number.POSITIVE_INFINITY]
        .map((atMs, n) => {
          const late = timer('wall', n, atMs);
          const choice = replaying.next(view([own], { timer: late, nowMs }));
          if (choice?.item === late) nowMs = atMs;
          return choice?.item === late ? `t${n}` : 'c0s';
        })
        .join(' ');
    };

    expect(taken(1_000, 30_000, 59_000, 60_000)).toBe('t0 t1 t2 t3 c0s');
    expect(taken(1_000, 60_300)).toBe('t0 t1 c0s');
    expect(taken(1_000, 70_000)).toBe('t0 c0s c0s');
  });

  it('of time for so long takes a timer that is due by then, though it may be late', () => {
    const own = item(of('c0s'));
    const preemptions = [{ before: own.label, run: TIME, forMs: 60_000 }];
    const chosen = (dueMs: number): string | undefined => {
      const late = { ...timer('wall', 0, 65_000), dueMs };
      return new ReplayScheduler(schedule({ preemptions })).next(view([own], { timer: late, nowMs: 0 }))?.item.kind;
    };

    expect(chosen(60_000)).toBe('timer');
    expect(chosen(62_000)).not.toBe('timer');
  });

  it('with until runs up to and including that label', () => {
    const preemptions = [{ before: of('c0s'), run: 'writer-1', until: of('w11s') }];

    expect(play({ preemptions })).toBe('w10s w10a w11s c0s c0a c1s c1a w11a');
  });

  it('ends with a label of somebody else as soon as that can happen', () => {
    const preemptions = [{ after: of('c0s'), run: 'writer-1', until: of('c0a') }];

    expect(play({ preemptions })).toBe('c0s c0a c1s c1a w10s w10a w11s w11a');
  });

  it('runs several at one anchor one after the other, in the order written', () => {
    const world = { ...WORLD, actors: { ...WORLD.actors, 'writer-2': 1 } };
    const preemptions = [
      { before: of('c0s'), run: 'writer-2' },
      { before: of('c0s'), run: 'writer-1' },
    ];

    expect(play({ preemptions }, world)).toBe('w20s w20a w10s w10a c0s c0a c1s c1a w11s w11a');
  });

  it('may stand within the run of another', () => {
    const world = { ...WORLD, actors: { ...WORLD.actors, 'writer-2': 1 } };
    const preemptions = [
      { before: of('c0s'), run: 'writer-1' },
      { before: of('w10a'), run: 'writer-2' },
    ];

    expect(play({ preemptions }, world)).toBe('w10s w20s w20a w10a c0s c0a c1s c1a w11s w11a');
  });

  it('is over when its actor has nothing to do', () => {
    const preemptions = [
      { before: of('c0s'), run: 'writer-9' },
      { before: of('c1s'), run: 'writer-1', until: 'never' },
    ];

    expect(play({ preemptions })).toBe('c0s c0a w10s w10a w11s w11a c1s c1a');
  });

  it('of time lets one timer fire, or all up to the one named', () => {
    const world = { ...WORLD, timers: 3 };
    const before = of('c1s');

    expect(play({ preemptions: [{ before, run: TIME }] }, world)).toBe('c0s c0a t0 c1s c1a w10s w10a w11s w11a t1 t2');
    expect(play({ preemptions: [{ before, run: TIME, until: 'controller/timer#1' }] }, world)).toBe(
      'c0s c0a t0 t1 c1s c1a w10s w10a w11s w11a t2',
    );
  });
});

describe('a hold', () => {
  const world: ToyWorld = { actors: { 'writer-1': 3, 'writer-2': 1 }, streams: { [STREAM]: 'writer-1' }, timers: 0 };

  it('lets events pass at once without one', () => {
    expect(play({}, world)).toBe('w10s w10a @0 w11s w11a @1 w12s w12a @2 w20s w20a');
  });

  it('keeps events back from its number on until a label has happened', () => {
    const holds: Hold[] = [{ stream: STREAM, from: '@1', until: of('w20s') }];

    expect(play({ holds }, world)).toBe('w10s w10a @0 w11s w11a w12s w12a w20s w20a @1 @2');
  });

  it('until heal keeps them back to the end', () => {
    const scheduler = new ReplayScheduler(schedule({ holds: [{ stream: STREAM, from: '@1', until: 'heal' }] }));

    const happened = runToyWorld(world, scheduler).map(short).join(' ');

    expect(happened).toBe('w10s w10a @0 w11s w11a w12s w12a w20s w20a');
    expect(scheduler.holding()).toBe(true);
  });

  it('of a single request lets its actor go on with what else it has under way', () => {
    const held = item('controller/update/things/default/x#0!sent');
    const other = item('controller/get/things/default/x#0!sent');
    const scheduler = new ReplayScheduler(
      schedule({ holds: [{ stream: held.label, from: '@0', until: other.label }] }),
    );

    expect(scheduler.next(view([held, other]))?.item).toBe(other);
    expect(scheduler.next(view([held]))?.item).toBe(held);
    expect(scheduler.holding()).toBe(false);
  });

  it('of an answer keeps the actor waiting although the server has acted', () => {
    const holds: Hold[] = [{ stream: of('c0a'), from: '@0', until: of('w10a') }];

    expect(play({ holds })).toBe('c0s w10s w10a c0a c1s c1a w11s w11a');
  });

  it('is stronger than a run that a preemption asks for', () => {
    const holds: Hold[] = [{ stream: of('w10s'), from: '@0', until: of('c1s') }];

    expect(play({ holds, preemptions: [{ before: of('c0s'), run: 'writer-1' }] })).toBe(
      'c0s c0a c1s c1a w10s w10a w11s w11a',
    );
  });

  it('tells when it takes effect and when it lets go', () => {
    const told: string[] = [];
    const holds: Hold[] = [{ stream: STREAM, from: '@1', until: of('w20s') }];

    runToyWorld(
      world,
      new ReplayScheduler(schedule({ holds }), (kind, label, detail) =>
        told.push(`${kind} ${short(label)} ${short(detail)}`),
      ),
    );

    expect(told).toEqual(['hold @1 w20s', `release w20s ${STREAM}`]);
  });
});

describe('a fault', () => {
  it('meets the item of its label, once', () => {
    const fault: Fault = { do: 'crash', at: of('c0s') };
    const scheduler = new ReplayScheduler(schedule({ faults: [fault] }));
    const at = item(of('c0s'));

    expect(scheduler.next(view([at]))).toEqual({ item: at, fault });
    expect(scheduler.next(view([at]))).toEqual({ item: at });
  });

  it('with times meets that many occurrences of its label in a row', () => {
    const fault: Fault = { do: 'fail', status: 500, at: of('c1s'), times: 3 };
    const scheduler = new ReplayScheduler(schedule({ faults: [fault] }));

    const met = [0, 1, 2, 3, 4].map((n) => scheduler.next(view([item(of(`c${n}s`))]))?.fault !== undefined);

    expect(met).toEqual([false, true, true, true, false]);
    expect(faultLabels(fault)).toEqual([of('c1s'), of('c2s'), of('c3s')]);
    expect([...scheduler.hit]).toEqual([of('c1s')]);
  });

  it('of an event names that event alone, whatever its times', () => {
    expect(faultLabels({ do: 'close-watch', at: `${STREAM}/x@3`, times: 2 })).toEqual([`${STREAM}/x@3`]);
  });
});

describe('labels that never come up', () => {
  it('are skipped, and are not among those hit', () => {
    const missing = schedule({
      preemptions: [
        { before: 'controller/update/gone#0!sent', run: 'writer-1' },
        { after: of('c0a'), run: 'writer-1' },
      ],
      holds: [{ stream: 'controller/watch/gone/default#0', from: '@0', until: 'heal' }],
      faults: [{ do: 'refuse', at: 'controller/update/gone#1!sent' }],
    });
    const scheduler = new ReplayScheduler(missing);

    const happened = runToyWorld(WORLD, scheduler).map(short).join(' ');

    expect(happened).toBe('c0s c0a w10s w10a c1s c1a w11s w11a');
    expect(anchorsOf(missing).filter((label) => !scheduler.hit.has(label))).toEqual([
      'controller/update/gone#0!sent',
      'controller/watch/gone/default#0',
      'controller/update/gone#1!sent',
    ]);
  });
});
