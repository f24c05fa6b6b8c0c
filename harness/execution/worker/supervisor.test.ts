/** Tests which party is blamed when a worker falls silent. `harness/test/bad-targets.test.ts` tests that a blocked worker is ended. */
import { describe, expect, it } from 'vitest';
import { realNow } from '../../determinism/real-time.ts';
import { SLOT, type FromWorker, type Job } from './protocol.ts';
import { isTooLong, silenceOf, superviseWorker } from './supervisor.ts';

const jobOf = (process: object | null): Job => ({ job: 'lab', subject: { process } }) as Job;

it('takes the silence of a module for that of the target', () => {
  const silence = silenceOf(jobOf(null));

  expect(silence.error).toBeUndefined();
  expect(isTooLong(silence, { ms: 9_000, processorMs: 9_000 })).toBe(false);
  expect(isTooLong(silence, { ms: 11_000, processorMs: 11_000 })).toBe(true);
});

it('waits longer for one that wants for a processor, but not for ever', () => {
  const silence = silenceOf(jobOf(null));

  expect(isTooLong(silence, { ms: 100_000, processorMs: 1_000 })).toBe(false);
  expect(isTooLong(silence, { ms: 181_000, processorMs: 1_000 })).toBe(true);
});

it('never holds the silence of a cluster against a target that is a process', () => {
  const { maxMs, error } = silenceOf(jobOf({}));

  expect(error).toMatchObject({ say: 'error', code: 'CLUSTER_UNAVAILABLE' });
  // The limit is long enough for a control plane to start, for a node to become ready, and for both to be reset.
  expect(maxMs).toBeGreaterThan(3 * 60_000);
});

it('stops a worker that has not ended when its time is over', async () => {
  const entry = new URL('data:text/javascript,for (;;) {}');

  const { end } = await superviseWorker({ entry, job: jobOf(null), until: realNow(), listen: () => {} });

  expect(end).toBe('overdue');
});

it('stops a worker that does not end after the user has stopped its work', async () => {
  const entry = new URL('data:text/javascript,for (;;) {}');

  const signal = AbortSignal.abort();
  const { end } = await superviseWorker({ entry, job: jobOf(null), signal, stoppedMaxMs: 0, listen: () => {} });

  expect(end).toBe('overdue');
});

it('says how long a worker was silent that it stopped in the middle of something', async () => {
  const entry = new URL('data:text/javascript,for (;;) {}');

  const ended = await superviseWorker({ entry, job: jobOf(null), until: realNow() + 600, listen: () => {} });

  expect(ended).toMatchObject({ end: 'overdue' });
  expect('silentMs' in ended && ended.silentMs > 400).toBe(true);
});

describe('a worker whose embedded server is busy', () => {
  const inServer = (then: string): URL =>
    new URL(
      `data:text/javascript,import { workerData } from 'node:worker_threads';Atomics.add(new Int32Array(workerData.shared), ${SLOT.server}, 1);${then}`,
    );

  it.each([
    ['blocked', 'for (;;) {}', 'nothing happened for 0.5 s while the embedded API server handled a request'],
    ['ended', 'throw new Error("out of memory")', 'the worker ended (out of memory) while the embedded API server'],
  ])('is not the fault of the target: %s', async (_, then, said) => {
    const heard: FromWorker[] = [];
    const listen = (message: FromWorker): void => void heard.push(message);

    const { end } = await superviseWorker({ entry: inServer(then), job: jobOf(null), blockedMs: 500, listen });

    expect(end).toBe('finished');
    expect(heard).toMatchObject([{ say: 'error', code: null, message: expect.stringContaining(said) }]);
  });

  it('says nothing of a target that blocks after its request was handled', async () => {
    const entry = inServer(`Atomics.add(new Int32Array(workerData.shared), ${SLOT.server}, 1);for (;;) {}`);

    expect(await superviseWorker({ entry, job: jobOf(null), blockedMs: 500, listen: () => {} })).toMatchObject({
      end: 'blocked',
    });
  });
});

describe('a worker that dies', () => {
  const entry = new URL('data:text/javascript,throw new Error("out of order")');

  it('was taken down by the module that lives in it', async () => {
    expect(await superviseWorker({ entry, job: jobOf(null), listen: () => {} })).toMatchObject({
      end: 'died',
      detail: 'out of order',
    });
  });

  it('is our own fault where the target is a program', async () => {
    const heard: FromWorker[] = [];

    const { end } = await superviseWorker({ entry, job: jobOf({}), listen: (message) => heard.push(message) });

    expect(end).toBe('finished');
    expect(heard).toMatchObject([{ say: 'error', code: null, message: expect.stringContaining('out of order') }]);
  });
});
