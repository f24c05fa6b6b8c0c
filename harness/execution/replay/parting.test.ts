import { describe, expect, it } from 'vitest';
import type { History, Operation } from '../../model/history.ts';
import { emptyHistory } from '../run/empty-history.ts';
import { partingOf } from './parting.ts';

function historyOf(...requests: readonly (readonly [label: string, code: number])[]): History {
  const operations = requests.map(([label, code], index) => {
    const mark = { at: index + 10, timeMs: 0 };
    const verb = label.split('/')[1] ?? 'get';
    return { id: index, label, verb, invoked: mark, sent: mark, outcome: { type: 'ok', code } } as unknown as Operation;
  });
  const phases = [{ phase: 'contention', at: 5, timeMs: 0 }] as const;
  return { ...emptyHistory(''), phases, operations };
}

describe('where two runs part', () => {
  it('is the first request that another run does not make there, or is answered otherwise', () => {
    const one = historyOf(['c/get/a#0', 200], ['c/update/a#0', 409], ['c/get/a#1', 200]);

    expect(partingOf(one, historyOf(['c/get/a#0', 200], ['w/patch/a#0', 200]))).toEqual({
      after: 'c/get/a#0',
      one: 'c/update/a#0 (409)',
      other: 'w/patch/a#0 (200)',
    });
    expect(partingOf(one, historyOf(['c/get/a#0', 200], ['c/update/a#0', 200]))).toMatchObject({
      one: 'c/update/a#0 (409)',
      other: 'c/update/a#0 (200)',
    });
    expect(partingOf(historyOf(), one)).toEqual({ one: 'nothing more', other: 'c/get/a#0 (200)' });
  });

  it('is nowhere where all requests agree, whatever watches do', () => {
    const one = historyOf(['c/watch/a#0', 200], ['c/get/a#0', 200]);

    expect(partingOf(one, historyOf(['c/get/a#0', 200]))).toBeUndefined();
  });
});
