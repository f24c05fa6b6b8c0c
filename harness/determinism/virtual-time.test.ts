import crypto from 'node:crypto';
import timers from 'node:timers';
import { setTimeout as delay, setInterval as ticks, scheduler } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createQuiescence } from './quiescence.ts';
import { Random } from './random.ts';
import { realDate, realNow } from './real-time.ts';
import { installVirtualTime } from './virtual-time.ts';

const START_MS = Date.UTC(2026, 0, 1);
const time = installVirtualTime();
const quiescence = createQuiescence({ time, activity: () => 0 });
const drain = (): Promise<void> => quiescence.drain();

/** Advances time from timer to timer, at most `steps` times. */
async function passTime(steps = 100): Promise<void> {
  await drain();
  for (let step = 0; step < steps && time.next() !== undefined; step++) {
    time.advanceToNext();
    await drain();
  }
}

beforeEach(() => time.reset({ startMs: START_MS, random: new Random(1) }));
afterAll(() => time.uninstall());

describe('the clock', () => {
  it('stands still at the start of the run until a timer is taken', async () => {
    const before = realNow();
    setTimeout(() => {}, 60_000);

    await drain();

    expect([Date.now(), performance.now(), process.uptime(), time.now()]).toEqual([START_MS, 0, 0, 0]);
    expect(realNow()).toBeGreaterThanOrEqual(before);
    expect(realDate().getTime()).not.toBe(START_MS);
  });

  it('moves every clock together', async () => {
    setTimeout(() => {}, 1_500);

    await passTime();

    expect(new Date().toISOString()).toBe('2026-01-01T00:00:01.500Z');
    expect(performance.timeOrigin + performance.now()).toBe(Date.now());
    expect(process.hrtime()).toEqual([1, 500_000_000]);
    expect(process.hrtime.bigint()).toBe(1_500_000_000n);
    expect(process.uptime()).toBe(1.5);
    expect(time.now()).toBe(1_500);
  });

  it('starts anew with each run, without the timers of the last', async () => {
    let fired = 0;
    setTimeout(() => fired++, 10);
    time.advanceToNext();
    setTimeout(() => fired++, 10);

    time.reset({ startMs: START_MS + 5, random: new Random(1) });
    await passTime();

    expect([fired, Date.now(), performance.now()]).toEqual([1, START_MS + 5, 0]);
  });
});

describe('timers', () => {
  it('fire one at a time, in order of time and then of setting, a delay of 0 included', async () => {
    const fired: string[] = [];
    setTimeout(() => fired.push('late'), 20);
    setTimeout(() => fired.push('first'), 0);
    setTimeout(() => fired.push('second'), 1);

    expect(fired).toEqual([]);
    time.advanceToNext();
    expect(fired).toEqual(['first']);
    expect(time.next()?.atMs).toBe(1);

    await passTime();
    expect(fired).toEqual(['first', 'second', 'late']);
  });

  it('reach code that imported them by name, from node:timers and node:timers/promises alike', async () => {
    const woken: string[] = [];
    void delay(30, 'value').then((value) => woken.push(`delay ${value} ${time.now()}`));
    void scheduler.wait(40).then(() => woken.push(`wait ${time.now()}`));
    void promisify(setTimeout)(50).then(() => woken.push(`promisified ${time.now()}`));
    timers.setTimeout(() => woken.push(`module ${time.now()}`), 60);

    await passTime();

    expect(woken).toEqual(['delay value 30', 'wait 40', 'promisified 50', 'module 60']);
  });

  it('repeat, as callbacks and as async iterators', async () => {
    const seen: string[] = [];
    const interval = setInterval(() => seen.push(`callback ${time.now()}`), 100);
    void (async () => {
      for await (const value of ticks(150, 'tick')) {
        seen.push(`${value} ${time.now()}`);
        if (time.now() >= 300) return;
      }
    })();

    await passTime(5);
    clearInterval(interval);
    await passTime(5);

    expect(seen).toEqual(['callback 100', 'tick 150', 'callback 200', 'tick 300', 'callback 300']);
  });

  it('abort with their signal, and abort signals time out', async () => {
    const controller = new AbortController();
    const aborted = delay(50, undefined, { signal: controller.signal }).catch(
      (error: unknown) => (error as Error).name,
    );
    controller.abort();
    const signal = AbortSignal.timeout(70);

    await passTime();

    expect(await aborted).toBe('AbortError');
    expect([signal.aborted, (signal.reason as Error).name, time.now()]).toEqual([true, 'TimeoutError', 70]);
  });

  it('can be cleared by handle and by number, refreshed and disposed of', async () => {
    const fired: string[] = [];
    clearTimeout(setTimeout(() => fired.push('cleared'), 10));
    clearTimeout(Number(setTimeout(() => fired.push('cleared by number'), 10)));
    setTimeout(() => fired.push('disposed'), 10)[Symbol.dispose]();
    setTimeout(() => fired.push('closed'), 10).close();
    const refreshed = setTimeout(() => fired.push(`refreshed ${time.now()}`), 30);
    setTimeout(() => refreshed.refresh(), 20);

    await passTime();

    expect(fired).toEqual(['refreshed 50']);
    expect([refreshed.hasRef(), refreshed.unref().hasRef(), refreshed.ref().hasRef()]).toEqual([true, false, true]);
  });

  it('call back in the async context that set them', async () => {
    const owners: (string | undefined)[] = [];
    time.runAs('controller', () => setTimeout(() => owners.push(time.currentOwner()), 10));
    setTimeout(() => owners.push(time.currentOwner()), 20);

    await passTime();

    expect(owners).toEqual(['controller', undefined]);
  });
});

describe('owners', () => {
  it('are named with the earliest timer, also when it was set after an await', async () => {
    void time.runAs('controller~2', async () => {
      await Promise.resolve();
      setTimeout(() => {}, 25);
    });

    await drain();

    expect(time.next()).toEqual({ atMs: 25, owner: 'controller~2' });
  });

  it('never wake again once dropped, whatever they still set', async () => {
    const woken: string[] = [];
    time.runAs('controller', () => {
      setTimeout(() => woken.push('set before'), 10);
      queueMicrotask(() => {
        setTimeout(() => woken.push('set after'), 10);
        setImmediate(() => woken.push('immediate'));
      });
    });
    time.runAs('controller~2', () => setTimeout(() => woken.push('another'), 20));

    time.dropOwner('controller');
    await passTime();

    expect(woken).toEqual(['another']);
  });

  it('of an earlier run stay dead when a later run uses the same name', async () => {
    const woken: string[] = [];
    let wake: () => void = () => {};
    const later = new Promise<void>((resolve) => (wake = resolve));
    void time.runAs('controller', () => later.then(() => setTimeout(() => woken.push('old'), 10)));

    time.reset({ startMs: START_MS, random: new Random(1) });
    time.runAs('controller', () => setTimeout(() => woken.push('new'), 20));
    wake();
    await passTime();

    expect(woken).toEqual(['new']);
  });
});

describe('randomness', () => {
  function sample(owner: string): readonly unknown[] {
    return time.runAs(owner, () => [
      Math.random(),
      crypto.randomUUID(),
      globalThis.crypto.randomUUID(),
      crypto.randomBytes(4).toString('hex'),
      crypto.randomInt(1_000_000),
      crypto.getRandomValues(new Uint8Array(4)).join(),
      crypto.randomFillSync(Buffer.alloc(6), 2, 3).toString('hex'),
    ]);
  }

  it('is the same in two runs of one seed and different in another', () => {
    const first = sample('controller');
    time.reset({ startMs: START_MS, random: new Random(1) });
    const second = sample('controller');
    time.reset({ startMs: START_MS, random: new Random(2) });
    const other = sample('controller');

    expect(second).toEqual(first);
    expect(other.filter((value, index) => value === first[index])).toEqual([]);
    expect(first[6]).toMatch(/^0000.*00$/);
  });

  it('of one owner does not depend on how much another draws', () => {
    const alone = sample('controller');
    time.reset({ startMs: START_MS, random: new Random(1) });
    sample('controller~2');

    expect(sample('controller')).toEqual(alone);
  });

  it('is given to callbacks too, in a later turn', async () => {
    const drawn: string[] = [];
    crypto.randomBytes(2, (_error, bytes) => drawn.push(bytes.toString('hex')));
    crypto.randomInt(5, 6, (_error, value) => drawn.push(String(value)));
    crypto.randomFill(new Uint8Array(2), (_error, bytes) => drawn.push(String(bytes.length)));

    expect(drawn).toEqual([]);
    await drain();
    expect(drawn.slice(1)).toEqual(['5', '2']);
  });
});

describe('immediates', () => {
  it('run for real and are counted until they have', async () => {
    let ran = 0;
    const cleared = setImmediate(() => ran++);
    setImmediate((value: number) => (ran += value), 10);
    void promisify(setImmediate)('x').then(() => (ran += 100));

    expect(time.pendingImmediates()).toBe(3);
    clearImmediate(cleared);
    expect(time.pendingImmediates()).toBe(2);
    await drain();

    expect([ran, time.pendingImmediates(), time.now()]).toEqual([110, 0, 0]);
  });
});
