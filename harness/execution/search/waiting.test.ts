import { describe, expect, it } from 'vitest';
import { realNow } from '../../determinism/real-time.ts';
import { Waiting } from './waiting.ts';

describe('waiting', () => {
  it('ends when its share is spent, and at the deadline of all trials', () => {
    const endless = new Waiting(Number.POSITIVE_INFINITY, 1);
    expect(endless.leftMs()).toBeGreaterThan(0);
    endless.spend(3_600_000);
    expect(endless.leftMs()).toBeLessThan(0);

    expect(new Waiting(realNow() + 3_600_000, 1).leftMs()).toBeGreaterThan(10_000);
    expect(new Waiting(realNow() - 1, 1).leftMs()).toBeLessThan(0);
  });

  it('is a share of each lane', () => {
    const [one, four] = [1, 4].map((lanes) => new Waiting(Number.POSITIVE_INFINITY, lanes));
    one?.spend(120_000);
    four?.spend(120_000);
    expect(one?.leftMs()).toBeLessThan(0);
    expect(four?.leftMs()).toBeGreaterThan(0);
  });

  it('has no limit and costs nothing while a finding is proven', async () => {
    const waiting = new Waiting(realNow() - 60_000, 1);

    const left = await waiting.unhurried(async () => {
      waiting.spend(3_600_000);
      return waiting.leftMs();
    });

    expect(left).toBe(Number.POSITIVE_INFINITY);
    expect(new Waiting(realNow() + 3_600_000, 1).leftMs()).toBeGreaterThan(0);
    expect(waiting.leftMs()).toBeLessThan(0);
  });

  it('is limited again when the proof has failed', async () => {
    const waiting = new Waiting(realNow() - 60_000, 1);

    await expect(waiting.unhurried(() => Promise.reject(new Error('no proof')))).rejects.toThrow('no proof');

    expect(waiting.leftMs()).toBeLessThan(0);
  });
});
