import { describe, expect, it } from 'vitest';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { judge, started, WIDGETS } from './test-bounded-rate.ts';

describe('fights', () => {
  function flip(h: HistoryBuilder, a: string, b: string, rounds: number): HistoryBuilder {
    for (let n = 0; n < rounds; n++) {
      h.edit(a, WIDGETS, 'web', ['spec', 'replicas'], 3);
      h.edit(b, WIDGETS, 'web', ['spec', 'replicas'], 5);
    }
    return h.phase('settle').pass(30_000);
  }

  it('convicts two replicas of the target that flip a field', () => {
    const result = judge(flip(started().h, 'controller', 'controller~2', 3));

    expect(result).toMatchObject({
      violations: [
        { signature: { class: 'fight', actors: ['target', 'target'], field: 'spec.replicas' }, severity: 'error' },
      ],
    });
    expect(result.result === 'violated' && result.violations[0]?.sentence).toBe(
      'controller and controller~2 keep setting spec.replicas of widgets.example.com/web to 3 and 5 in turn, 6 times',
    );
  });

  it('only tells of a target that restores its own field', () => {
    const ownedLeaves = { [`${WIDGETS}:web`]: ['spec.replicas'] };

    expect(judge(flip(started().h, 'writer-1', 'controller', 3), { reference: { ownedLeaves } })).toMatchObject({
      violations: [{ signature: { class: 'fight', actors: ['target', 'writer'] }, severity: 'warning' }],
    });
  });

  it('accepts two rounds, and two actors that never agree on what to fight over', () => {
    expect(judge(flip(started().h, 'writer-1', 'controller', 2)).result).toBe('holds');
    const { h } = started();
    for (let n = 0; n < 6; n++) {
      h.edit('writer-1', WIDGETS, 'web', ['spec', 'replicas'], n + 10);
      h.edit('controller', WIDGETS, 'web', ['status', 'n'], n + 10, 'status');
    }
    expect(judge(h.phase('settle').pass(30_000)).result).toBe('holds');
  });
});
