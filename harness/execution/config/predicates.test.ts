import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { History, Revision } from '../../model/history.ts';
import { always, eventually, sometimes } from './predicates.ts';

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

it('names the change of another object that breaks a claim about all of them', () => {
  const single = {
    name: 'single',
    resource: 'pods',
    check: (_: KubeObject, objects: readonly KubeObject[]) => objects.filter(({ kind }) => kind === 'Job').length < 2,
  };
  const job = (index: number, actor: string): Revision => {
    const place = { resource: 'jobs.batch', namespace: 'default', name: `j${index}`, uid: `j${index}` };
    const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: `j${index}` } };
    return { ...place, op: index, actor, revision: index, type: 'ADDED', object, at: 10 + index, timeMs: 0 };
  };
  const with2 = (actor: string): History => {
    const history = historyOf(['Running', 'Running'], REST);
    return { ...history, revisions: [...history.revisions, job(5, 'controller'), job(6, actor)] };
  };

  expect(always(single).check(with2('controller'))).toMatchObject({
    result: 'violated',
    violations: [
      {
        sentence: 'single does not hold for pods web/p~1 once controller has created jobs.batch j6 (version 6)',
        operations: [6],
        revisions: [6],
      },
    ],
  });
  expect(always(single).check(with2('writer-1')).result).toBe('holds');
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
      reason: 'the run never came to rest, and the claim is about objects at rest',
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

describe('sometimes', () => {
  const succeeds = { ...running, name: 'succeeds', check: (object: KubeObject) => phaseOf(object) === 'Succeeded' };

  it('holds in every run, and tells whether it came true in one', () => {
    const never = historyOf(['Pending', 'Running'], REST);
    const once = historyOf(['Pending', 'Succeeded', 'Running'], REST);

    expect(sometimes(succeeds).check(never)).toEqual({ result: 'holds' });
    expect(sometimes(succeeds).reached?.(never)).toBe(false);
    expect(sometimes(succeeds).reached?.(once)).toBe(true);
  });

  it('has not come true where it cannot be asked', () => {
    const claim = { name: 'ready', resource: 'pods', cel: "object.status.ready == 'yes'" };

    expect(sometimes(claim).reached?.(historyOf(['Pending', 'Running'], REST))).toBe(false);
  });
});

describe('a claim in CEL', () => {
  const claim = { name: 'runs', resource: 'pods', cel: "object.status.phase in ['Pending', 'Running']" };

  it('is judged as a function would be, and quoted where it does not hold', () => {
    expect(always(claim).check(historyOf(['Pending', 'Running'], REST))).toEqual({ result: 'holds' });
    expect(always(claim).check(historyOf(['Pending', 'Running', 'Failed'], REST))).toMatchObject({
      violations: [{ sentence: expect.stringContaining(`: "${claim.cel}" is false`), revisions: [2] }],
    });
    expect(eventually(claim).check(historyOf(['Running', 'Failed'], REST)).result).toBe('violated');
  });

  it('compares a change with the version before it, and does not ask that of what has just been created', () => {
    const change = { ...claim, cel: "oldObject.status.phase != 'Running' || object.status.phase == 'Running'" };
    const history = historyOf(['Pending', 'Running', 'Pending'], REST);
    const revisions = history.revisions.map((revision, index): Revision => {
      const before = history.revisions[index - 1]?.object;
      return before === undefined ? { ...revision, type: 'ADDED' } : { ...revision, before };
    });

    expect(always(change).check({ ...history, revisions: revisions.slice(0, 2) })).toEqual({ result: 'holds' });
    expect(always(change).check({ ...history, revisions })).toMatchObject({ violations: [{ revisions: [2] }] });
  });

  it('sees everything else that exists at that moment', () => {
    const alone = {
      ...claim,
      cel: 'objects.all(one, one.metadata.name == object.metadata.name) && size(objects) == 1',
    };

    expect(always(alone).check(historyOf(['Pending', 'Running'], REST))).toEqual({ result: 'holds' });
    expect(eventually({ ...alone, cel: 'size(objects) == 2' }).check(historyOf(['Running'], REST)).result).toBe(
      'violated',
    );
  });

  it('is not evaluated in silence where something is absent', () => {
    const absent = { ...claim, cel: 'object.spec.replicas > 0' };

    expect(() => always(absent).check(historyOf(['Pending', 'Running'], REST))).toThrow(
      /no such key.*check has\(…\) first/,
    );
  });

  it.each([
    ["object.status.phase == 'Running", /the claim "runs" is not a valid CEL expression: ERROR: <input>:1:\d+/],
    ['objekt.status.phase == ""', /undeclared reference to 'objekt'/],
    ['"text"', /it gives a string; expected one over "object", "oldObject" and "objects" that is true or false/],
  ])('is refused at once when it is %s', (cel, message) => {
    expect(() => always({ ...claim, cel })).toThrow(message);
  });

  it('knows no former version of what is at rest', () => {
    expect(() => eventually({ ...claim, cel: 'oldObject == object' })).toThrow(/oldObject/);
  });
});

function phaseOf(object: KubeObject): unknown {
  return (object['status'] as { readonly phase?: string } | undefined)?.phase;
}
