import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { CheckResult } from '../harness/model/check-result.ts';
import { COLLECTION, OUTSIDE, OUTSIDE_API } from '../harness/model/outside.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder } from '../harness/oracle/test-history.ts';
import { idempotentEffects } from './idempotent-effects.ts';

function disk(name: string, owner = 'a'): KubeObject {
  return {
    ...OUTSIDE_API,
    metadata: { name, namespace: 'default', labels: { [COLLECTION]: 'disks' } },
    spec: { owner },
  };
}

function run(...owners: readonly string[]): HistoryBuilder {
  const h = historyBuilder().phase('contention');
  for (const [n, owner] of owners.entries()) h.create('controller', OUTSIDE, disk(`disks-${n}`, owner));
  return h;
}

function settled(h: HistoryBuilder): HistoryBuilder {
  return h.phase('heal').phase('settle').pass(30_000).phase('end');
}

/** Returns the final state of a fresh copy: one disk for each owner. */
function expected(...owners: readonly string[]): ProbeResult {
  const objects = Object.fromEntries(owners.map((owner, n) => [`${OUTSIDE}//disks~${n}`, disk(`disks-${n}`, owner)]));
  return { probe: 'expected-state', settled: true, outcomes: [{ objects }] };
}

function extended(...owners: readonly string[]): ProbeResult {
  const final = owners.map((owner, n) => disk(`disks-${n}`, owner));
  return { probe: 'extended-settle', windowMs: 120_000, quiescent: true, final, names: {}, writesAtRest: 0 };
}

function judge(h: HistoryBuilder, ...probes: readonly ProbeResult[]): CheckResult {
  return idempotentEffects.check(settled(h).build({ probes }));
}

describe('idempotent-effects', () => {
  it('is silent about targets without effects, and accepts what a fresh target keeps as well', () => {
    expect(judge(run())).toEqual({ result: 'holds' });
    expect(judge(run('a'), expected('a'))).toEqual({ result: 'holds' });
  });

  it('convicts a second one of the same content, also when it is removed later', () => {
    const h = historyBuilder().phase('contention');
    h.begin('controller', 'create', OUTSIDE, 'disks-0', { body: disk('disks-0') }).lose();
    h.create('controller', OUTSIDE, disk('disks-1'));
    h.delete('controller', OUTSIDE, 'disks-0');

    expect(judge(h, expected('a'))).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'duplicated', kind: OUTSIDE, field: 'disks' },
          revisions: [101, 102],
          sentence:
            'controller made disks-1 outside (version 102) although disks-0 (version 101) with the same content was there, the answer to ' +
            'which was lost',
        },
      ],
    });
  });

  it('allows two alike where a fresh target keeps two alike', () => {
    expect(judge(run('a', 'a'), expected('a', 'a'))).toEqual({ result: 'holds' });
  });

  it('convicts what is left behind when more time does not change it', () => {
    const h = run('a', 'b');

    expect(judge(h, expected('a'))).toMatchObject({ result: 'inconclusive', needs: [{ probe: 'extended-settle' }] });
    expect(judge(h, expected('a'), extended('a', 'b'))).toMatchObject({
      violations: [
        {
          signature: { class: 'leaked' },
          sentence: expect.stringContaining(
            'leaves 2 of disks outside the cluster at rest, where a fresh copy keeps 1',
          ),
        },
      ],
    });
    expect(judge(h, expected('a'), extended('a'))).toEqual({ result: 'holds' });
  });

  it('convicts what is missing at rest', () => {
    const h = run('a');
    h.delete('controller', OUTSIDE, 'disks-0');

    expect(judge(h, expected('a'), extended())).toMatchObject({ violations: [{ signature: { class: 'missing' } }] });
  });

  it.each([
    ['only warns of what the same operations leave undisturbed as well', 2, 'warning'],
    ['convicts what they do not', 1, 'error'],
  ])('%s', (_, left, severity) => {
    const owners = Array.from({ length: left }, (__, n) => (n === 0 ? 'a' : 'gone'));
    const fresh = expected('a');
    const outcomes = 'outcomes' in fresh ? fresh.outcomes : [];
    const final = owners.map((owner, n) => disk(`disks-${n}`, owner));
    const other = (probe: 'undisturbed' | 'step-by-step'): ProbeResult => ({
      ...{ probe, settled: true, final, names: {}, expected: outcomes },
    });

    expect(
      judge(run('a', 'gone'), fresh, extended('a', 'gone'), other('undisturbed'), other('step-by-step')),
    ).toMatchObject({ result: 'violated', violations: [{ signature: { class: 'leaked' }, severity }] });
  });

  it('asks how the same operations end undisturbed', () => {
    expect(judge(run('a', 'gone'), expected('a'), extended('a', 'gone'))).toMatchObject({
      result: 'violated',
      needs: [{ probe: 'undisturbed' }],
    });
  });

  it('is inconclusive until it is known what a fresh target keeps, and without rest', () => {
    expect(judge(run('a'))).toMatchObject({ result: 'inconclusive', needs: [{ probe: 'expected-state' }] });
    const settlement = { result: 'time-exceeded', timeMs: 60_000 } as const;
    expect(idempotentEffects.check(settled(run('a')).build({ settlement })).result).toBe('inconclusive');
    const restless = { ...extended('a', 'b'), quiescent: false } as ProbeResult;
    expect(judge(run('a', 'b'), expected('a'), restless).result).toBe('inconclusive');
  });
});
