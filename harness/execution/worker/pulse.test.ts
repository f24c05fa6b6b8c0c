import { describe, expect, it } from 'vitest';
import { realNow } from '../../determinism/real-time.ts';
import { CutShort } from '../run/cut-short.ts';
import { SLOT, SLOTS } from './protocol.ts';
import { Pulse } from './pulse.ts';

function pulse(): { readonly pulse: Pulse; readonly runs: readonly number[]; readonly stop: () => void } {
  const slots = new Int32Array(SLOTS);
  const runs: number[] = [];
  return { pulse: new Pulse(slots, (run) => runs.push(run)), runs, stop: () => void (slots[SLOT.stop] = 1) };
}

describe('the pulse of a worker', () => {
  it('numbers undisturbed runs, and no others', async () => {
    const { pulse: one, runs } = pulse();

    const measured = await one.measuring(() => {
      one.begun();
      one.beat();
      one.begun();
      return Promise.resolve('habits');
    });
    one.begun();

    expect([measured, runs]).toEqual(['habits', [1, 2]]);
  });

  it('cuts measuring short once it is stopped, whatever comes of that', async () => {
    const { pulse: one, stop } = pulse();

    const measured = await one.measuring(() => {
      stop();
      expect(one.beat).toThrow(CutShort);
      return Promise.reject(new Error('the target exited while starting'));
    });

    expect(measured).toBeUndefined();
    expect(one.beat).not.toThrow();
  });

  it('cuts work short whose time is over, and keeps what came to its end all the same', async () => {
    const { pulse: one } = pulse();
    const before = realNow();

    const cut = await one.within(before, () => {
      expect(one.beat).toThrow('its time was over');
      return Promise.resolve('half of it');
    });
    const whole = await one.within(before, () => Promise.resolve('all of it'));

    expect([cut, whole]).toEqual([undefined, 'all of it']);
    expect(one.beat).not.toThrow();
  });

  it('cuts what ends sooner within what ends later, and goes on after it', async () => {
    const { pulse: one, stop } = pulse();
    const now = realNow();

    await one.cutAt(now + 3_600_000, async () => {
      await expect(one.cutAt(now, () => Promise.resolve(one.beat()))).rejects.toMatchObject({ isTimeOver: true });
      expect(one.beat).not.toThrow();
      // A search ends between two runs: stopping it interrupts no run.
      stop();
      expect(one.beat).not.toThrow();
    });
    await one.cutAt(now, () =>
      expect(one.cutAt(now + 3_600_000, () => Promise.resolve(one.beat()))).rejects.toThrow('its time was over'),
    );
    expect(one.beat).not.toThrow();
  });

  it('cuts a run that goes on for long after the user has stopped the search', async () => {
    const slots = new Int32Array(SLOTS);
    const one = new Pulse(slots, () => {}, 0);

    await one.cutAt(Number.POSITIVE_INFINITY, async () => {
      expect(one.beat).not.toThrow();
      slots[SLOT.stop] = 1;
      await expect(Promise.resolve().then(one.beat)).rejects.toMatchObject({ isTimeOver: true });
    });
    // What is not cut at any time is not cut by a stop.
    expect(one.beat).not.toThrow();
  });

  it('hides nothing that goes wrong by itself', async () => {
    const { pulse: one } = pulse();

    await expect(one.measuring(() => Promise.reject(new Error('no such file')))).rejects.toThrow('no such file');
  });
});
