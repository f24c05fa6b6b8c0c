import { describe, expect, it } from 'vitest';
import { deviationText, EMPTY_SCHEDULE } from '../model/schedule.ts';
import type { Fault, Hold, Preemption, Schedule } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import { emptyHistory } from './empty-history.ts';
import { confirm, counterfactuals, gradeOf, shrinkFinding } from './shrink-finding.ts';
import type { Attempt, Shrunk } from './shrink-finding.ts';
import { violation } from './test-verdicts.ts';

const PREEMPTION: Preemption = {
  before: 'controller/update/a#0!sent',
  run: 'writer-1',
  until: 'writer-1/get/a#0!sent',
};
const HOLD: Hold = { stream: 'controller/watch/things/default#0', from: '@0', until: 'heal' };
const FAULT: Fault = { do: 'crash', at: 'controller/update/a#1!sent' };
const SCHEDULE: Schedule = { ...EMPTY_SCHEDULE, preemptions: [PREEMPTION], holds: [HOLD], faults: [FAULT] };
const TRIAL: Trial = { workload: { version: 1, start: 'settled', sample: [], programs: [] }, schedule: SCHEDULE };
const VIOLATION = violation();

/** Runs nothing: says at once what `violations` makes of the trial. */
function attempting(of: (trial: Trial) => readonly ReturnType<typeof violation>[]): Attempt {
  return (trial) =>
    Promise.resolve({ history: emptyHistory('none'), violations: of(trial), inconclusive: new Map<string, string>() });
}

const needsFault = attempting(({ schedule }) => (schedule.faults.length > 0 ? [VIOLATION] : []));
const shrunk: Shrunk = { trial: TRIAL, history: emptyHistory('none'), violation: VIOLATION, executions: 1 };

describe('shrinking a finding', () => {
  it('keeps to the signature: another violation does not count', async () => {
    const attempt = attempting(({ schedule }) =>
      schedule.faults.length > 0 ? [VIOLATION] : [violation({ class: 'other' })],
    );

    const result = await shrinkFinding(TRIAL, VIOLATION.signature, attempt, () => false);

    expect(result?.trial.schedule).toEqual({ ...EMPTY_SCHEDULE, faults: [FAULT] });
    expect(result?.violation).toBe(VIOLATION);
  });

  it('has no result when the trial does not fail to begin with', async () => {
    const attempt = attempting(() => [violation({ property: 'another' })]);

    expect(await shrinkFinding(TRIAL, VIOLATION.signature, attempt, () => false)).toBeUndefined();
  });

  it('keeps the smallest so far when time is up', async () => {
    const result = await shrinkFinding(TRIAL, VIOLATION.signature, needsFault, () => true);

    expect(result).toMatchObject({ trial: TRIAL, executions: 1 });
  });

  it('keeps to its budget of runs', async () => {
    const preemptions = Array.from({ length: 400 }, (_, n): Preemption => ({ before: `x#${n}`, run: 'writer-1' }));
    const trial = { ...TRIAL, schedule: { ...SCHEDULE, preemptions } };
    const all = attempting(({ schedule }) => (schedule.preemptions.length === 400 ? [VIOLATION] : []));

    const result = await shrinkFinding(trial, VIOLATION.signature, all, () => false);

    expect(result?.executions).toBe(160);
  });
});

describe('confirming', () => {
  it('counts the runs that fail alike, and never rounds up', async () => {
    let n = 0;
    const flaky = attempting(() => (n++ % 2 === 0 ? [VIOLATION] : []));

    expect(await confirm(shrunk, flaky, 5)).toEqual({ k: 3, n: 5, identical: true, other: undefined });
  });

  it('tells of a history that differs', async () => {
    const other = emptyHistory('something else');
    const attempt: Attempt = () =>
      Promise.resolve({ history: other, violations: [VIOLATION], inconclusive: new Map<string, string>() });

    expect(await confirm(shrunk, attempt, 2)).toEqual({ k: 2, n: 2, identical: false, other });
  });
});

describe('counterfactuals', () => {
  it('say for each deviation what the run does without it', async () => {
    const attempt = attempting(({ schedule }) => {
      if (schedule.faults.length === 0) return [];
      return schedule.holds.length === 0 ? [violation({ class: 'other' })] : [VIOLATION];
    });

    const found = await counterfactuals(shrunk, attempt);

    expect(found.map(({ without }) => without)).toEqual(['still fails', 'other', 'passes']);
  });

  it('spell each deviation as reports look it up', async () => {
    const found = await counterfactuals(shrunk, needsFault);

    expect(found.map(({ deviation }) => deviation)).toEqual([PREEMPTION, HOLD, FAULT].map(deviationText));
  });
});

describe('the grade of a finding', () => {
  const quiet = emptyHistory('none');
  const mark = { at: 1, timeMs: 40_000 };

  it('is everyday without a restart or long lag, else says what it takes', () => {
    const lagging = {
      ...quiet,
      deliveries: [
        {
          ...mark,
          actor: 'controller',
          stream: HOLD.stream,
          k: 0,
          type: 'ADDED' as const,
          resource: 'things',
          revision: 1,
          available: { at: 0, timeMs: 1_000 },
        },
      ],
    };

    expect(gradeOf({ ...SCHEDULE, faults: [] }, quiet)).toBe('everyday');
    expect(gradeOf(SCHEDULE, quiet)).toBe('restart-or-HA');
    expect(gradeOf(SCHEDULE, lagging)).toBe('pathological');
  });
});
