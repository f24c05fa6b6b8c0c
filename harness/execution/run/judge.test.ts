import { describe, expect, it } from 'vitest';
import type { ProbeRequest } from '../../model/probe.ts';
import type { Reference } from '../../model/reference.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Property } from '../../oracle/property.ts';
import { CutShort } from './cut-short.ts';
import { judgeRun } from './judge.ts';
import type { Judged } from './judge.ts';
import { Prober } from './prober.ts';
import { takeReferences } from './references.ts';
import { property, violation } from './test-verdicts.ts';
import { label, runnerOf, setReady, thinTarget, workload } from './testing.ts';

const TRIAL: Trial = { workload: workload(), schedule: EMPTY_SCHEDULE };
const runner = runnerOf(thinTarget(setReady));
const { reference } = await takeReferences(runner, workload(), []);
const run = await runner.run(TRIAL);

function judge(...properties: readonly Property[]): Promise<Judged & { readonly runs: number }> {
  const prober = new Prober((trial, variant) => runner.run(trial, variant), workload(), reference);
  return judgeRun(TRIAL, run, properties, reference, prober).then((judged) => ({ ...judged, runs: prober.runs }));
}

function windows(...windowMs: readonly number[]): readonly ProbeRequest[] {
  return windowMs.map((ms) => ({ probe: 'extended-settle', windowMs: ms }));
}

describe('judging a run', () => {
  it('ends without an opinion where its time is over before what was asked for is seen', async () => {
    const cut = new Prober(() => Promise.reject(new CutShort('its time was over', true)), workload(), reference);
    const needy = property(() => ({ result: 'inconclusive', reason: 'not yet', needs: windows(500) }));

    const judged = await judgeRun(TRIAL, run, [needy], reference, cut);

    expect(judged).toMatchObject({ isCut: true, violations: [] });
    expect(judged.inconclusive.get('test')).toContain('not yet: the search had no time left');
  });

  it('shows properties the reference', async () => {
    let seen: Reference | undefined;

    await judge(
      property((history) => {
        seen = history.reference;
        return { result: 'holds' };
      }),
    );

    expect(seen).toBe(reference);
  });

  it('makes the probes that a property needs, and asks again with their results', async () => {
    const asked: number[] = [];

    const judged = await judge(
      property(({ probes }) => {
        asked.push(probes.length);
        return probes.length === 0
          ? { result: 'inconclusive', reason: 'not yet', needs: windows(500) }
          : { result: 'violated', violations: [violation()] };
      }),
    );

    expect(asked).toEqual([0, 1]);
    expect(judged.runs).toBe(1);
    expect(judged.violations).toHaveLength(1);
    expect(judged.inconclusive.size).toBe(0);
    expect(judged.history.probes).toMatchObject([{ probe: 'extended-settle', windowMs: 500, quiescent: true }]);
  });

  it('believes no violation before the runs that could clear the target', async () => {
    const cleared = property(({ probes }) =>
      probes.length === 0
        ? { result: 'violated', violations: [violation()], needs: windows(500) }
        : { result: 'holds' },
    );
    const guilty = property(() => ({ result: 'violated', violations: [violation()], needs: windows(500) }));
    const cut = new Prober(() => Promise.reject(new CutShort('its time was over', true)), workload(), reference);

    expect((await judge(cleared)).violations).toEqual([]);
    expect((await judge(guilty)).violations).toHaveLength(1);
    const judged = await judgeRun(TRIAL, run, [guilty], reference, cut);
    expect(judged.violations).toEqual([]);
    expect(judged.inconclusive.get('test')).toContain('the search had no time left');
  });

  it('makes a probe once, whoever asks for it and however often', async () => {
    const needy = (name: string): Property =>
      property(() => ({ result: 'inconclusive', reason: 'never enough', needs: windows(500, 500) }), name);

    const judged = await judge(needy('one'), needy('two'));

    expect(judged.runs).toBe(1);
    expect([...judged.inconclusive]).toEqual([
      ['one', 'never enough'],
      ['two', 'never enough'],
    ]);
  });

  it('ends although a property asks for something new for ever', async () => {
    let n = 0;

    const judged = await judge(property(() => ({ result: 'inconclusive', reason: 'more', needs: windows(500 + n++) })));

    expect(judged.runs).toBe(10);
    expect(judged.inconclusive.get('test')).toBe('more');
  });

  it('warns, and accuses of nothing, when a comparison with other runs fails in a run that nothing disturbed', async () => {
    const differs = property(() => ({
      result: 'violated',
      violations: [violation(), violation({ class: 'a-crash' })],
    }));
    const severities = async (trial: Trial, compares: Pick<Property, 'comparesRuns'>): Promise<readonly string[]> => {
      const prober = new Prober((other, variant) => runner.run(other, variant), workload(), reference);
      const { violations } = await judgeRun(trial, run, [{ ...differs, ...compares }], reference, prober);
      return violations.map(({ severity }) => severity);
    };
    const disturbed: Trial = { ...TRIAL, workload: workload([{ actor: 'user', writer: 'user', ops: [label('x')] }]) };

    expect(await severities(TRIAL, { comparesRuns: true })).toEqual(['warning', 'warning']);
    expect(await severities(TRIAL, { comparesRuns: ['lost-update'] })).toEqual(['error', 'warning']);
    expect(await severities(TRIAL, {})).toEqual(['error', 'error']);
    expect(await severities(disturbed, { comparesRuns: true })).toEqual(['error', 'error']);
    const search = { strategy: 'pos', seed: 1, fairAfter: 100, faults: {} } as const;
    expect(await severities({ ...TRIAL, search }, { comparesRuns: true })).toEqual(['error', 'error']);
  });

  it('takes a check that throws for one without an opinion', async () => {
    const judged = await judge(
      property(() => {
        throw new TypeError('broken check');
      }),
    );

    expect(judged.violations).toEqual([]);
    expect(judged.inconclusive.get('test')).toContain('broken check');
  });

  it('tells each signature once', async () => {
    const twice = property(() => ({ result: 'violated', violations: [violation({ at: 9 }), violation({ at: 3 })] }));

    const { violations } = await judge(twice, twice);

    expect(violations).toEqual([violation({ at: 3 })]);
  });

  it('lets the property that knows the cause speak for the one that sees the outcome', async () => {
    const outcome = violation({ property: 'outcome' });
    const other = violation({ property: 'outcome', field: 'spec.other' });
    const cause = violation({ property: 'cause' });

    const { violations } = await judge(
      { ...property(() => ({ result: 'violated', violations: [outcome, other] })), name: 'outcome' },
      { ...property(() => ({ result: 'violated', violations: [cause] })), name: 'cause', supersedes: ['outcome'] },
    );

    expect(violations).toEqual([other, cause]);
  });
});
