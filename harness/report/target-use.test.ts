import { describe, expect, it } from 'vitest';
import type { TargetUse } from '../model/finding.ts';
import type { Measurement } from '../model/history.ts';
import { reconcilesBeside, summariseUse, useLines } from './target-use.ts';

function use(runs: number, pidOf: (run: number) => number, fileDescriptors: (run: number) => number): TargetUse {
  const atRest = Array.from({ length: runs }, (_, run) => {
    return { pid: pidOf(run), fileDescriptors: fileDescriptors(run), threads: 9, memoryKb: 31_000, requests: 12 };
  });
  return { atRest, counted: 0, reconciles: {} };
}

function linesOf(of: TargetUse): readonly string[] {
  const summary = summariseUse(of);
  return summary === undefined ? [] : useLines(summary);
}

describe('what a target takes of the system', () => {
  it('grows in a process that lives on, and is told by how much', () => {
    const leaking = use(
      60,
      () => 1,
      (run) => 12 + 2 * run,
    );

    expect(summariseUse(leaking)?.fileDescriptors).toEqual({ median: 71, max: 130, trend: 'grows', perRun: 2 });
    expect(linesOf(leaking)).toEqual([
      'the target at rest: 71 file descriptors, 9 threads, 30 MB · grows by 2 file descriptors a run, over 60 runs of one process',
    ]);
  });

  it('is steady over fresh processes', () => {
    expect(
      linesOf(
        use(
          60,
          (run) => run,
          () => 12,
        ),
      ),
    ).toEqual([
      'the target at rest: 12 file descriptors, 9 threads, 30 MB · steady over 60 fresh processes (memory: too few, expected 100)',
    ]);
  });

  it('is no trend where no process lived long enough', () => {
    expect(
      linesOf(
        use(
          60,
          (run) => Math.floor(run / 10),
          (run) => run,
        ),
      ),
    ).toEqual([
      'the target at rest: 29.5 file descriptors, 9 threads, 30 MB · too few runs to see a trend: 10 runs of one process, expected 20 (a crash begins another)',
    ]);
  });

  it('says how often it reconciled a run', () => {
    const counted: TargetUse = { atRest: [], counted: 4, reconciles: { success: 40, error: 2, requeue: 0 } };

    expect(linesOf(counted)).toEqual(['reconciles a run, by its own metrics: success 10, error 0.5']);
  });

  it('says where the time of a run goes, with advice where it is long', () => {
    const time = { runs: 2, startMs: 4_000, contentionMs: 3_000, restMs: 6_000, furtherMs: 7_000, drainMs: 12_000 };
    const seen = use(
      30,
      (run) => run,
      () => 12,
    );

    expect(summariseUse({ ...seen, time })?.secondsPerRun).toEqual({
      start: 2,
      contention: 1.5,
      rest: 3,
      further: 3.5,
      drain: 6,
    });
    expect(linesOf({ ...seen, time })[1]).toBe(
      'a run took 10 s (start 2, contention 1.5, until rest 3, judging 3.5), 6 s of it waiting for the target; docs/programs.md says what makes runs long',
    );
    expect(linesOf({ ...seen, time: { ...time, runs: 20 } })[1]).toBe(
      'a run took 1 s (start 0.2, contention 0.15, until rest 0.3, judging 0.35), 0.6 s of it waiting for the target',
    );
  });

  it('is nothing for a target that is no process', () => {
    expect(summariseUse({ atRest: [], counted: 0, reconciles: {} })).toBeUndefined();
  });
});

describe('reconciles beside a finding', () => {
  const look = (when: Measurement['when'], at: number, timeMs: number, success: number, pid = 1): Measurement => {
    return { actor: 'controller', when, at, timeMs, pid, reconciles: { success } };
  };

  it('tell how many came once nobody disturbed it', () => {
    const looks = [look('start', 1, 0, 1), look('healed', 5, 1000, 10), look('at-rest', 9, 9000, 522)];

    expect(reconcilesBeside('bounded-rate', looks)).toBe(
      'by its own metrics it reconciled 522 times (success 522), 512 of them in the 8.0 s after the disturbance had ended',
    );
    expect(reconcilesBeside('convergence', looks)).toBeUndefined();
  });

  it('tell no rate of another process, or of no time', () => {
    const text = 'by its own metrics it reconciled 12 times (success 12)';

    expect(reconcilesBeside('bounded-rate', [look('healed', 5, 0, 10, 2), look('at-rest', 9, 9000, 12)])).toBe(text);
    expect(reconcilesBeside('bounded-rate', [look('healed', 5, 0, 10), look('at-rest', 9, 90, 12)])).toBe(text);
    expect(reconcilesBeside('bounded-rate', undefined)).toBeUndefined();
  });
});
