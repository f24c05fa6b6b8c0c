import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { History, Operation, Revision } from '../../model/history.ts';
import { emptyHistory } from '../../execution/run/empty-history.ts';
import { effectOf } from './effects.ts';
import { missingKindsIn } from './missing-kinds.ts';

const mark = { at: 1, timeMs: 1 };

function operation(over: Partial<Operation>): Operation {
  return {
    ...{ id: 0, actor: 'controller', label: '', verb: 'get', resource: '', version: 'v1', subresource: '' },
    ...{ namespace: '', name: '', query: {}, invoked: mark, outcome: { type: 'ok', code: 200 }, committed: [] },
    ...over,
  };
}

function revision(resource: string, name: string, over: Partial<Revision> = {}): Revision {
  const object: KubeObject = { apiVersion: 'v1', kind: 'X', metadata: { name } };
  return {
    ...{ ...mark, revision: 1, type: 'ADDED', resource, namespace: 'default', name, uid: name, object },
    ...{ op: 0, actor: 'controller' },
    ...over,
  };
}

function history(
  operations: readonly Operation[],
  revisions: readonly Revision[],
  lines: readonly string[] = [],
): History {
  const logs = lines.map((line) => ({ ...mark, actor: 'controller', line }));
  return { ...emptyHistory(''), settlement: { result: 'quiescent', windowMs: 1 }, operations, revisions, logs };
}

const notFound = { type: 'fail', code: 404, reason: 'NotFound', message: 'not found' } as const;

it('counts children, changes and status writes of the target, and no events, locks or writes of others', () => {
  const lock = {
    apiVersion: 'v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: 'a', renewTime: 'b' },
  };
  const run = history(
    [operation({ id: 0 }), operation({ id: 1, subresource: 'status' })],
    [
      revision('deployments.apps', 'web'),
      revision('configmaps', 'a'),
      revision('configmaps', 'b'),
      revision('widgets.example.com', 'w', { type: 'MODIFIED', op: 1 }),
      revision('events', 'e'),
      revision('leases.coordination.k8s.io', 'l', { object: lock }),
      revision('pods', 'p', { actor: 'workloads' }),
    ],
  );

  const { score, written } = effectOf(run, undefined);

  expect(written).toBe('creates deployments.apps, 2 configmaps; writes the status of widgets.example.com');
  // The second config map adds an eighth; four times the requests halve the score.
  expect(score).toBeCloseTo((4 + 4 * 1.125 + 1) / Math.sqrt(run.operations.length));
});

it('counts half of what never comes to an end', () => {
  const run = history([operation({})], [revision('configmaps', 'a')]);

  expect(effectOf({ ...run, settlement: { result: 'steps-exceeded', steps: 9 } }, undefined)).toMatchObject({
    score: 2,
    restless: true,
  });
});

it.each([
  ['polls', 'get', false],
  ['writes', 'create', true],
] as const)('takes one that only %s to the end for what it is', (_, verb, restless) => {
  const late = operation({ verb, resource: 'pods', invoked: { at: 9, timeMs: 90 } });
  const run = history([{ ...late, outcome: { type: 'fail', code: 404, reason: '', message: '' } }], []);
  const phases = [
    { phase: 'settle', at: 1, timeMs: 0 },
    { phase: 'end', at: 10, timeMs: 100 },
  ] as const;

  expect(effectOf({ ...run, phases, settlement: { result: 'time-exceeded', timeMs: 100 } }, undefined).restless).toBe(
    restless,
  );
});

it('does not count what the target writes without the sample as well', () => {
  const alone = history([operation({})], [revision('secrets', 'own')]);

  expect(effectOf(alone, alone)).toMatchObject({ score: 0, written: '' });
});

it('names what was asked for in vain, and not what the target made itself afterwards', () => {
  const asked = { verb: 'get', outcome: notFound, namespace: 'default' } as const;
  const run = history(
    [
      operation({ ...asked, resource: 'secrets', name: 'token' }),
      operation({ ...asked, resource: 'configmaps', name: 'made' }),
    ],
    [revision('configmaps', 'made')],
  );

  expect(effectOf(run, undefined).wanted).toEqual([{ resource: 'secrets', namespace: 'default', name: 'token' }]);
});

it('names the write that was refused where none succeeded', () => {
  const refusal = { type: 'fail', code: 422, reason: 'Invalid', message: 'no such path' } as const;
  const patch = operation({ verb: 'patch', resource: 'nodes', name: 'one', outcome: refusal });
  const conflict = operation({ ...patch, outcome: { ...refusal, code: 409 } });

  expect(effectOf(history([conflict, patch], []), undefined).denied).toBe('patch nodes one: 422 no such path');
  expect(effectOf(history([operation({}), patch], [revision('secrets', 'a')]), undefined).denied).toBe('');
});

it('says why the API server refused the sample, and what the target was refused', () => {
  const refusal = { type: 'fail', code: 403, reason: 'Forbidden', message: 'may not' } as const;
  const run = history(
    [
      operation({ actor: 'user', verb: 'create', resource: 'widgets.example.com', outcome: refusal }),
      operation({ verb: 'list', resource: 'pods', outcome: refusal }),
      operation({ verb: 'list', resource: 'pods', outcome: refusal }),
    ],
    [],
  );

  expect(effectOf(run, undefined)).toMatchObject({
    refused: 'widgets.example.com: may not',
    failed: ['list pods: 403 may not (2 times)'],
  });
});

it('finds missing kinds in what kopf logs', () => {
  const line =
    "kopf._core.reactor.o [WARNING ] Unresolved resources cannot be served (try creating their CRDs): Selector(group='example.com', version='v1', any_name='widgets'), Selector(group='other.example.com', any_name='gadget')";

  expect(missingKindsIn(history([], [], [line]), new Set())).toEqual([
    { group: 'example.com', kinds: ['widgets'] },
    { group: 'other.example.com', kinds: ['gadget'] },
  ]);
});

it('finds missing kinds in discovery, in lists, and in what controller-runtime logs', () => {
  const run = history(
    [
      operation({ name: '/apis/source.example.com/v1', outcome: notFound }),
      operation({ verb: 'list', resource: 'gadgets.other.example.com', outcome: notFound }),
      operation({ name: '/apis/served.example.com/v2', outcome: notFound }),
      operation({ name: '/apis/scheduling.k8s.io/v1alpha9', outcome: notFound }),
    ],
    [],
    [
      '{"msg":"if kind is a CRD","kind":"Bucket.source.example.com","error":"no matches for kind \\"Bucket\\" in version \\"source.example.com/v1\\""}',
    ],
  );

  expect(missingKindsIn(run, new Set(['served.example.com']))).toEqual([
    { group: 'other.example.com', kinds: ['gadgets'] },
    { group: 'source.example.com', kinds: ['Bucket'] },
  ]);
});
