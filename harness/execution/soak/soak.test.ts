import { describe, expect, it } from 'vitest';
import type { KnownCause } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import { HarnessError, type HarnessErrorCode } from '../../model/errors.ts';
import type { CampaignResult, InconclusiveRun } from '../../model/finding.ts';
import type { SoakEntry, SoakLine } from '../../model/soak.ts';
import { lostUpdate } from '../../report/test-findings.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { batchResult, entry, finding, head } from '../../report/soak/test-lines.ts';
import type { RunConfig } from '../config/run-config.ts';
import { leftOf, runSoak, type SoakOptions } from './soak.ts';
import { SoakState } from './soak-state.ts';

const RESULT: CampaignResult = {
  outcome: 'holds',
  besides: 'holds',
  seed: 1,
  runs: 25,
  verified: 0,
  elapsedMs: 10,
  contention: { conflicts: 1, distinctBehaviours: 4 },
  findings: [],
  warnings: [],
  inconclusive: { count: 0, reasons: {} },
  perProperty: {},
};

interface Made {
  readonly lines: readonly SoakLine[];
  readonly warnings: readonly string[];
  readonly error: unknown;
  /** The known causes that each campaign received. */
  readonly told: readonly (readonly KnownCause[])[];
}

/** Runs a soak of a hundred runs: its campaigns end as listed in `ends`, in order, and all later campaigns end successfully. */
async function soak(
  ends: readonly (HarnessErrorCode | (Partial<CampaignResult> & { readonly unjudged?: readonly InconclusiveRun[] }))[],
  before: readonly SoakLine[] = [],
): Promise<Made> {
  const lines: SoakLine[] = [];
  const warnings: string[] = [];
  const told: (readonly KnownCause[])[] = [];
  const left = [...ends];
  const options: SoakOptions = {
    shard: { index: 1, count: 1 },
    place: { about: 'a', epoch: 'e', shard: '1/1' },
    state: new SoakState(before.map((line) => ({ line, text: JSON.stringify(line) }))),
    expected: [],
    campaign: (config, { events, expected }) => {
      const end = left.shift() ?? {};
      if (typeof end === 'string') return Promise.reject(new HarnessError(end, `as told: ${end}`));
      told.push(expected);
      for (const run of end.unjudged ?? []) events.onInconclusive?.(run);
      for (const one of end.findings ?? []) events.onFinding?.(one);
      return Promise.resolve({ ...RESULT, seed: config.seed, ...end });
    },
    append: (line) => {
      lines.push(line);
      return { line, text: JSON.stringify(line) };
    },
    onFinding: () => {},
    onWarning: (text) => warnings.push(text),
    onProgress: () => {},
    signal: new AbortController().signal,
  };
  const config = { budget: { unit: 'runs', runs: 100 }, writers: ['deleter'], faults: [], process: null };
  const whole = { ...config, stopAfter: Number.POSITIVE_INFINITY } as unknown as RunConfig;
  const error = await runSoak(whole, options).catch((thrown: unknown) => thrown);
  return { lines, warnings, error, told };
}

function kinds({ lines }: Made): string {
  return lines.map(({ line }) => line).join(' ');
}

describe('a soak', () => {
  it('is a row of campaigns until the budget is used up, each begun and ended by a line', async () => {
    const made = await soak([]);

    expect(kinds(made)).toBe('begun batch begun batch begun batch begun batch ended');
    expect(new Set(made.lines.flatMap((line) => (line.line === 'batch' ? [line.result.seed] : []))).size).toBe(4);
  });

  it('goes on behind a batch that was cut short, with what is left', async () => {
    const { lines } = await soak([]);

    const again = await soak([], lines.slice(0, 3));

    expect(kinds(again)).toBe('begun batch begun batch begun batch ended');
    expect(again.lines[0]).toMatchObject({ line: 'begun', batch: 2 });
  });

  it('survives a batch that came to nothing, and tells of it', async () => {
    const made = await soak(['TARGET_FAILED', {}, 'CLUSTER_UNAVAILABLE']);

    expect(kinds(made)).toBe('begun failed begun batch begun failed begun batch begun batch begun batch ended');
    expect(made.warnings).toEqual([
      'a batch failed, the next one starts: as told: TARGET_FAILED',
      'a batch failed, the next one starts: as told: CLUSTER_UNAVAILABLE',
    ]);
  });

  it('ends with the third of them in a row, and at once with what cannot pass', async () => {
    const three = await soak(['TARGET_FAILED', 'TARGET_FAILED', 'TARGET_FAILED']);
    const wrong = await soak([{}, 'MANIFEST_INVALID']);

    expect(kinds(three)).toBe('begun failed begun failed begun failed');
    expect(three.error).toMatchObject({ code: 'TARGET_FAILED' });
    expect(kinds(wrong)).toBe('begun batch begun');
    expect(wrong.error).toMatchObject({ code: 'MANIFEST_INVALID' });
  });

  it('keeps the first run of each reason why nothing can be said, over batches and restarts', async () => {
    const run = (reason: string): InconclusiveRun => ({
      ...{ property: 'convergence', reason, schedule: EMPTY_SCHEDULE },
      history: lostUpdate().record,
    });
    const busy = { unjudged: [run('busy')] };

    const made = await soak([busy, busy, { unjudged: [run('busy'), run('stuck')] }]);
    const again = await soak([busy], made.lines.slice(0, -2));

    expect(kinds(made)).toBe('begun inconclusive batch begun batch begun inconclusive batch begun batch ended');
    expect(kinds(again)).toBe('begun batch ended');
  });

  it('knows a cause by its other keys too in later batches, also behind a kill, and lines without them are read', async () => {
    const { violation, ...rest } = finding('spec.replicas', { preemptions: 0 });
    const cause = { key: 'missed | widgets.example.com', text: '' };
    const found = { ...rest, violation: { ...violation, cause }, record: rest.history };
    const also = ['children | pods'];

    const made = await soak([{ findings: [{ ...found, also }] }]);
    const again = await soak([], made.lines.slice(0, 2));
    const [begun, line] = made.lines;
    if (begun === undefined || line?.line !== 'finding') throw new Error('a finding');
    const { also: _also, ...old } = line;
    const older = await soak([], [begun, old]);

    expect(made.told.slice(0, 2)).toMatchObject([[], [{ key: cause.key, also }]]);
    expect(again.told[0]).toMatchObject([{ key: cause.key, also }]);
    expect(older.told[0]).toEqual([{ key: cause.key, signatures: [signatureText(violation.signature)] }]);
  });

  it('gives up on campaigns that give up long before their time, which is no end', async () => {
    const made = await soak([{ runs: 1 }, { runs: 2 }, { runs: 1 }]);

    expect(kinds(made)).toBe('begun batch begun batch begun batch');
    expect(made.warnings).toEqual([expect.stringContaining('3 batches in a row ended long before their time')]);
  });
});

describe('what is left of the time of a soak', () => {
  const left = (...lines: readonly SoakEntry[]): number =>
    leftOf({ budget: { unit: 'ms', timeMs: 600_000 }, process: null }, new SoakState(lines));
  const begun = (batch: number, minute: number): SoakEntry => entry('1/1', { line: 'begun', batch }, minute);
  const ended = entry('1/1', { line: 'batch', batch: 0, result: batchResult({ elapsedMs: 61_000 }) }, 1);

  it('is less by a batch that ended, and by the time that one took which came to nothing', () => {
    const failed = entry('1/1', { line: 'failed', batch: 1, message: 'no API server' }, 5);

    expect(left(begun(0, 0), ended)).toBe(539_000);
    expect(left(begun(0, 0), ended, begun(1, 3), failed)).toBe(419_000);
  });

  it('is less by a whole batch for each that was killed, so that a machine that always goes down comes to an end', () => {
    expect(left(begun(0, 0), head('1/1'), begun(1, 30), begun(2, 31), ended, begun(3, 59))).toBe(359_000);
    expect(left(...Array.from({ length: 10 }, (_, batch) => begun(batch, batch)))).toBe(0);
  });

  it('looks for a smaller example in three batches, however often a real server is asked about it', () => {
    const found = finding('spec.replicas', { preemptions: 3 });
    const cause = { key: 'write | PUT | deployments.apps | stale', text: 'a PUT' };
    const large = { ...found, violation: { ...found.violation, cause } };
    const confirmed = { cluster: 'envtest', server: 'kube-apiserver 1.36.3', reproduced: { k: 5, n: 5 } } as const;
    const asked = { ...large, counterexample: { ...large.counterexample, confirmed } };
    const state = new SoakState([]);

    for (const record of [large, large, asked, asked]) state.take(entry('1/1', { line: 'finding', batch: 0, record }));

    expect([state.known(), state.settled()]).toEqual([
      [{ key: cause.key, signatures: [signatureText(large.violation.signature)] }],
      [],
    ]);
    state.take(entry('1/1', { line: 'finding', batch: 2, record: large }));
    expect(state.settled()).toEqual(state.known());
  });
});
