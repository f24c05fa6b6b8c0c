import { exec } from 'node:child_process';
import { lookup } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { gzip } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createQuiescence } from './quiescence.ts';
import { Random } from './random.ts';
import { realDelay } from './real-time.ts';
import { disturbs, watchUncontrolled } from './uncontrolled.ts';
import type { UncontrolledUse } from './uncontrolled.ts';
import { installVirtualTime } from './virtual-time.ts';

const capturedTimeout = globalThis.setTimeout;
const time = installVirtualTime();
const quiescence = createQuiescence({ time, activity: () => 0 });

beforeEach(() => time.reset({ startMs: 0, random: new Random(1) }));
afterAll(() => time.uninstall());

/** Returns the uncontrolled uses of a target that has started and then runs `action` to its end. */
async function found(action: () => unknown): Promise<readonly UncontrolledUse[]> {
  const watch = watchUncontrolled(time);
  watch.started();
  const ended = time.runAs('controller', action);
  await quiescence.drain();
  watch.quiescent();
  await ended;
  return watch.stop();
}

function lineOf(use: UncontrolledUse | undefined): string {
  return use?.where.split('/').at(-1) ?? '';
}

describe('a watch reports with the line of the target', () => {
  it('a timer captured before virtual time was installed', async () => {
    const [use, ...others] = await found(() => void capturedTimeout(() => {}, 5));

    expect(use).toMatchObject({ kind: 'real-timer', type: 'Timeout', times: 1, pendingAtQuiescence: true });
    expect(use?.where).toMatch(/^harness\/determinism\/uncontrolled\.test\.ts:\d+$/);
    expect(others).toEqual([]);
  });

  it('files read again and again, also from the continuation of an earlier read', async () => {
    const uses = await found(async () => {
      for (let round = 0; round < 3; round++) await readFile(import.meta.filename);
    });

    const reads = uses.filter((use) => use.type === 'FSREQPROMISE');
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.reduce((sum, use) => sum + use.times, 0)).toBeGreaterThanOrEqual(6);
    expect(reads.every((use) => use.kind === 'file' && lineOf(use).startsWith('uncontrolled.test.ts:'))).toBe(true);
  });

  it('a request over HTTP', async () => {
    const uses = await found(() => void get('http://127.0.0.1:9/').on('error', () => {}));

    expect(uses.some((use) => use.kind === 'network' && use.type === 'TCPWRAP' && disturbs(use))).toBe(true);
  });

  it('a name looked up', async () => {
    const uses = await found(() => lookup('localhost', () => {}));

    expect(uses.map((use) => [use.kind, use.type])).toEqual([['network', 'GETADDRINFOREQWRAP']]);
  });

  it('native work, which no list of active resources shows', async () => {
    const digest = await found(() => crypto.subtle.digest('SHA-256', new Uint8Array(8)));
    const zipped = await found(() => gzip('text', () => {}));

    expect(digest.map((use) => use.kind)).toEqual(['native']);
    expect(zipped.map((use) => use.kind)).toEqual(['native']);
    expect(lineOf(digest[0])).toMatch(/^uncontrolled\.test\.ts:/);
  });

  it('a process started', async () => {
    const uses = await found(() => void exec('true'));

    expect(uses.some((use) => use.kind === 'process' && use.type === 'PROCESSWRAP')).toBe(true);
  });
});

describe('a watch stays silent about', () => {
  it('virtual timers, immediates, promises, seeded randomness and what is printed', async () => {
    const uses = await found(async () => {
      setTimeout(() => {}, 5);
      AbortSignal.timeout(10);
      setImmediate(() => {});
      await Promise.resolve(Math.random() + crypto.randomUUID());
      process.stdout.write('');
    });

    expect(uses).toEqual([]);
  });

  it('timers of the harness itself', async () => {
    const watch = watchUncontrolled(time);
    await realDelay(1);

    expect(watch.stop().filter((use) => use.where.includes('real-time'))).toEqual([]);
  });
});

it('tells a file read during start from one that goes on', async () => {
  const watch = watchUncontrolled(time);
  await time.runAs('controller', () => readFile(import.meta.filename));
  watch.started();
  const uses = watch.stop();

  expect(uses.length).toBeGreaterThan(0);
  expect(uses.filter(disturbs)).toEqual([]);
});
