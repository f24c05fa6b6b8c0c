import { describe, expect, it } from 'vitest';
import { WallClock } from './run-clock.ts';

describe('what was waited on the wall’s clock', () => {
  it('is no more than the slices, however long the machine took', async () => {
    const clock = new WallClock();
    const next = new Promise((resolve) => clock.after(80, 'test', () => resolve(undefined)));
    clock.advanceToNext();
    await next;

    expect(clock.now()).toBeGreaterThanOrEqual(79);
    expect(clock.waited()).toBe(50);
    clock.next();
    clock.advanceToNext();
    expect(clock.waited()).toBeLessThanOrEqual(100);
  });

  it('stands still while nobody waits', async () => {
    const clock = new WallClock();
    await new Promise((resolve) => clock.after(5, 'test', () => resolve(undefined)));

    expect(clock.waited()).toBe(0);
  });

  it('begins at 0 with each run', async () => {
    const clock = new WallClock();
    clock.advanceToNext();
    await new Promise((resolve) => clock.after(5, 'test', () => resolve(undefined)));
    clock.reset();

    expect(clock.waited()).toBe(0);
  });
});
