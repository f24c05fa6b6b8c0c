import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../harness/model/check-result.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { crashEquivalence } from './crash-equivalence.ts';

const PAIR = ['first', 'second'] as const;
const REFERENCE = { ownedLeaves: { 'configmaps:first': ['data.of'], 'configmaps:second': ['data.of'] } };

/** Builds the history of a target that creates the first `count` of two config maps, and then crashes if `crashed`. */
function run(count: number, crashed = true): HistoryBuilder {
  const h = historyBuilder().phase('contention');
  for (const name of PAIR.slice(0, count)) h.create('controller', 'configmaps', manifest('ConfigMap', name));
  if (crashed) h.process('controller', 'crashed').process('controller~2', 'started');
  return h.phase('heal').phase('settle').pass(30_000).phase('end');
}

function finalOf(count: number): Pick<Extract<ProbeResult, { probe: 'without-crashes' }>, 'final' | 'names'> {
  const h = run(count);
  return { final: PAIR.slice(0, count).map((name) => h.live('configmaps', name)), names: h.build().names };
}

const BOTH = {
  objects: Object.fromEntries(PAIR.map((name) => [`configmaps/default/${name}`, run(2).live('configmaps', name)])),
};

/** Returns all probe results that convergence requests; the fresh copy creates what is missing. */
function witnesses(count: number): readonly ProbeResult[] {
  return [
    { probe: 'expected-state', settled: true, outcomes: [BOTH] },
    { probe: 'extended-settle', windowMs: 120_000, quiescent: true, ...finalOf(count), writesAtRest: 0 },
    { probe: 'fresh-incarnation', settled: true, writes: ['create configmaps/second data.of="x"'] },
  ];
}

function without(count: number, settled = true): ProbeResult {
  return { probe: 'without-crashes', settled, ...finalOf(count), expected: [BOTH] };
}

function judge(h: HistoryBuilder, ...probes: readonly ProbeResult[]): CheckResult {
  return crashEquivalence.check(h.build({ reference: REFERENCE, probes }));
}

describe('crash-equivalence', () => {
  it('accepts a run with a crash that ends as it should, and any without one', () => {
    expect(judge(run(2), ...witnesses(2))).toEqual({ result: 'holds' });
    expect(judge(run(1, false))).toEqual({ result: 'holds' });
  });

  it('asks for the same run without the crash before it blames the crash', () => {
    expect(judge(run(1), ...witnesses(1))).toMatchObject({
      result: 'inconclusive',
      needs: [{ probe: 'without-crashes' }],
    });
  });

  it('convicts when that one ends as it should', () => {
    expect(judge(run(1), ...witnesses(1), without(2))).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { property: 'crash-equivalence', class: 'missing-object', kind: 'configmaps' },
          sentence: expect.stringMatching(
            /^killed and started again, controller never makes configmaps\/second.*without the crash the same run ends as it should$/,
          ),
        },
      ],
    });
  });

  it('leaves to convergence what goes wrong without the crash as well', () => {
    expect(judge(run(1), ...witnesses(1), without(1))).toEqual({ result: 'holds' });
  });

  it('has no opinion while convergence has none, or when the run without the crash does not come to rest', () => {
    expect(judge(run(1))).toMatchObject({ result: 'inconclusive', needs: [{ probe: 'expected-state' }] });
    expect(judge(run(1), ...witnesses(1), without(2, false)).result).toBe('inconclusive');
  });
});
