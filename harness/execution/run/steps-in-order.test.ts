import { describe, expect, it } from 'vitest';
import type { Program, ProgramOp, Workload } from '../../model/workload.ts';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { stepsInOrder } from './steps-in-order.ts';

const target = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'web' };
const set = (value: string): ProgramOp => ({ do: 'set', target, path: ['data', 'a'], value, via: 'update' });
const made = (steps: readonly Program[]): readonly string[] =>
  steps.map(
    ({ actor, ops }) => `${actor} ${ops.map((op) => ('value' in op ? JSON.stringify(op.value) : op.do)).join(' ')}`,
  );

describe('the steps of a run', () => {
  it('come in the order in which they were made, each as a program of its own', () => {
    const h = historyBuilder();
    h.create('user', 'configmaps', manifest('ConfigMap', 'web'));
    h.phase('contention');
    h.edit('writer-1', 'configmaps', 'web', ['data', 'a'], '1');
    h.edit('user', 'configmaps', 'web', ['data', 'a'], '2');
    h.edit('writer-1', 'configmaps', 'web', ['data', 'a'], '3');
    const programs: readonly Program[] = [
      { actor: 'user', writer: 'spec-churn', ops: [set('2')] },
      { actor: 'writer-1', writer: 'label-toucher', ops: [set('1')], heal: [set('3')] },
    ];

    const workload: Workload = { version: 1, start: 'settled', sample: [], programs };

    expect(made(stepsInOrder(h.phase('heal').phase('settle').build(), workload))).toEqual([
      'writer-1 "1"',
      'user "2"',
      'writer-1 "3"',
    ]);
  });

  it('leave out what applies the sample where a run starts with nothing', () => {
    const h = historyBuilder();
    h.phase('contention');
    h.create('user', 'configmaps', manifest('ConfigMap', 'web'));
    h.edit('writer-1', 'configmaps', 'web', ['data', 'a'], '1');
    h.edit('user', 'configmaps', 'web', ['data', 'a'], '2');
    const programs: readonly Program[] = [
      { actor: 'user', writer: 'spec-churn', ops: [set('2')] },
      { actor: 'writer-1', writer: 'label-toucher', ops: [set('1')] },
    ];
    const workload: Workload = { version: 1, start: 'empty', sample: [manifest('ConfigMap', 'web')], programs };

    expect(made(stepsInOrder(h.phase('heal').phase('settle').build(), workload))).toEqual(['writer-1 "1"', 'user "2"']);
  });

  it('stay in the order of their program if there is no write of theirs', () => {
    const programs: readonly Program[] = [
      { actor: 'user', writer: 'spec-churn', ops: [set('1'), set('2')] },
      { actor: 'writer-1', writer: 'label-toucher', ops: [set('3')] },
    ];

    const workload: Workload = { version: 1, start: 'settled', sample: [], programs };

    expect(made(stepsInOrder(historyBuilder().phase('contention').build(), workload))).toEqual([
      'user "1"',
      'user "2"',
      'writer-1 "3"',
    ]);
  });
});
