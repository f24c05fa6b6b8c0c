import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { checkRun } from './check-run.ts';
import { runnerOf, setReady, thinTarget, workload } from './testing.ts';

describe('the check run', () => {
  it('lets a target pass that reaches the outside through its port only, and measures how it comes to rest', async () => {
    const runner = runnerOf(thinTarget(setReady));
    const calibrate = vi.spyOn(runner.host, 'calibrate');

    await checkRun(runner, workload());

    expect(runner.runs).toBeGreaterThanOrEqual(3);
    // The number of quiet turns started at two; this target uses only microtasks and needs none.
    expect(await calibrate.mock.results[0]?.value).toBe(0);
  });

  it('refuses a target that reads files while it works, and says where', async () => {
    const reads = runnerOf(
      thinTarget(async (widget, send) => {
        await readFile(new URL(import.meta.url));
        await setReady(widget, send);
      }),
    );

    await expect(checkRun(reads, workload())).rejects.toMatchObject({
      code: 'TARGET_UNCONTROLLED',
      message: expect.stringContaining('check-run.test.ts') as string,
    });
  });

  it('refuses a target that does nothing at all', async () => {
    const mute = runnerOf(() => ({ crash: () => {} }));

    await expect(checkRun(mute, workload())).rejects.toMatchObject({ code: 'TARGET_FAILED' });
  });
});
