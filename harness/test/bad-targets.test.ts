import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HarnessError, openLab, run } from '../index.ts';
import type { StalemateOptions } from '../index.ts';

function options(target: string, more: StalemateOptions = {}): StalemateOptions {
  const file = (name: string): string => fileURLToPath(new URL(`./targets/${name}`, import.meta.url));
  return {
    target: file(`${target}.ts`),
    crds: [file('crd.yaml')],
    samples: [file('sample.yaml')],
    budget: '20s',
    seed: 1,
    ...more,
  };
}

async function failureOf(target: string): Promise<HarnessError> {
  try {
    await run(options(target), { blockedMs: BLOCKED_MS });
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error(`${target} was tested as if nothing were wrong with it`);
}

/** Half the limit for users' targets, because several tests wait for it while a core spins. */
const BLOCKED_MS = 5_000;
/** On a busy machine, it may take a minute until a blocked worker is ended. */
const PATIENCE_MS = 240_000;

// Concurrent, because most of the time is spent waiting for blocked workers.
describe('a target that cannot be tested', { timeout: PATIENCE_MS }, () => {
  it.concurrent('is said to throw on start, with its own words', async () => {
    const { code, message } = await failureOf('throws-on-start');

    expect(code).toBe('TARGET_FAILED');
    expect(message).toContain('the database password is missing');
  });

  it.concurrent('is said to ask for nothing when it never lists', async () => {
    const { code, message } = await failureOf('never-lists');

    expect(code).toBe('TARGET_FAILED');
    expect(message).toContain('sent no request');
  });

  it.concurrent.each([
    [
      'waits-for-file',
      /start\(\) waits for a file \(FSEVENTWRAP at .*waits-for-file\.ts:6\).*; read it when the module is loaded/,
    ],
    ['waits-for-work', /start\(\) waits for native work \(\w+ at .*waits-for-work\.ts:7\).*; use its synchronous form/],
    ['waits-for-nothing', /start\(\) has not ended and waits for something other than a request or a timer; start its/],
  ])('is said to ask for nothing because of what it waits for: %s', async (target, why) => {
    const { code, message } = await failureOf(target);

    expect(code).toBe('TARGET_FAILED');
    expect(message).toMatch(why);
  });

  it.concurrent('is said to exit when it exits while starting', async () => {
    const { code, message } = await failureOf('exits');

    expect(code).toBe('TARGET_FAILED');
    expect(message).toContain('exit(7)');
  });

  it.concurrent('is said to block the event loop, and does not block the campaign', async () => {
    const { code, message } = await failureOf('blocks');

    expect(code).toBe('TARGET_FAILED');
    expect(message).toContain('blocked the event loop');
  });

  it.concurrent('is said to use real I/O, with the line that does', async () => {
    const { code, message } = await failureOf('reads-files');

    expect(code).toBe('TARGET_UNCONTROLLED');
    expect(message).toMatch(/file FS.*reads-files\.ts:7/);
  });

  it.concurrent.each([
    ['dials-out', /connection to 127\.0\.0\.1:9 at .*dials-out\.ts:8/],
    ['starts-programs', /starting the program "kubectl" at .*starts-programs\.ts:8/],
    ['waits-for-programs', /starting the program "kubectl" at .*waits-for-programs\.ts:8/],
    ['starts-workers', /starting a worker thread at .*starts-workers\.ts:7/],
    ['finds-a-cluster', /connection to stalemate\.invalid:443 at /],
  ])('is refused what leads to another cluster, with the line that asks for it: %s', async (target, where) => {
    const { code, message } = await failureOf(target);

    expect(code).toBe('TARGET_UNCONTROLLED');
    expect(message).toMatch(where);
  });

  it.concurrent('is said to go behind virtual time, with the line that does', async () => {
    const { code, message } = await failureOf('escapes-time');

    expect(code).toBe('TARGET_UNCONTROLLED');
    expect(message).toContain('escapes-time.ts:8');
  });
});

describe('a target that cannot be steered under contention', { timeout: PATIENCE_MS }, () => {
  it('ends the campaign with what it does, and never passes for one that holds', async () => {
    const { code, message } = await failureOf('spins-turns');

    expect(code).toBe('TARGET_UNCONTROLLED');
    expect(message).toContain('never came to rest');
  });
});

describe('a target that decides by what no seed controls', { timeout: PATIENCE_MS }, () => {
  it('ends the campaign inconclusive, with the first divergence of two runs of one schedule', async () => {
    const result = await run(options('flips-coins', { budget: '20s' }));

    expect(result.outcome).toBe('inconclusive');
    expect(result.warnings.join()).toMatch(/two different histories: at record \d+: .*"seen":\d+.*"seen":\d+/);
  });
});

describe('a target that fails only under contention', { timeout: PATIENCE_MS }, () => {
  it.concurrent('is found to block the event loop; what was found before is kept', async () => {
    const result = await run(options('blocks-under-contention', { budget: '180s', stopAfter: 1 }), {
      blockedMs: BLOCKED_MS,
    });

    expect(result.outcome).toBe('violated');
    expect(result.findings.map((finding) => finding.violation.signature.class)).toContain('blocked-event-loop');
  });

  it.concurrent('is found to leave a rejection unhandled', async () => {
    const result = await run(options('rejects-later', { properties: ['survival'], stopAfter: 1 }));

    expect(result.outcome).toBe('violated');
    expect(result.findings[0]?.violation.sentence).toContain('409');
  });

  it.concurrent('fails a trial of a lab, which goes on with the next', async () => {
    await using lab = await openLab(options('blocks-under-contention'), { blockedMs: BLOCKED_MS });
    const [trial] = fc.sample(lab.trials(), 1);
    if (trial === undefined) throw new Error('expected a trial');
    const value = 'x';
    const set = { do: 'set', path: ['metadata', 'labels', 'a'], value, via: 'merge-patch' } as const;
    const sample = lab.aim.objects.find(({ relation }) => relation === 'sample');
    if (sample === undefined) throw new Error('expected a sample');
    const programs = [{ actor: 'writer-1', writer: 'label-toucher', ops: [{ ...set, target: sample.target }] }];
    const { search: _, ...plain } = trial;

    const blocked = await lab.run({ ...plain, workload: { ...plain.workload, start: 'settled', programs } });
    const quiet = await lab.run({ ...plain, workload: { ...plain.workload, start: 'settled', programs: [] } });

    expect(blocked.violations.map(({ signature }) => signature.class)).toEqual(['blocked-event-loop']);
    expect(quiet.violations).toEqual([]);
    expect(quiet.history.operations.length).toBeGreaterThan(0);
  });

  it('is found to wake itself by writing the time of day', async () => {
    const result = await run(options('writes-the-time', { budget: '180s', stopAfter: 1 }));

    expect(result.findings[0]?.violation.signature).toMatchObject({ property: 'bounded-rate', field: 'status.seen' });
  });
});
