import { describe, expect, it } from 'vitest';
import type { History, Measurement } from '../../model/history.ts';
import { NO_USE, withRun } from './target-use.ts';

function run(...phases: readonly (readonly [phase: string, timeMs: number])[]): History {
  const measurements: readonly Measurement[] = [{ actor: 'controller', when: 'start', at: 0, timeMs: 0, pid: 1 }];
  return { measurements, phases: phases.map(([phase, timeMs]) => ({ phase, timeMs, at: 0 })) } as unknown as History;
}

describe('where the time of runs goes', () => {
  it('is added up by phase, with what was asked after rest', () => {
    const whole = run(['setup', 0], ['contention', 3_000], ['heal', 5_000], ['end', 9_000]);
    const cut = run(['setup', 0]);

    expect(withRun(withRun(NO_USE, whole, 16_000), cut, 1_000).time).toEqual({
      runs: 2,
      startMs: 4_000,
      contentionMs: 2_000,
      restMs: 4_000,
      furtherMs: 7_000,
    });
  });

  it('is not told of a process that lives on', () => {
    expect(withRun(NO_USE, run(['setup', 0])).time).toBeUndefined();
  });
});
