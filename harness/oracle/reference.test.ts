import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import { buildReference, type ReferenceRun } from './reference.ts';
import { historyBuilder, manifest } from './test-history.ts';

/** Returns an undisturbed run in which the target creates a node, and a user changes it once contention has begun. */
function run(zone: string | undefined, changedTo?: string): History {
  const history = historyBuilder();
  history.create(
    'controller',
    'nodes',
    manifest('Node', 'n', { spec: { size: 1, ...(zone === undefined ? {} : { zone }) } }),
  );
  history.phase('contention');
  if (changedTo !== undefined)
    history.call('user', 'patch', 'nodes', 'n', {
      body: { spec: { zone: changedTo } },
      contentType: 'application/merge-patch+json',
    });
  return history.build();
}

function volatileIn(...settled: readonly History[]): readonly string[] | undefined {
  const base = Array.from({ length: 3 }, (): ReferenceRun => ({ kind: 'base', history: run('a') }));
  const further = settled.map((history): ReferenceRun => ({ kind: 'spec-change', history }));
  return buildReference([...base, ...further], []).volatileLeaves['nodes:n'];
}

describe('values that vary', () => {
  it('are found where all repetitions drew the same one of a few', () => {
    expect(volatileIn(run('a'), run('a'), run('b'))).toEqual(['spec.zone']);
  });

  it('are not those that a further run changes by itself', () => {
    expect(volatileIn(run('a'), run('a', 'c'))).toBeUndefined();
  });

  it('are not those that one run has not yet', () => {
    expect(volatileIn(run('a'), run(undefined))).toBeUndefined();
  });
});
