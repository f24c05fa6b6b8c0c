import { describe, expect, it } from 'vitest';
import type { History, Revision } from '../model/history.ts';
import type { KubeObject } from '../model/object.ts';
import { always, eventually } from './predicates.ts';

function pod(revision: number, phase: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', resourceVersion: String(revision) },
    status: { phase },
  };
}

function historyOf(phases: readonly string[], settlement: History['settlement']): History {
  const revisions = phases.map((phase, index): Revision => {
    const place = { resource: 'pods', namespace: 'default', name: 'p', uid: 'u', op: index, actor: 'controller' };
    return { ...place, revision: index, type: 'MODIFIED', object: pod(index, phase), at: 10 + index, timeMs: 0 };
  });
  return {
    version: 1,
    phases: [{ phase: 'contention', at: 11, timeMs: 0 }],
    operations: [],
    revisions,
    deliveries: [],
    streamEnds: [],
    processes: [],
    decisions: [],
    settlement,
    steps: 0,
    names: { u: 'web/p~1' },
    missed: [],
    probes: [],
  };
}

const REST: History['settlement'] = { result: 'quiescent', windowMs: 1 };
const running = {
  name: 'runs',
  resource: 'pods',
  check: (object: KubeObject) => JSON.stringify(object['status']).includes('Running') || 'it does not run',
};

describe('always', () => {
  it('holds when every version since contention satisfies it', () => {
    expect(always(running).check(historyOf(['Pending', 'Running'], REST)).result).toBe('holds');
  });

  it('names the version, its writer and the reason', () => {
    const result = always(running).check(historyOf(['Pending', 'Running', 'Failed', 'Running'], REST));

    expect(result).toMatchObject({
      result: 'violated',
      violations: [
        {
          sentence: 'runs does not hold for pods web/p~1 at version 2, written by controller: it does not run',
          operations: [2],
          revisions: [2],
        },
      ],
    });
  });
});

describe('eventually', () => {
  it('asks for the state at rest only', () => {
    expect(eventually(running).check(historyOf(['Running', 'Failed', 'Running'], REST)).result).toBe('holds');
    expect(eventually(running).check(historyOf(['Running', 'Running', 'Failed'], REST))).toMatchObject({
      result: 'violated',
    });
  });

  it('has no opinion about a run that never came to rest', () => {
    expect(eventually(running).check(historyOf(['Running'], { result: 'steps-exceeded', steps: 9 }))).toEqual({
      result: 'inconclusive',
      reason: 'never at rest (steps-exceeded)',
    });
  });

  it('shows the predicate everything that exists', () => {
    const seen: number[] = [];
    const counting = {
      ...running,
      check: (_: KubeObject, objects: readonly KubeObject[]) => seen.push(objects.length) > 0,
    };

    eventually(counting).check(historyOf(['Running', 'Running'], REST));

    expect(seen).toEqual([1]);
  });
});
