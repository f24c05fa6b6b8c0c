import { afterAll, beforeEach, expect, it } from 'vitest';
import { calibrateQuietTurns } from './calibrate.ts';
import { createQuiescence } from './quiescence.ts';
import { Random } from './random.ts';
import { installVirtualTime } from './virtual-time.ts';

const time = installVirtualTime();

beforeEach(() => time.reset({ startMs: 0, random: new Random(1) }));
afterAll(() => time.uninstall());

it('waits for promise chains, ticks and immediates, however long', async () => {
  const quiescence = createQuiescence({ time, activity: () => 0, quietTurns: 0 });
  let done = false;
  void (async () => {
    for (let hop = 0; hop < 1_000; hop++) await Promise.resolve();
    await new Promise((resolve) => process.nextTick(resolve));
    for (let hop = 0; hop < 20; hop++) await new Promise((resolve) => setImmediate(resolve));
    done = true;
  })();

  await quiescence.drain();

  expect(done).toBe(true);
});

it('takes one turn when nothing moves', async () => {
  const quiescence = createQuiescence({ time, activity: () => 0 });

  await quiescence.drain();

  expect(quiescence.turns).toBe(1);
});

it('waits while work is known to be in flight', async () => {
  let left = 7;
  const quiescence = createQuiescence({ time, activity: () => 0, inFlight: () => left-- });

  await quiescence.drain();

  expect(quiescence.turns).toBe(8);
});

it('gives up on a target that never comes to rest', async () => {
  const quiescence = createQuiescence({ time, activity: () => 0, turnsMax: 50 });
  let stop = false;
  const spin = (): void => {
    if (!stop) setImmediate(spin);
  };
  spin();

  const failure = quiescence.drain();

  await expect(failure).rejects.toMatchObject({ code: 'TARGET_UNCONTROLLED' });
  stop = true;
});

it('measures that promises and immediates need no extra turn', async () => {
  const quiescence = createQuiescence({ time, activity: () => 0 });

  const turns = await calibrateQuietTurns(quiescence, async () => {
    void time.runAs('controller', async () => {
      for (let hop = 0; hop < 5; hop++) await new Promise((resolve) => setImmediate(resolve));
    });
    await quiescence.drain();
  });

  expect(turns).toBe(0);
});

/** Sends a message to this thread through a port outside the JavaScript heap; resolves when it arrives. */
function hop(): Promise<void> {
  const channel = new MessageChannel();
  return new Promise((resolve) => {
    channel.port1.on('message', () => {
      channel.port1.close();
      resolve();
    });
    channel.port2.postMessage('hop');
  });
}

it('measures that work which leaves JavaScript needs more', async () => {
  const quiescence = createQuiescence({ time, activity: () => 0 });
  let hops = 0;

  const turns = await calibrateQuietTurns(quiescence, async () => {
    const arrived = time.runAs('controller', () => hop().then(() => hops++));
    await quiescence.drain();
    await arrived;
  });

  expect(hops).toBe(1);
  expect(turns).toBeGreaterThan(0);
});

it('measures the target and not what the harness does meanwhile', async () => {
  const quiescence = createQuiescence({ time, activity: () => 0 });

  const turns = await calibrateQuietTurns(quiescence, async () => {
    const arrived = hop();
    await quiescence.drain();
    await arrived;
  });

  expect(turns).toBe(0);
});
