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

  it('say for how long what waits was overtaken by time', () => {
    const event = 'controller/watch/pods/default#0/a@3';
    const held = { stream: 'controller/watch/services/default#0', from: '@0', until: 'heal' } as const;
    const history = {
      decisions: [
        { kind: 'preemption', label: event, detail: 'run time', at: 7, timeMs: 1_000 },
        { kind: 'hold', label: `${held.stream}/b@0`, detail: 'heal', at: 8, timeMs: 2_000 },
      ],
      operations: [],
      deliveries: [
        { stream: 'controller/watch/pods/default#0', k: 3, at: 12, timeMs: 301_000, available: { at: 7 } },
        { stream: held.stream, k: 0, at: 21, timeMs: 32_000, available: { at: 8 } },
      ],
      phases: [{ phase: 'heal', at: 20, timeMs: 32_000 }],
    } as unknown as History;

    const rows = deviationRows(
      history,
      { ...EMPTY_SCHEDULE, preemptions: [{ before: event, run: 'time' }], holds: [held] },
      [],
    );

    expect(rows.map(({ text }) => text)).toEqual([
      `before ${event} run time, for 300 s`,
      `${held.stream} from @0 until heal, for 30 s`,
    ]);
  });
});
