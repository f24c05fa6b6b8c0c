import { describe, expect, it } from 'vitest';
import { exitOf } from './exit-code.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { summarise } from '../report/summary.ts';
import type { CampaignOutcome, CampaignResult, Finding } from '../model/finding.ts';
import { failsRun, outcomeOf } from '../model/outcome.ts';

/** Returns a finding that was reproduced in `k` of `n` runs on a real server. */
function asked(k: number, n: number, more: Partial<Finding> = {}): Finding {
  const found = lostUpdate();
  const confirmed = { cluster: 'envtest', server: 'kube-apiserver 1.36.3', reproduced: { k, n } } as const;
  return { ...found, counterexample: { ...found.counterexample, confirmed }, ...more };
}

const NEVER = asked(0, 5);

describe('a finding that a real server was asked about', () => {
  it('fails a run when it came up in one of five runs there, or when fewer were made', () => {
    for (const finding of [lostUpdate(), asked(1, 5), asked(5, 5), asked(0, 4)]) {
      expect(failsRun(finding)).toBe(true);
      expect(outcomeOf([finding, NEVER], 'holds')).toBe('violated');
    }
  });

  it('fails none when it came up in none of five, and alone it makes a run inconclusive', () => {
    expect(failsRun(NEVER)).toBe(false);
    expect(outcomeOf([NEVER, asked(0, 20)], 'holds')).toBe('inconclusive');
  });

  it('hides nothing that was not well besides, and makes nothing of what did not count', () => {
    for (const besides of ['vacuous', 'interrupted', 'inconclusive'] as const satisfies readonly CampaignOutcome[])
      expect(outcomeOf([NEVER], besides)).toBe(besides);
    expect(outcomeOf([asked(0, 5, { onBase: 'fails' })], 'holds')).toBe('holds');
    const { stats } = lostUpdate();
    expect(outcomeOf([asked(0, 5, { stats: { ...stats, grade: 'pathological' } })], 'holds')).toBe('holds');
  });

  it('decides the exit code', () => {
    const exit = (findings: readonly Finding[]): number => {
      const outcome = outcomeOf(findings, 'holds');
      const result = { outcome, besides: 'holds', findings, elapsedMs: 1, warnings: [], perProperty: {} };
      return exitOf(
        summarise(result as unknown as CampaignResult, () => undefined),
        false,
      );
    };

    expect([exit([NEVER]), exit([asked(1, 5)]), exit([])]).toEqual([3, 1, 0]);
  });
});
