import { describe, expect, it } from 'vitest';
import type { Counterexample } from '../../model/counterexample.ts';
import { settleWindowOf } from '../replay/replay.ts';

function found(more: Partial<Counterexample> = {}): Counterexample {
  return { target: { module: 'target.ts' }, config: { settleWindowMs: 10_000 }, ...more } as Counterexample;
}

describe('the silence after which a replay is over', () => {
  it('is that of the finding on the cluster where it was found, and for a program everywhere', () => {
    const program = { target: { command: ['./manager'] } } as unknown as Partial<Counterexample>;

    expect(settleWindowOf(found(), 'embedded', true)).toBe(10_000);
    expect(settleWindowOf(found(program), 'envtest', true)).toBe(10_000);
  });

  it('is short on the wall’s clock, and longer than a second for what comes back every second', () => {
    expect(settleWindowOf(found(), 'envtest')).toBe(500);
    expect(settleWindowOf(found(), 'envtest', true)).toBe(2_000);
  });
});
