import { describe, expect, it } from 'vitest';
import type { History } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { firstDivergence, historyText } from './fingerprint.ts';
import { runnerOf, setReady, thinTarget, workload } from './testing.ts';

const history = await runnerOf(thinTarget(setReady)).run({
  workload: workload([], 'empty'),
  schedule: EMPTY_SCHEDULE,
});

function withOperation(index: number, change: (operation: History['operations'][number]) => object): History {
  const operation = history.operations[index];
  if (operation === undefined) throw new TypeError('no such operation');
  return { ...history, operations: history.operations.with(index, { ...operation, ...change(operation) }) };
}

describe('the first divergence', () => {
  it('is nothing between equal histories, whatever was found out about them later', () => {
    const judged: History = { ...history, probes: [{ probe: 'fresh-incarnation', writes: [], settled: true }] };

    expect(firstDivergence(history, judged)).toBeUndefined();
    expect(historyText(history)).toBe(historyText(judged));
  });

  it('names the first record that differs, not the later ones', () => {
    const last = history.operations.length - 1;
    const earlier = withOperation(1, () => ({ label: 'controller/get/other#0' }));
    const other: History = {
      ...earlier,
      operations: earlier.operations.with(last, {
        ...(history.operations[last] as History['operations'][number]),
        label: 'controller/get/later#0',
      }),
    };

    const text = firstDivergence(history, other);

    expect(text).toContain(`first run "${history.operations[1]?.label} sent by its actor`);
    expect(text).toContain('second run "controller/get/other#0 sent by its actor');
    expect(text).not.toContain('later');
  });

  it('tells where one history ends and the other goes on', () => {
    const shorter: History = { ...history, deliveries: [], operations: [], streamEnds: [], processes: [] };

    expect(firstDivergence(shorter, history)).toMatch(/^at record 0: first run "\(nothing more\)", second run "/);
  });

  it('sees another answer, another event and another end of a process', () => {
    const answered = withOperation(0, () => ({ outcome: { type: 'info', why: 'socket hang up' } }));
    const delivered: History = { ...history, deliveries: history.deliveries.map((one) => ({ ...one, revision: 1 })) };
    const exited: History = {
      ...history,
      processes: history.processes.map((one) => ({ ...one, kind: 'exited', detail: 'code 1' })),
    };

    expect(firstDivergence(history, answered)).toContain('socket hang up');
    expect(firstDivergence(history, delivered)).toContain('at version 1"');
    expect(firstDivergence(history, exited)).toContain('controller exited code 1');
  });

  it('says so when only a detail differs', () => {
    expect(firstDivergence(history, { ...history, steps: history.steps + 1 })).toBe(
      'the records are the same, but times or details differ',
    );
  });

  it('cuts long bodies short', () => {
    const other = withOperation(0, () => ({ body: { text: 'x'.repeat(5_000) } }));

    expect(firstDivergence(history, other)?.length).toBeLessThan(1_000);
  });
});
