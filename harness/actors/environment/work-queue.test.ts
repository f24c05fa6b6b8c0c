import { describe, expect, test } from 'vitest';
import { WorkQueue } from './work-queue.ts';
import type { WorkResult } from './work-queue.ts';

/** Waits until all pending promise chains have settled. */
function atRest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function recording(results: (key: string, tries: number) => WorkResult): { queue: WorkQueue; done: string[] } {
  const done: string[] = [];
  const queue = new WorkQueue(async (key) => {
    done.push(key);
    return results(key, done.filter((one) => one === key).length);
  });
  return { queue, done };
}

describe('a work queue', () => {
  test('works off keys in order, each once however often it was added', async () => {
    const { queue, done } = recording(() => 'done');

    for (const key of ['a', 'b', 'a']) queue.add(key);
    await atRest();

    expect(done).toEqual(['a', 'b']);
  });

  test('starts nothing within add', () => {
    const { queue, done } = recording(() => 'done');

    queue.add('a');

    expect(done).toEqual([]);
  });

  test('puts a key that is to be tried again behind the others', async () => {
    const { queue, done } = recording((key, tries) => (key === 'a' && tries < 3 ? 'again' : 'done'));

    for (const key of ['a', 'b']) queue.add(key);
    await atRest();

    expect(done).toEqual(['a', 'b', 'a', 'a']);
  });

  test('takes a key that is added while it is worked on once more', async () => {
    const done: string[] = [];
    const queue: WorkQueue = new WorkQueue(async (key) => {
      done.push(key);
      if (done.length === 1) queue.add(key);
      return 'done';
    });

    queue.add('a');
    await atRest();

    expect(done).toEqual(['a', 'a']);
  });

  test('gives up on a key after sixteen tries, until somebody adds it anew', async () => {
    const { queue, done } = recording(() => 'again');

    queue.add('a');
    await atRest();
    expect(done).toHaveLength(16);

    queue.add('a');
    await atRest();
    expect(done).toHaveLength(32);
  });

  test('begins to count anew with a key that is added while others are worked on', async () => {
    const done: string[] = [];
    const queue: WorkQueue = new WorkQueue(async (key) => {
      done.push(key);
      if (key === 'b') queue.add('a');
      return key === 'b' ? 'done' : 'again';
    });

    queue.add('a');
    for (let turn = 0; turn < 100 && done.length < 16; turn++) await Promise.resolve();
    queue.add('b');
    await atRest();

    expect(done.filter((key) => key === 'a')).toHaveLength(32);
  });
});
