import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault, Hold, Preemption, Schedule } from '../model/schedule.ts';
import { EMPTY_SCHEDULE, scheduleSize } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import type { Program, ProgramOp, Workload } from '../model/workload.ts';
import { joinLasting, shrinkTrial } from './shrink.ts';

const STREAM = 'controller/watch/things/default#0';

function op(name: string): ProgramOp {
  const target = { group: '', version: 'v1', resource: 'things', namespace: 'default', name };
  return { do: 'set', target, path: ['spec', name], value: 1, via: 'merge-patch' };
}

function program(actor: string, ...ops: readonly string[]): Program {
  return { actor, writer: 'test', ops: ops.map(op) };
}

function workload(programs: readonly Program[], start: Workload['start'] = 'settled'): Workload {
  return { version: 1, start, sample: [], programs };
}

function schedule(deviations: Partial<Schedule> = {}): Schedule {
  return { ...EMPTY_SCHEDULE, ...deviations };
}

function update(n: number): string {
  return `controller/update/things/default/x#${n}!sent`;
}

/** Drives the generator to its end. `tried` holds the candidates in order. */
function shrink(
  trial: Trial,
  fails: (trial: Trial) => boolean,
  triesMax = 5_000,
): { readonly smallest: Trial; readonly tried: readonly Trial[] } {
  const candidates = shrinkTrial(trial);
  const tried: Trial[] = [];
  let next = candidates.next();
  while (next.done !== true) {
    tried.push(next.value);
    if (tried.length > triesMax) throw new RangeError('shrinking does not end');
    next = candidates.next(fails(next.value));
  }
  return { smallest: next.value, tried };
}

function actors(trial: Trial): readonly string[] {
  return trial.workload.programs.map(({ actor }) => actor);
}

describe('shrinking the workload', () => {
  it('drops the programs that the failure does not need, and the runs of their actors with them', () => {
    const trial: Trial = {
      workload: workload([program('user', 'u'), program('writer-1', 'a'), program('writer-2', 'b')]),
      schedule: schedule({
        preemptions: [
          { before: update(0), run: 'writer-1' },
          { before: update(1), run: 'writer-2' },
        ],
      }),
    };

    const { smallest } = shrink(trial, (one) => actors(one).includes('writer-2') && scheduleSize(one.schedule) > 0);

    expect(actors(smallest)).toEqual(['writer-2']);
    expect(smallest.schedule.preemptions).toEqual([{ before: update(1), run: 'writer-2' }]);
  });

  it('shortens programs to the operations that matter', () => {
    const trial: Trial = {
      workload: workload([program('writer-1', 'a', 'b', 'c', 'd', 'e')]),
      schedule: schedule(),
    };

    const { smallest } = shrink(trial, ({ workload: { programs } }) =>
      programs.some(({ ops }) => ops.some(({ target }) => target.name === 'd')),
    );

    expect(smallest.workload.programs).toEqual([program('writer-1', 'd')]);
  });

  it('retargets occurrence numbers when an operation before them goes', () => {
    const trial: Trial = {
      workload: workload([program('writer-1', 'a', 'b', 'c')]),
      schedule: schedule({
        preemptions: [{ before: update(2), run: 'writer-1', until: 'writer-1/patch/things/default/x#2!answered' }],
      }),
    };
    // Each operation makes one update, and the preemption must come before the last of them.
    const fails = ({ workload: { programs }, schedule: { preemptions } }: Trial): boolean =>
      preemptions.some(({ before }) => before === update((programs[0]?.ops.length ?? 0) - 1));

    const { smallest } = shrink(trial, fails);

    expect(smallest.workload.programs[0]?.ops).toHaveLength(1);
    expect(smallest.schedule.preemptions).toEqual([{ before: update(0), run: 'writer-1' }]);
  });

  it('retargets a hold of a single request too, but never a stream', () => {
    const trial: Trial = {
      workload: workload([program('writer-1', 'a', 'b')]),
      schedule: schedule({
        holds: [
          { stream: update(1), from: '@0', until: 'heal' },
          { stream: 'controller/watch/things/default#1', from: '@0', until: 'heal' },
        ],
      }),
    };
    const fails = ({ workload: { programs }, schedule: { holds } }: Trial): boolean =>
      holds.some(({ stream }) => stream === update((programs[0]?.ops.length ?? 0) - 1)) &&
      holds.some(({ stream }) => stream === 'controller/watch/things/default#1');

    const { smallest } = shrink(trial, fails);

    expect(smallest.workload.programs[0]?.ops).toHaveLength(1);
    expect(smallest.schedule.holds.map(({ stream }) => stream)).toEqual([
      update(0),
      'controller/watch/things/default#1',
    ]);
  });

  it('tries a start from rest, with holds from the first event until heal', () => {
    const trial: Trial = {
      workload: workload([program('writer-1', 'a')], 'empty'),
      schedule: schedule({
        holds: [
          { stream: STREAM, from: '@4', until: update(1) },
          { stream: STREAM, from: '@9', until: 'heal' },
        ],
      }),
    };

    const { smallest, tried } = shrink(
      trial,
      (one) => one.workload.start === 'settled' && one.schedule.holds.length > 0,
    );

    expect(tried).toContainEqual({
      workload: { ...trial.workload, start: 'settled' },
      schedule: schedule({ holds: [{ stream: STREAM, from: '@0', until: 'heal' }] }),
    });
    expect(smallest.workload.start).toBe('settled');
    expect(shrink(trial, (one) => one.workload.start === 'empty').smallest.workload.start).toBe('empty');
  });
});

describe('shrinking the schedule', () => {
  const PREEMPTIONS: readonly Preemption[] = Array.from({ length: 8 }, (_, n) => ({
    before: update(n),
    run: `writer-${n % 2}`,
  }));
  const HOLDS: readonly Hold[] = [0, 1].map((n) => ({
    stream: `controller/watch/things/default#${n}`,
    from: '@0',
    until: 'heal',
  }));
  const FAULTS: readonly Fault[] = [
    { do: 'crash', at: update(3) },
    { do: 'refuse', at: update(5) },
  ];
  const deviations = schedule({ preemptions: PREEMPTIONS, holds: HOLDS, faults: FAULTS });

  it('leaves exactly the deviations that are needed, of whatever kind', () => {
    const needed = [PREEMPTIONS[2], PREEMPTIONS[7], FAULTS[1]];
    const fails = ({ schedule: { preemptions, faults } }: Trial): boolean => {
      const there = new Set([...preemptions, ...faults].map((one) => JSON.stringify(one)));
      return needed.every((one) => there.has(JSON.stringify(one)));
    };

    const { smallest, tried } = shrink({ workload: workload([]), schedule: deviations }, fails);

    expect(smallest.schedule).toEqual(
      schedule({ preemptions: [PREEMPTIONS[2], PREEMPTIONS[7]] as Preemption[], faults: [FAULTS[1]] as Fault[] }),
    );
    expect(tried.length).toBeLessThan(60);
  });

  it('ends with the empty schedule when nothing is needed', () => {
    const { smallest, tried } = shrink({ workload: workload([]), schedule: deviations }, () => true);

    expect(smallest.schedule).toEqual(EMPTY_SCHEDULE);
    expect(tried).toHaveLength(1);
  });

  it('merges runs of one actor at one anchor into a whole operation, or up to the last of their ends', () => {
    const preemptions = [0, 1, 2].map((n): Preemption => ({
      before: update(0),
      run: 'writer-1',
      until: `writer-1/get/things/default/x#${n}!sent`,
    }));
    const trial: Trial = { workload: workload([]), schedule: schedule({ preemptions }) };
    const ends = ({ schedule: { preemptions: left } }: Trial): readonly (string | undefined)[] =>
      left.map(({ until }) => until);
    const last = 'writer-1/get/things/default/x#2!sent';

    const whole = shrink(
      trial,
      (one) => ends(one).length === 3 || (ends(one).length === 1 && ends(one)[0] === undefined),
    );
    // Dropping one of the three does not reproduce this failure: only the merged preemption does.
    const bounded = shrink(trial, (one) => ends(one).length === 3 || (ends(one).length === 1 && ends(one)[0] === last));

    expect(whole.smallest.schedule.preemptions).toEqual([{ before: update(0), run: 'writer-1' }]);
    expect(bounded.smallest.schedule.preemptions).toEqual([{ before: update(0), run: 'writer-1', until: last }]);
  });

  it('lets a run go on to the end of its operation where that still fails', () => {
    const preemptions: Preemption[] = [{ before: update(0), run: 'writer-1', until: 'writer-1/get/x#0!sent' }];

    const { smallest } = shrink(
      { workload: workload([]), schedule: schedule({ preemptions }) },
      (one) => one.schedule.preemptions.length === 1,
    );

    expect(smallest.schedule.preemptions).toEqual([{ before: update(0), run: 'writer-1' }]);
  });

  it('lowers the lag: a hold begins as late as it may', () => {
    const holds: Hold[] = [{ stream: STREAM, from: '@1', until: 'heal' }];

    const { smallest } = shrink({ workload: workload([]), schedule: schedule({ holds }) }, (one) =>
      one.schedule.holds.some(({ from }) => Number(from.slice(1)) <= 6),
    );

    expect(smallest.schedule.holds).toEqual([{ stream: STREAM, from: '@6', until: 'heal' }]);
  });

  it('does not look for less lag without end, whatever it is told', () => {
    const holds: Hold[] = [{ stream: STREAM, from: '@0', until: 'heal' }];

    const { tried } = shrink(
      { workload: workload([]), schedule: schedule({ holds }) },
      (one) => one.schedule.holds.length > 0,
    );

    expect(tried.length).toBeLessThan(200);
  });

  it('asks first whether one hold of a stream is all, when there are dozens', () => {
    const holds = Array.from({ length: 20 }, (_, n): Hold => ({ stream: STREAM, from: `@${n + 2}`, until: update(n) }));
    const preemptions = [{ before: update(7), run: 'writer-1' }];
    const trial: Trial = { workload: workload([]), schedule: schedule({ holds, preemptions }) };

    const { tried } = shrink(trial, () => false);

    expect(tried[0]?.schedule).toEqual(EMPTY_SCHEDULE);
    expect(tried[1]?.schedule).toEqual(schedule({ holds: [{ stream: STREAM, from: '@2', until: 'heal' }] }));
  });

  it('simplifies faults: once, without advice when to come back, from a younger past', () => {
    const faults: Fault[] = [
      { do: 'fail', status: 429, retryAfterSeconds: 1, at: update(0), times: 3 },
      { do: 'stale-list', behind: 5, at: update(1) },
    ];
    const trial: Trial = { workload: workload([]), schedule: schedule({ faults }) };

    const { smallest } = shrink(
      trial,
      ({ schedule: { faults: left } }) =>
        left.some((fault) => fault.do === 'stale-list' && fault.behind >= 3) && left.length === 2,
    );
    const lasting = shrink(trial, ({ schedule: { faults: left } }) => left.some((fault) => (fault.times ?? 1) >= 3));

    expect(smallest.schedule.faults).toEqual([
      { do: 'fail', status: 429, at: update(0) },
      { do: 'stale-list', behind: 3, at: update(1) },
    ]);
    expect(lasting.smallest.schedule.faults).toEqual([{ do: 'fail', status: 429, at: update(0), times: 3 }]);
  });

  it('shortens a delay to the next round length that still fails', () => {
    const faults: Fault[] = [{ do: 'delay', forMs: 600_000, at: `${STREAM}/a@0` }];
    const trial: Trial = { workload: workload([]), schedule: schedule({ faults }) };

    const { smallest } = shrink(trial, ({ schedule: { faults: left } }) =>
      left.some((fault) => fault.do === 'delay' && fault.forMs > 20_000),
    );

    expect(smallest.schedule.faults).toEqual([{ do: 'delay', forMs: 30_000, at: `${STREAM}/a@0` }]);
  });

  it('joins the same failure at consecutive occurrences into one that lasts', () => {
    const fault = (n: number, status: 500 | 503 = 500): Fault => ({ do: 'fail', status, at: update(n) });

    expect(joinLasting([fault(0), fault(1), fault(2)])).toEqual([{ ...fault(0), times: 3 }]);
    expect(joinLasting([fault(0), fault(2)])).toHaveLength(2);
    expect(
      joinLasting([
        { do: 'crash', at: update(0) },
        { do: 'crash', at: update(1) },
      ]),
    ).toHaveLength(2);
  });

  it('keeps failures apart that answer differently', () => {
    const failures: Fault[] = [
      { do: 'fail', status: 500, at: update(0) },
      { do: 'fail', status: 429, retryAfterSeconds: 1, at: update(1) },
      { do: 'refuse', at: update(2) },
    ];

    expect(joinLasting(failures)).toEqual(failures);
  });
});

describe('shrinking anything', () => {
  const labels = fc.integer({ min: 0, max: 3 }).map(update);
  const writers = fc.constantFrom('user', 'writer-1', 'writer-2');
  const trials: fc.Arbitrary<Trial> = fc.record({
    workload: fc.record({
      version: fc.constant(1 as const),
      start: fc.constantFrom('settled' as const, 'empty' as const),
      sample: fc.constant([]),
      programs: fc
        .uniqueArray(writers, { maxLength: 3 })
        .chain((names) =>
          fc.tuple(
            ...names.map((actor) =>
              fc
                .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
                .map((ops) => program(actor, ...ops)),
            ),
          ),
        ),
    }),
    schedule: fc.record({
      version: fc.constant(1 as const),
      default: fc.constant('run-to-completion' as const),
      preemptions: fc.array(
        fc.record({ before: labels, run: writers, until: labels }, { requiredKeys: ['before', 'run'] }),
        { maxLength: 4 },
      ),
      holds: fc.array(
        fc.record({
          stream: fc.constantFrom(STREAM, update(1)),
          from: fc.integer({ min: 0, max: 3 }).map((k) => `@${k}`),
          until: fc.oneof(fc.constant('heal'), labels),
        }),
        { maxLength: 2 },
      ),
      faults: fc.array(
        fc.oneof(
          fc.record({ do: fc.constant('crash' as const), at: labels }),
          fc.record({ do: fc.constant('stale-list' as const), behind: fc.integer({ min: 1, max: 4 }), at: labels }),
          fc.record(
            { do: fc.constant('fail' as const), status: fc.constant(500 as const), at: labels, times: fc.constant(2) },
            { requiredKeys: ['do', 'status', 'at'] },
          ),
        ),
        { maxLength: 2 },
      ),
    }),
  });

  it('ends, never asks the same twice, and returns the last trial that failed', () => {
    fc.assert(
      fc.property(trials, fc.func(fc.boolean()), (trial, verdict) => {
        const seen = new Set<string>();
        let last = trial;

        const { smallest, tried } = shrink(trial, (one) => {
          const text = JSON.stringify(one);
          expect(seen.has(text)).toBe(false);
          seen.add(text);
          const fails = verdict(text);
          if (fails) last = one;
          return fails;
        });

        // Consecutive failures are written as one lasting failure, even if nothing could be removed.
        const faults = joinLasting(last.schedule.faults);
        expect(smallest).toEqual({ ...last, schedule: { ...last.schedule, faults } });
        expect(tried).not.toContainEqual(trial);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('is 1-minimal in its deviations and programs when failing needs a fixed set of them', () => {
    fc.assert(
      fc.property(trials, fc.nat(), (trial, pick) => {
        const parts = (one: Trial): readonly string[] => [
          ...one.workload.programs.map(({ actor }) => actor),
          ...one.schedule.faults.map(({ do: what }) => what),
        ];
        const all = [...new Set(parts(trial))];
        const needed = all.filter((_, index) => (pick >> index) % 2 === 1);

        const { smallest } = shrink(trial, (one) => {
          const there = parts(one);
          return needed.every((part) => there.includes(part));
        });

        expect(parts(smallest).toSorted()).toEqual(needed.toSorted());
        expect(smallest.schedule.preemptions).toEqual([]);
        expect(smallest.schedule.holds).toEqual([]);
      }),
      { seed: 12, numRuns: 300 },
    );
  });
});
