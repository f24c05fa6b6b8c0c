import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { deviationRows } from './deviation-rows.ts';

describe('the rows of what the schedule did', () => {
  it('say once what was done several times in a row', () => {
    const wait = { before: 'controller/get/a#0!sent', run: 'time' };
    const others = { before: 'controller/get/a#0!sent', run: 'writer-1' };
    const decisions = [{ kind: 'preemption', label: wait.before, detail: '', at: 7 }];
    const history = { decisions, operations: [], deliveries: [] } as unknown as History;

    const rows = deviationRows(history, { ...EMPTY_SCHEDULE, preemptions: [wait, wait, wait, others, wait] }, []);

    expect(rows.map(({ ordinal, text }) => `${ordinal} ${text.replace(/^.* run/, 'run')}`)).toEqual([
      '1 to 3 of 5 run time',
      '4 of 5 run writer-1',
      '5 of 5 run time',
    ]);
  });
});
