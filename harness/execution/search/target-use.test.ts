import { describe, expect, it } from 'vitest';
import type { History, Measurement } from '../../model/history.ts';
import { NO_USE, withRun } from './target-use.ts';

const measurements: readonly Measurement[] = [{ actor: 'controller', when: 'start', at: 0, timeMs: 0, pid: 1 }];
const history = { measurements, phases: [] } as unknown as History;

describe('where the time of runs goes', () => {
  it('is added up by part', () => {
    const times = { startMs: 300, contentionMs: 200, restMs: 100, furtherMs: 50, drainMs: 400 };

    expect(withRun(withRun(NO_USE, history, times), history, { ...times, furtherMs: 0 }).time).toEqual({
      runs: 2,
      startMs: 600,
      contentionMs: 400,
      restMs: 200,
      furtherMs: 50,
      drainMs: 800,
    });
  });
});
