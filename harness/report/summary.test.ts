import { describe, expect, it } from 'vitest';
import type { CampaignResult } from '../model/finding.ts';
import type { BudgetCheck } from '../model/baseline.ts';
import { progressLine, progressText } from './progress.ts';
import { renderSummary } from './summary-text.ts';
import { summarise, summarySchema } from './summary.ts';
import { unreadable } from '../model/test-readable.ts';
import { lostUpdate } from './test-findings.ts';

function campaign(parts: Partial<CampaignResult> = {}): CampaignResult {
  return {
    outcome: 'holds',
    besides: 'holds',
    seed: 42,
    runs: 1500,
    verified: 15,
    elapsedMs: 2000.4,
    contention: { conflicts: 12, foreignWritesBetweenReadAndWrite: 3 },
    findings: [],
    warnings: [],
    inconclusive: { count: 0, reasons: {} },
    perProperty: { 'no-lost-update': { holds: 1500, violated: 0, inconclusive: 0, vacuous: false } },
    ...parts,
  };
}

describe('summarise', () => {
  it('fits the published document and carries the figures of each finding', () => {
    const finding = lostUpdate();
    const summary = summarise(campaign({ outcome: 'violated', findings: [finding] }), () => 'failures/x.json');

    expect(summarySchema.parse(summary)).toEqual(summary);
    expect(summary.findings[0]).toMatchObject({
      signature: 'no-lost-update | carried-back | target+writer | deployments.apps | spec.replicas',
      counterexample: 'failures/x.json',
      steps: 6,
      preemptions: 1,
      executions: 25,
      reproduced: { k: 5, n: 5 },
    });
  });

  it('says that a counterexample could not be written', () => {
    const summary = summarise(campaign({ findings: [lostUpdate()] }), () => undefined);

    expect(summary.findings[0]?.counterexample).toBeNull();
  });
});

describe('what the target printed last', () => {
  const printed = ['no database'];

  it.each(['inconclusive', 'vacuous', 'interrupted'] as const)('is shown where a campaign is %s', (outcome) => {
    const summary = summarise(campaign({ outcome, printed }), () => undefined);

    expect(summarySchema.parse(summary).printed).toEqual(printed);
    expect(renderSummary(summary, { color: false })).toMatch(/\nThe target printed last:\n {2}no database\n$/);
  });

  it('is left out where there is a verdict, also one by what is not of the search', () => {
    const over = { ...campaign({ outcome: 'inconclusive', printed }) };
    const budget = { name: 'requestsPerRun', exceeded: true } as unknown as BudgetCheck;

    for (const outcome of ['holds', 'violated'] as const)
      expect(summarise(campaign({ outcome, printed }), () => undefined).printed).toBeUndefined();
    expect(summarise(over, () => undefined, undefined, [budget]).printed).toBeUndefined();
  });
});

describe('renderSummary', () => {
  it('gives no share above all of them', () => {
    const inconclusive = { count: 5, reasons: { 'survival: too dark': 5 } };
    const text = (runs: number): string =>
      renderSummary(
        summarise(campaign({ outcome: 'inconclusive', runs, inconclusive }), () => undefined),
        { color: false },
      );

    expect(text(5)).toContain('inconclusive: 5 runs (100.0 %)');
    expect(text(4)).toContain('inconclusive: 5 runs\n');
    expect(
      text(4)
        .split('\n')
        .flatMap((line) => unreadable(line.trim()) ?? []),
    ).toEqual([]);
  });

  it('gives no chance of a failure after too few runs to have one', () => {
    const none = { batches: 0, cutShort: 0, failed: 0, situations: 0, situationsOnce: 0, behavioursExact: true };
    const soak = { ...none, epochs: ['today'], shards: ['1 of 1'], unfinished: ['shard 1 of 1'] };
    for (const runs of [0, 1, 3]) {
      const text = renderSummary(
        summarise(campaign({ outcome: 'interrupted', runs, soak }), () => undefined),
        { color: false },
      );
      expect(text).toContain(`no failure in ${runs === 1 ? '1 run' : `${runs} runs`}: too few to say`);
      expect(text).not.toMatch(/Infinity|NaN/);
    }
  });

  it('says that no real server shows what was found', () => {
    const finding = lostUpdate();
    const confirmed = { cluster: 'envtest', server: 'kube-apiserver 1.36.3', reproduced: { k: 0, n: 5 } } as const;
    const findings = [{ ...finding, counterexample: { ...finding.counterexample, confirmed } }];
    const text = renderSummary(
      summarise(campaign({ outcome: 'inconclusive', findings }), () => 'x.json'),
      { color: false },
    );

    expect(text.split('\n')[0]).toBe('inconclusive: the only finding did not reproduce on a real API server');
    expect(text).toContain('  ? not confirmed no-lost-update: ');
    expect(text).toContain('embedded only, not confirmed: 0 of 5 on envtest (kube-apiserver 1.36.3) · x.json');
  });

  it('says how much stands behind a green', () => {
    expect(
      renderSummary(
        summarise(campaign(), () => undefined),
        { color: false },
      ),
    ).toBe(
      [
        'all properties hold',
        'seed 42 · 1500 runs in 2.0 s, 750/s · 15 made twice, byte-equal · conflicts: 12, foreign writes between read and write: 3',
        'no failure in 1500 runs: a run like these fails with p < 0.002 (95 %)',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [
      'vacuous',
      { conflicts: 0, staleReads: 0, faults: 7 },
      'in none of 1500 runs did the target meet a conflict, act on',
    ],
    ['holds', {}, 'just changed; no other fault was injected'],
    ['holds', { conflicts: 2, staleReads: 3 }, 'in 1500 runs the target met 2 conflicts and acted on 3 stale reads'],
  ] as const)('says of one that is %s with %o how little it proves', (outcome, contention, text) => {
    const summary = summarise(campaign({ outcome, contention }), () => undefined);

    const rendered = renderSummary(summary, { color: false });

    expect(rendered).toContain('this proves little: ');
    expect(rendered).toContain(text);
    expect(rendered).not.toContain('95 %');
  });

  it('is not plainly green when something was not tried, or a warning says that little was', () => {
    const untested = { holds: 9, violated: 0, inconclusive: 0, vacuous: false, untested: true } as const;
    const { perProperty } = campaign();
    const result = campaign({ perProperty: { ...perProperty, 'one-active-leader': untested }, warnings: ['w'] });
    const text = renderSummary(
      summarise(result, () => undefined),
      { color: true },
    );

    expect(text).toContain('all properties hold that were put to the test, with this warning:');
    expect(text).toContain('\nwarning: w\nseed 42');
    expect(text).toContain('not put to the test: one-active-leader');
    expect(text).not.toContain('\u001B[32m');
  });

  it('is not plainly green with a finding that fails no run', () => {
    const text = renderSummary(
      summarise(campaign({ outcome: 'holds', findings: [lostUpdate()] }), () => undefined),
      { color: false },
    );

    expect(text).toMatch(/^all properties hold, but for 1 finding under pathological conditions/);
    expect(text).toContain('  – pathological no-lost-update: ');
  });

  it('says why nothing was searched', () => {
    const text = renderSummary(
      summarise(campaign({ outcome: 'inconclusive', runs: 0 }), () => undefined),
      { color: false },
    );

    expect(text).toContain('no trial was made: the undisturbed runs before the search took all the time');
  });

  it('says of runs without an opinion what the target did in one, and what to do', () => {
    const reason = 'convergence: the run never came to rest';
    const example = 'to the end, the target was busy with update widgets/a (41 times)';
    const inconclusive = { count: 3, reasons: { [reason]: 3 }, examples: { [reason]: example } };
    const text = renderSummary(
      summarise(campaign({ outcome: 'inconclusive', inconclusive }), () => undefined),
      { color: false },
    );

    expect(text).toContain(`  3 × ${reason}\n    ${example}\n    → if it polls by nature`);
  });

  it('says that it was stopped early, also where it has found something', () => {
    const headline = (result: Partial<CampaignResult>): string =>
      renderSummary(
        summarise(campaign(result), () => undefined),
        { color: false },
      ).split('\n')[0] ?? '';
    const stopped = { besides: 'interrupted' } as const;

    expect(headline({ ...stopped, outcome: 'violated' })).toMatch(/, stopped early$/);
    expect(headline({ ...stopped, outcome: 'interrupted' })).toBe('stopped early: findings until then are saved');
    expect(headline({ ...stopped, outcome: 'interrupted', runs: 0 })).toBe(
      'stopped early, before anything was searched',
    );
    expect(headline({ outcome: 'violated' })).not.toContain('stopped');
    expect(summarise(campaign(stopped), () => undefined)).toMatchObject({ stoppedEarly: true });
  });

  it('lists findings, doubts and warnings', () => {
    const text = renderSummary(
      summarise(
        campaign({
          outcome: 'violated',
          findings: [lostUpdate()],
          warnings: ['2 writes at rest'],
          inconclusive: { count: 15, reasons: { 'never settled': 15 } },
          perProperty: { survival: { holds: 0, violated: 0, inconclusive: 0, vacuous: true } },
        }),
        () => 'failures/x.json',
      ),
      { color: false },
    );

    expect(text).toContain('1 distinct finding\n');
    expect(text).toContain('✗ no-lost-update: controller reverted');
    expect(text).toContain('1 run · failures/x.json');
    expect(text).toContain('not put to the test: survival');
    expect(text).toContain('inconclusive: 15 runs (1.0 %)\n  15 × never settled');
    expect(text).toContain('warning: 2 writes at rest');
  });
});

describe('progressLine', () => {
  const facts = { runs: 10, runsPerSecond: 812.4, findings: 1, remainingMs: 40_100, phase: 'search' };

  it('rewrites one line on a terminal and takes it away again', () => {
    const written: string[] = [];
    const line = progressLine({ write: (text: string) => written.push(text), isTTY: true, columns: 40 });

    line.show(facts);
    line.clear();

    expect(written).toEqual(['\r\u001B[Ksearch · 10 runs · 812/s · 1 finding · ', '\r\u001B[K']);
  });

  it('writes plain lines elsewhere: at a new phase and each time the runs have doubled', () => {
    const written: string[] = [];
    const line = progressLine({ write: (text: string) => written.push(text) });

    for (const runs of [1, 500, 1000, 1500, 2000, 9000]) line.show({ ...facts, runs });

    expect(written.map((text) => text.split(' · ')[1])).toEqual(['1 run', '1000 runs', '2000 runs', '9000 runs']);
    expect(written.every((text) => text.endsWith('\n') && !text.includes('\r'))).toBe(true);
  });

  it('writes a line for fewer runs where each takes a second, and counts none before the first', () => {
    const written: string[] = [];
    const line = progressLine({ write: (text: string) => written.push(text) });

    for (const runs of [0, 1, 10, 15, 20, 45]) line.show({ ...facts, runs, runsPerSecond: 1.5 });

    expect(written.map((text) => text.split(' · ')[1])).toEqual(['41 s left\n', '10 runs', '20 runs', '45 runs']);
  });

  it('writes a line after twenty seconds at the latest, also where the budget is a number of runs', () => {
    const written: string[] = [];
    let now = 0;
    const line = progressLine({ write: (text: string) => written.push(text) }, () => now);
    const { remainingMs: _, ...endless } = facts;

    for (now of [0, 15_000, 20_000, 35_000, 45_000])
      line.show({ ...endless, runs: now / 1000 + 1, runsPerSecond: 900 });

    expect(written.map((text) => text.split(' · ')[1])).toEqual(['1 run', '21 runs', '46 runs']);
  });

  it('says which undisturbed run it is at while the target is measured', () => {
    const measuring = { runs: 0, runsPerSecond: 0, findings: 0, phase: 'references' };

    expect(progressText({ ...measuring, undisturbed: 4 })).toBe('running it undisturbed · run 4');
    expect(progressText({ ...measuring, undisturbed: 0 })).toBe('running it undisturbed');
  });

  it.each([
    ['search', 'time is up: ending the last runs'],
    ['shrink', 'time is up'],
    ['load', 'time is up'],
  ])('says what is still done when the time is over: %s', (phase, text) => {
    expect(
      progressText({ ...facts, phase, remainingMs: 0 })
        .split(' · ')
        .at(-1),
    ).toBe(text);
  });

  it('leaves the time out when the budget is a number of runs', () => {
    expect(progressText({ runs: 1, runsPerSecond: 3, findings: 0, phase: 'shrink' })).toBe(
      'shrinking a suspected violation · 1 run · 3.0/s · 0 findings',
    );
  });
});
