import { describe, expect, it } from 'vitest';
import { Arrivals } from './arrivals.ts';

const TOLD = (): boolean => true;

describe('what has arrived', () => {
  it('is passed on at once: a change to watches in the order of opening, then to the client that made it', () => {
    let done = false;
    const passed: string[] = [];
    const arrivals = new Arrivals(() => done);
    arrivals.answer(7, () => passed.push('answer'));
    arrivals.event(3, false, 12, TOLD, () => passed.push('12 to 3'));
    arrivals.event(2, false, 13, TOLD, () => passed.push('13 to 2'));
    arrivals.event(2, false, 12, TOLD, () => passed.push('12 to 2'));
    expect(passed).toEqual([]);
    expect(arrivals.isAny).toBe(true);
    done = true;
    arrivals.look();

    expect(passed).toEqual(['12 to 2', '12 to 3', '13 to 2', 'answer']);
    expect(arrivals.isAny).toBe(false);
  });

  it('waits until it has been published, and lets a watch open before its first events', () => {
    let told = false;
    const passed: string[] = [];
    const arrivals = new Arrivals(() => true);
    arrivals.event(
      4,
      true,
      9,
      () => told,
      () => passed.push('first'),
    );
    arrivals.answer(4, () => passed.push('open'));
    expect(passed).toEqual([]);
    told = true;
    arrivals.look();

    expect(passed).toEqual(['open', 'first']);
  });

  it('keeps an answer back that shows what has not been published', () => {
    let told = false;
    const passed: string[] = [];
    const arrivals = new Arrivals(() => true);
    arrivals.answer(
      4,
      () => passed.push('read'),
      () => told,
    );
    expect(passed).toEqual([]);
    told = true;
    arrivals.look();

    expect(passed).toEqual(['read']);
  });
});
