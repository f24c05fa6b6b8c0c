import { describe, expect, it } from 'vitest';
import { EMPTY_SCHEDULE, type Hold, type Preemption, type Schedule } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import { lagInstead, shortenHolds } from './shrink-lag.ts';

const PODS = 'controller/watch/pods/default#0';
const THINGS = 'controller/watch/things/default#0';

function update(n: number): string {
  return `controller/update/things/default/a#${n}!sent`;
}

function trialWith(schedule: Partial<Schedule>): Trial {
  return {
    workload: { version: 1, start: 'settled', sample: [], programs: [] },
    schedule: { ...EMPTY_SCHEDULE, ...schedule },
  };
}

/** Drives the generator to its end; returns the smallest failing trial and the trials that were tried. */
function follow(
  candidates: Generator<Trial, Trial, boolean>,
  fails: (trial: Trial) => boolean,
): { readonly smallest: Trial; readonly tried: readonly Trial[] } {
  const tried: Trial[] = [];
  let next = candidates.next();
  while (next.done !== true) {
    tried.push(next.value);
    next = candidates.next(fails(next.value));
  }
  return { smallest: next.value, tried };
}

describe('the lag of watches', () => {
  it('ends as early as it may, among moments in the order in which they happened', () => {
    const moments = Array.from({ length: 12 }, (_, n) => update(n));
    const trial = trialWith({ holds: [{ stream: THINGS, from: '@0', until: 'heal' }] });
    const lengthOf = ({ schedule: { holds } }: Trial): number => moments.indexOf(holds[0]?.until ?? 'heal');

    const { smallest, tried } = follow(shortenHolds(trial, moments), (candidate) => lengthOf(candidate) >= 5);

    expect(lengthOf(smallest)).toBe(5);
    expect(tried.length).toBeLessThan(5);
  });

  const chain = [0, 1, 2].map((n): Preemption => ({ before: update(9), run: 'controller', until: update(n) }));

  it('stands for a chain of preemptions, and shows as much as it may', () => {
    const { smallest } = follow(lagInstead(trialWith({ preemptions: chain }), [THINGS, PODS]), ({ schedule }) =>
      schedule.holds.some(({ stream, from }) => stream === PODS && Number(from.slice(1)) <= 2),
    );

    const hold: Hold = { stream: PODS, from: '@2', until: 'heal' };
    expect(smallest.schedule).toEqual({ ...EMPTY_SCHEDULE, holds: [hold] });
  });

  it('leaves a chain as it is when no lag does the same, and few preemptions to themselves', () => {
    const trial = trialWith({ preemptions: chain });
    expect(follow(lagInstead(trial, [THINGS, PODS]), () => false)).toEqual({
      smallest: trial,
      tried: expect.any(Array),
    });
    expect(follow(lagInstead(trialWith({ preemptions: chain.slice(1) }), [PODS]), () => true).tried).toEqual([]);
  });
});
