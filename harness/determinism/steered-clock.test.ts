import { beforeEach, describe, expect, it } from 'vitest';
import { Random } from './random.ts';
import { SteeredClock } from './steered-clock.ts';

const MINUTE_MS = 60_000;

let clock: SteeredClock;
beforeEach(() => {
  clock = new SteeredClock();
  clock.reset({ random: new Random(1) });
});

describe('the clock of a run with steered programs', () => {
  it('stands until it is set to what comes next', () => {
    clock.sleeps(MINUTE_MS, false);

    expect(clock.now()).toBe(0);
    expect(clock.next().atMs).toBe(MINUTE_MS);
    clock.advanceToNext();
    expect(clock.now()).toBe(MINUTE_MS);
    expect(clock.waited()).toBe(MINUTE_MS);
  });

  it('lets timers be late together where somebody is in a hurry, but none of our own', () => {
    clock.sleeps(100, false);
    clock.hurry(2_000);
    expect(clock.next()).toMatchObject({ atMs: 2_000, isGuess: false, dueMs: 100 });

    clock.after(1_500, 'user', () => {});
    expect(clock.next().atMs).toBe(1_500);

    clock.hurry(0);
    expect(clock.next().atMs).toBe(100);
  });

  it('says when the next moment is only a guess', () => {
    clock.sleeps(null, false);

    expect(clock.next()).toMatchObject({ isGuess: true });
  });

  it('passes with what programs compute and with requests, which nobody waits for', () => {
    clock.reaches(12.5);
    clock.elapse(1);

    expect(clock.now()).toBe(13);
    expect(clock.waited()).toBe(0);
  });

  it('is never set past a deadline by a request', () => {
    clock.sleeps(0.5, false);

    clock.elapse(1);

    expect(clock.now()).toBe(0);
  });

  it('never goes back', () => {
    clock.reaches(20);
    clock.reaches(10);

    expect(clock.now()).toBe(20);
  });

  it('passes in steps of a second where nothing is known to come, or somebody waits for a moment of their own', () => {
    expect(clock.next().atMs).toBe(1_000);
    clock.sleeps(MINUTE_MS, true);
    expect(clock.next().atMs).toBe(1_000);
    clock.sleeps(MINUTE_MS, false);
    expect(clock.next().atMs).toBe(MINUTE_MS);
  });

  it('calls back once, when the moment has come, the first one first', () => {
    const called: string[] = [];
    clock.after(200, 'gc', () => called.push('second'));
    clock.after(100, 'gc', () => called.push('first'));

    expect(clock.next().atMs).toBe(100);
    expect(clock.fire()).toBe(false);
    clock.reaches(250);
    expect(clock.fire()).toBe(true);
    expect(clock.fire()).toBe(false);
    expect(called).toEqual(['first', 'second']);
  });

  it('does not call back who has given up', () => {
    const giveUp = clock.after(100, 'webhooks', () => expect.unreachable());

    expect(clock.callsBack).toBe(true);
    giveUp();
    expect(clock.callsBack).toBe(false);
    clock.reaches(200);
    expect(clock.fire()).toBe(false);
  });

  it('expects whoever has not been heard of, up to a limit', () => {
    const heard = [clock.awaiting(500), clock.awaiting(500)];

    expect(clock.expects).toBe(true);
    heard[0]?.();
    expect(clock.expects).toBe(true);
    clock.reaches(501);
    expect(clock.expects).toBe(false);
  });

  it('gives each life a seed of its own, and those of a run again in the same run', () => {
    const seeds = [clock.nextSeed(), clock.nextSeed()];
    clock.reset({ random: new Random(1) });

    expect([clock.nextSeed(), clock.nextSeed()]).toEqual(seeds);
    expect(seeds[0]).not.toBe(seeds[1]);
  });
});
