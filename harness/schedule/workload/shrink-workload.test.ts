import { describe, expect, test } from 'vitest';
import type { ObjectTarget, Program, ProgramOp, Workload } from '../../model/workload.ts';
import { shrinkWorkload } from './shrink-workload.ts';

const TARGET: ObjectTarget = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'a' };

function set(value: number, via: 'update' | 'merge-patch' | 'json-patch' = 'merge-patch'): ProgramOp {
  return { do: 'set', target: TARGET, path: ['data', 'a'], value, via };
}

const APPEND: ProgramOp = { do: 'append', target: TARGET, path: ['metadata', 'finalizers'], item: 'x/y' };
const REMOVE: ProgramOp = { do: 'remove-item', target: TARGET, path: ['metadata', 'finalizers'], item: 'x/y' };

function program(actor: string, ops: readonly ProgramOp[], heal?: readonly ProgramOp[]): Program {
  return { actor, writer: 'test', ops, ...(heal === undefined ? {} : { heal }) };
}

function workload(programs: readonly Program[], start: Workload['start'] = 'settled'): Workload {
  return { version: 1, start, sample: [], programs };
}

/** Formats programs as `actor:values`, so that they are easy to compare. */
function shape({ start, programs }: Workload): string {
  const text = programs.map(
    ({ actor, ops }) => `${actor}:${ops.map((op) => (op.do === 'set' ? JSON.stringify(op.value) : op.do)).join(',')}`,
  );
  return `${start} ${text.join(' ')}`.trim();
}

test('drops programs first, then operations, then starts settled', () => {
  const from = workload([program('user', [set(1)]), program('writer-1', [set(2), set(3)])], 'empty');

  expect([...shrinkWorkload(from)].map(shape)).toEqual([
    'empty',
    'empty writer-1:2,3',
    'empty user:1',
    'empty user:1 writer-1:3',
    'empty user:1 writer-1:2',
    'settled user:1 writer-1:2,3',
  ]);
});

test('tries halves of longer programs before single operations', () => {
  const [, first, second] = [...shrinkWorkload(workload([program('writer-1', [set(1), set(2), set(3), set(4)])]))];

  expect([first, second].map((candidate) => candidate && shape(candidate))).toEqual([
    'settled writer-1:1,2',
    'settled writer-1:3,4',
  ]);
});

describe('simpler operations', () => {
  const simplified = (op: ProgramOp): readonly (ProgramOp | undefined)[] =>
    [...shrinkWorkload(workload([program('writer-1', [op])]))].slice(1).map(({ programs }) => programs[0]?.ops[0]);

  test('are merge patches, where the path allows them', () => {
    expect(simplified(set(1, 'update'))).toEqual([set(1)]);
    expect(simplified(set(1, 'json-patch'))).toEqual([set(1)]);
    expect(simplified({ ...set(1, 'update'), path: ['list', { name: 'a' }, 'x'] } as ProgramOp)).toEqual([]);
  });

  test('are deletions without recreation and policy', () => {
    const recreate = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const full: ProgramOp = { do: 'delete', target: TARGET, propagation: 'Foreground', recreate };

    expect(simplified(full)).toEqual([
      { do: 'delete', target: TARGET, propagation: 'Foreground' },
      { do: 'delete', target: TARGET, recreate },
    ]);
  });
});

test('undoes at heal only what is still done', () => {
  const candidates = [...shrinkWorkload(workload([program('writer-1', [APPEND, set(1)], [REMOVE])]))];

  const healing = candidates.map(({ programs }) => [programs[0]?.ops.length ?? 0, programs[0]?.heal]);

  expect(healing).toEqual([
    [0, undefined],
    [1, undefined],
    [1, [REMOVE]],
  ]);
});

test('does at once what waited', () => {
  const candidates = [...shrinkWorkload(workload([program('user', [{ ...set(1), afterMs: 300_000 }])]))];

  expect(candidates.map(({ programs }) => programs[0]?.ops)).toContainEqual([set(1)]);
});

test('ends when every candidate is taken', () => {
  let current = workload(
    [program('user', [set(1, 'update')]), program('writer-1', [set(2), set(3), APPEND], [REMOVE])],
    'empty',
  );
  let taken = 0;
  for (;;) {
    // Always take the last candidate, which makes the least progress.
    const next = [...shrinkWorkload(current)].at(-1);
    if (next === undefined) break;
    current = next;
    taken++;
    expect(taken).toBeLessThan(20);
  }

  expect(shape(current)).toBe('settled');
});
