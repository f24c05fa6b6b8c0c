import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SoakEntry, SoakLine, SoakLineOf } from '../../model/soak.ts';
import { signatureText } from '../../model/signature.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { runPage } from '../html/run/run-page.ts';
import { FORMATS } from '../run/formats.ts';
import { makeRun, makeScenario } from '../run/make-document.ts';
import { recordingOf } from '../record.ts';
import { lostUpdate } from '../test-findings.ts';
import { renderSummary } from '../summary-text.ts';
import { summarise, summarySchema } from '../summary.ts';
import { mergeSoak } from './merge.ts';
import { soakBudgetText } from './text.ts';
import { batchResult, entry, finding, head } from './test-lines.ts';

const REPLICAS = finding('spec.replicas');
const BUSY = 'convergence: busy';
const SIGNATURE = signatureText(REPLICAS.violation.signature);

/** Returns everything that is reported to a person or a program, as one text. */
function told(entries: readonly SoakEntry[]): string {
  const soaks = mergeSoak(entries, { allShards: true });
  const paths = { counterexample: 'out/failures/f.json', record: 'out/records/f.json', page: 'out/reports/f.html' };
  const scenarios = soaks.map(({ about, budget, result }) =>
    makeScenario(result, { ...about, budget: soakBudgetText(budget, 2), pathsOf: () => paths }),
  );
  const run = makeRun(scenarios, { stalemate: '0', node: '0' });
  return [
    ...soaks.map(({ result }) =>
      renderSummary(
        summarise(result, () => 'f.json'),
        { color: false },
      ),
    ),
    ...Object.values(FORMATS).map(({ render }) => render(run)),
    runPage(run, (path) => path),
  ].join('\n');
}

function only(entries: readonly SoakEntry[], allShards = true): ReturnType<typeof mergeSoak>[number] {
  const [soak] = mergeSoak(entries, { allShards });
  if (soak === undefined) throw new Error('expected a soak');
  return soak;
}

/** Two shards: one found a bug twice and was killed once, the other found a smaller example of that bug and a second bug. */
const LINES: readonly SoakEntry[] = [
  head('1/2'),
  entry('1/2', { line: 'begun', batch: 0 }),
  entry('1/2', { line: 'finding', batch: 0, record: finding('spec.replicas', { preemptions: 3 }) }, 1),
  entry('1/2', { line: 'batch', batch: 0, result: batchResult({ counts: { [SIGNATURE]: 4 } }) }, 2),
  entry('1/2', { line: 'begun', batch: 1 }, 3),
  entry('1/2', { line: 'finding', batch: 1, record: finding('spec.replicas', { preemptions: 2 }) }, 4),
  entry('1/2', { line: 'begun', batch: 2 }, 5),
  entry('1/2', { line: 'batch', batch: 2, result: batchResult({ situations: ['target get pods 404'], runs: 50 }) }, 6),
  entry('1/2', { line: 'ended' }, 7),
  head('2/2'),
  entry('2/2', { line: 'begun', batch: 0 }, 2),
  entry('2/2', { line: 'finding', batch: 0, record: REPLICAS }, 8),
  entry('2/2', { line: 'finding', batch: 0, record: finding('metadata.labels') }, 9),
  entry('2/2', { line: 'batch', batch: 0, result: batchResult({ counts: { [SIGNATURE]: 1 }, warnings: ['w'] }) }, 10),
  // The same shard on another machine, which made less progress.
  entry('2/2', { line: 'batch', batch: 0, result: batchResult({ runs: 20, elapsedMs: 333 }) }, 11),
  entry('2/2', { line: 'failed', batch: 1, message: 'no API server' }, 12),
  entry('2/2', { line: 'ended' }, 13),
];

/** A shard's inconclusive run, with notes that identify it. */
function unjudged(shard: string, notes: readonly string[]): SoakEntry {
  const inconclusive = { property: 'convergence', reason: 'busy', schedule: EMPTY_SCHEDULE };
  const recording = recordingOf({ ...inconclusive, history: lostUpdate().record });
  return entry(shard, { line: 'inconclusive', batch: 0, recording: { ...recording, notes } }, 1);
}

describe('shards of a soak', () => {
  it('give the same report in any order, with any of them twice', () => {
    const whole = told(LINES);

    fc.assert(
      fc.property(
        fc.shuffledSubarray([...LINES], { minLength: LINES.length, maxLength: LINES.length }),
        fc.array(fc.nat(LINES.length - 1), { maxLength: LINES.length }),
        (shuffled, again) => {
          expect(told([...shuffled, ...again.map((index) => LINES[index] as SoakEntry)])).toBe(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('show one run of each reason why nothing can be said, the shortest of all shards', () => {
    const kept = LINES.concat(unjudged('1/2', ['first', 'second']), unjudged('2/2', ['one']));
    const busy = entry('2/2', {
      ...{ line: 'batch', batch: 3 },
      result: batchResult({ inconclusive: { count: 2, reasons: { [BUSY]: 2 } } }),
    });

    const { about, budget, result, unjudged: runs } = only([...kept, busy]);
    const scenario = makeScenario(result, {
      ...{ ...about, budget: soakBudgetText(budget, 2) },
      pathsOf: () => ({ counterexample: null, record: null, page: null }),
      unjudgedPageOf: (reason) => (reason === BUSY ? 'out/reports/busy.html' : undefined),
    });
    const page = runPage(makeRun([scenario], { stalemate: '0', node: '0' }), (path) => `to/${path}`);

    expect(runs.map(({ notes }) => notes)).toEqual([['one']]);
    expect(page).toContain(`2 × <a href="to/out/reports/busy.html">${BUSY}</a>`);
  });

  it('count what is called as something that every object has', () => {
    const names = { constructor: { holds: 4, violated: 0, inconclusive: 0, vacuous: false, untested: true as const } };
    const result = batchResult({ perProperty: names, contention: { valueOf: 2 } });

    const { result: sum } = only([head('1/1'), entry('1/1', { line: 'batch', batch: 0, result })]);

    expect(sum.perProperty).toEqual(names);
    expect(sum.contention).toMatchObject({ valueOf: 2 });
  });

  it('say that their times are added up, and each finding from which line it is', () => {
    const { result, examples } = only(LINES);

    expect(told(LINES)).toContain('250 runs in 3.0 s added up over 2 shards, 83.3/s');
    expect(examples.map(({ record }) => record.violation)).toEqual(result.findings.map(({ violation }) => violation));
    expect(examples.map(({ shard, batch }) => `${shard} ${batch}`)).toEqual(['2/2 0', '2/2 0']);
  });

  it('add up to how much stands behind the outcome', () => {
    const { result, budget } = only(LINES);

    expect(result).toMatchObject({
      outcome: 'violated',
      runs: 250,
      contention: { conflicts: 9, staleReads: 6, distinctBehaviours: 3 },
      perProperty: { 'no-lost-update': { holds: 300, vacuous: false } },
      soak: {
        shards: ['1/2', '2/2'],
        batches: 3,
        cutShort: 1,
        failed: 1,
        situations: 2,
        situationsOnce: 1,
        unfinished: [],
      },
      warnings: ['a batch failed: no API server', 'w'],
    });
    expect(budget).toEqual({ timeMs: 60_000 });
    expect(told(LINES).match(/6 runs, first 2026-11-22 03:01, last 2026-11-22 03:10/g)).toHaveLength(2);
    expect(summarySchema.parse(summarise(result, () => undefined)).soak).toBeDefined();
  });

  it('keep of each finding the smallest example, first, last and how often', () => {
    const { result } = only(LINES);

    expect(
      result.findings.map(({ violation, stats, seen }) => [
        violation.signature.field,
        stats.preemptions,
        stats.count,
        seen,
      ]),
    ).toEqual([
      ['metadata.labels', 1, 1, { first: '2026-11-22T03:09:00.000Z', last: '2026-11-22T03:09:00.000Z' }],
      // Four in the first shard, one in the batch that was interrupted, one in the other shard.
      ['spec.replicas', 1, 6, { first: '2026-11-22T03:01:00.000Z', last: '2026-11-22T03:10:00.000Z' }],
    ]);
  });

  it('tell what a real server said of an example, which changes nothing else', () => {
    const at = LINES.findIndex(({ line }) => line.line === 'finding' && line.record.stats.preemptions === 1);
    const { line } = LINES[at] as { readonly line: SoakLineOf<'finding'> };
    const confirmed = { cluster: 'envtest', server: 'kube-apiserver 1.36.3', reproduced: { k: 5, n: 5 } } as const;
    const { counterexample } = line.record;
    const asked = { ...line, record: { ...line.record, counterexample: { ...counterexample, confirmed } } };
    const { result } = only([...LINES, { line: asked, text: JSON.stringify(asked) }]);

    expect(told(LINES)).toContain('embedded only');
    const { findings, ...rest } = only(LINES).result;
    expect(result).toEqual({
      ...rest,
      findings: findings.map((one) =>
        one.counterexample === counterexample ? { ...one, counterexample: asked.record.counterexample } : one,
      ),
    });
    expect(result.findings.filter((one) => one.counterexample.confirmed !== undefined)).toHaveLength(1);
  });

  it('are not finished while one is missing or has time left', () => {
    const green = [head('2/3'), entry('2/3', { line: 'batch', batch: 0, result: batchResult() })];

    expect(only(green).result).toMatchObject({
      outcome: 'interrupted',
      soak: {
        unfinished: [
          'shard 1/3 of 2026-11-22 is missing',
          'shard 2/3 of 2026-11-22 has not used up its budget',
          'shard 3/3 of 2026-11-22 is missing',
        ],
      },
    });
    expect(only([...green, entry('2/3', { line: 'ended' })], false).result.outcome).toBe('holds');
  });

  it('are not finished while one goes on behind its end, with more time', () => {
    const batch = (number: number, minute: number): SoakEntry =>
      entry('1/1', { line: 'batch', batch: number, result: batchResult() }, minute);
    const longer = { ...head('1/1').line, at: '2026-11-22T03:03:00.000Z', budget: { timeMs: 120_000 } } as SoakLine;
    const lines = [
      head('1/1'),
      batch(0, 1),
      entry('1/1', { line: 'ended' }, 2),
      { line: longer, text: JSON.stringify(longer) },
    ];
    const later = [entry('1/1', { line: 'begun', batch: 1 }, 4), batch(1, 5)];

    expect(only(lines.slice(0, 3)).result.outcome).toBe('holds');
    for (const open of [lines, [...lines, ...later], [...lines.slice(0, 3), ...later]])
      expect(only(open).result.soak?.unfinished).toEqual(['shard 1/1 of 2026-11-22 has not used up its budget']);
    const { result, budget } = only([...lines, ...later, entry('1/1', { line: 'ended' }, 6)]);
    expect(result.outcome).toBe('holds');
    expect(budget).toEqual({ timeMs: 120_000 });
  });

  it('say with a green how seldom a run can fail', () => {
    const green = [
      head('1/1'),
      entry('1/1', { line: 'batch', batch: 0, result: batchResult() }),
      entry('1/1', { line: 'ended' }),
    ];

    expect(told(green)).toContain('no failure in 100 runs: a run like these fails with p < 0.03 (95 %)');
  });

  it('stay apart where they are about something else', () => {
    const other = entry('1/1', { line: 'batch', batch: 0, result: batchResult() });
    const foreign = [head('1/1'), other].map(({ line }) => {
      const moved = { ...line, about: 'b2' };
      return { line: moved, text: JSON.stringify(moved) };
    });

    expect(mergeSoak([...LINES, ...foreign], { allShards: true }).map(({ result }) => result.runs)).toEqual([250, 100]);
  });

  it('tell of kept findings and of budgets the worst that any start says', () => {
    const kept = (outcome: 'fails' | 'holds'): SoakLineOf<'judged'>['kept'] => [
      {
        ...{
          name: 'lost-update-1',
          state: 'fixed',
          outcome,
          regression: outcome === 'fails',
          property: 'no-lost-update',
        },
        ...{ signature: 's', sentence: 'a change is gone', reason: '', reproduced: { k: 1, n: 1 }, missedAnchors: [] },
      },
    ];
    const check = { name: 'requestsPerRun', baseline: 10, limit: 15 } as const;
    const budgets = (measured: number) => [{ ...check, measured, exceeded: measured > 15 }];
    const { corpus, budgets: over } = only([
      head('1/1'),
      entry('1/1', { line: 'judged', kept: kept('holds'), budgets: [] }),
      entry('1/1', { line: 'judged', kept: kept('fails'), budgets: budgets(20) }, 1),
      entry('1/1', { line: 'judged', kept: kept('holds'), budgets: budgets(12) }, 2),
    ]);

    expect(corpus?.entries).toEqual(kept('fails'));
    expect(over).toEqual(budgets(20));
  });

  it('tell a leak of each machine by itself', () => {
    const use = (from: number, grows: number): NonNullable<ReturnType<typeof batchResult>['use']> => {
      const column = Array.from({ length: 60 }, (_, run) => from + grows * run);
      const flat = column.map(() => 9);
      return {
        pids: flat,
        fileDescriptors: column,
        threads: flat,
        memoryKb: flat,
        requests: flat,
        counted: 0,
        reconciles: {},
      };
    };
    const of = (grows: number): string =>
      renderSummary(
        summarise(
          only([
            ...[head('1/2'), entry('1/2', { line: 'batch', batch: 0, result: batchResult({ use: use(10, grows) }) })],
            ...[head('2/2'), entry('2/2', { line: 'batch', batch: 0, result: batchResult({ use: use(500, grows) }) })],
          ]).result,
          () => undefined,
        ),
        { color: false },
      );

    expect(of(1)).toContain('grows by 1 file descriptors a run, over 60 runs of one process');
    expect(of(0)).toContain('steady over 60 runs of one process');
  });
});
