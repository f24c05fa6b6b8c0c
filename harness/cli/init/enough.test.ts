import { expect, it } from 'vitest';
import type { Summary } from '../../report/summary.ts';
import { lackingText } from './enough.ts';

const summary = (
  runs: number,
  conflicts: number,
  staleReads: number,
  outcome: Summary['outcome'] = 'holds',
): Summary => ({
  ...{ version: 1, outcome, seed: 1, runs, verified: 0, elapsedMs: 60_000, contention: { conflicts, staleReads } },
  ...{ findings: [], inconclusive: { count: 0, reasons: {} }, perProperty: {}, warnings: [] },
});

it('takes twenty runs with ten conflicts and ten stale reads for enough', () => {
  expect(lackingText(summary(20, 10, 10), 'stalemate')).toBeUndefined();
});

it('takes writes that others overtook for conflicts of a target whose writes are never refused', () => {
  const { contention, ...rest } = summary(20, 0, 10);
  const overtaken = (count: number): Summary => ({
    ...rest,
    contention: { ...contention, foreignWritesBetweenReadAndWrite: count },
  });

  expect(lackingText(overtaken(10), 'stalemate')).toBeUndefined();
  expect(lackingText(overtaken(9), 'stalemate')).toContain('9 conflicts');
});

it.each([
  [19, 10, 10],
  [20, 9, 10],
  [20, 10, 9],
])('says what a run of %d with %d conflicts and %d stale reads lacks, and that time brings it', (...counts) => {
  const text = lackingText(summary(...counts), 'stalemate');

  expect(text).toContain('too few to say that it holds');
  expect(text).toMatch(/; give it more time: stalemate run --budget 10m$/);
});

it('counts no run without a verdict', () => {
  const lacking = { ...summary(20, 10, 10), inconclusive: { count: 1, reasons: {} } };

  expect(lackingText(lacking, 'stalemate')).toContain('too few to say that it holds');
});

it('asks for another sample where many runs met hardly anything', () => {
  expect(lackingText(summary(400, 0, 3), 'stalemate')).toMatch(
    /^400 runs, 0 conflicts and 3 stale reads are too few .*; add a sample that .*: stalemate init --force --sample FILE$/,
  );
});

it.each(['violated', 'vacuous', 'inconclusive'] as const)('says nothing of one that is %s', (outcome) => {
  expect(lackingText(summary(1, 0, 0, outcome), 'stalemate')).toBeUndefined();
});
