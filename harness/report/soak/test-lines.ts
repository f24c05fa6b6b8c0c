/** Lines of soaks for tests. */
import type { BatchResult, SoakEntry, SoakLine, SoakRecord } from '../../model/soak.ts';
import { sketchOf } from '../../model/sketch.ts';
import { recordOf } from '../record.ts';
import { STATS, lostUpdate } from '../test-findings.ts';

type Placeless<L> = L extends SoakLine ? Omit<L, 'version' | 'kind' | 'about' | 'epoch' | 'at' | 'shard'> : never;

/** Makes a line of a shard, with its text as in a file. */
export function entry(shard: string, line: Placeless<SoakLine>, minute = 0): SoakEntry {
  const at = `2026-11-22T03:${String(minute).padStart(2, '0')}:00.000Z`;
  const whole: SoakLine = { version: 1, kind: 'soak-line', about: 'a1', epoch: '2026-11-22', shard, at, ...line };
  return { line: whole, text: JSON.stringify(whole) };
}

export function head(shard: string): SoakEntry {
  return entry(shard, {
    line: 'about',
    name: 'controller.ts with Widget/a',
    target: 'controller.ts',
    cluster: 'embedded',
    file: null,
    properties: [{ name: 'no-lost-update', about: 'an acknowledged change stays' }],
    contended: true,
    seed: 5,
    budget: { timeMs: 60_000 },
    program: null,
  });
}

export function batchResult(parts: Partial<BatchResult> = {}): BatchResult {
  return {
    seed: 1,
    writers: ['deleter'],
    faults: [],
    strategies: null,
    start: null,
    interrupted: false,
    diverged: false,
    runs: 100,
    verified: 2,
    elapsedMs: 1000,
    contention: { conflicts: 3, staleReads: 2 },
    counts: {},
    perProperty: { 'no-lost-update': { holds: 100, violated: 0, inconclusive: 0, vacuous: false } },
    inconclusive: { count: 0, reasons: {} },
    warnings: [],
    measures: { requestsPerRun: 10, requestsUndisturbed: 7 },
    behaviours: sketchOf([1, 2, 3]),
    situations: ['target update widgets 200'],
    ...parts,
  };
}

/** Makes a larger or smaller finding about a field. */
export function finding(field: string, stats: Partial<SoakRecord['stats']> = {}): SoakRecord {
  const base = lostUpdate();
  const signature = { ...base.violation.signature, field };
  return recordOf({
    ...base,
    violation: { ...base.violation, signature },
    stats: { ...STATS, ...stats },
  }) as SoakRecord;
}
