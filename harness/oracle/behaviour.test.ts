import { expect, it } from 'vitest';
import type { History, Operation } from '../model/history.ts';
import { behaviourOf } from './behaviour.ts';

const CALL: Operation = {
  id: 0,
  actor: 'controller',
  label: 'controller/update/pods/default/a#0',
  verb: 'update',
  resource: 'pods',
  version: 'v1',
  subresource: '',
  namespace: 'default',
  name: 'a',
  query: {},
  invoked: { at: 5, timeMs: 0 },
  outcome: { type: 'fail', code: 409, reason: 'Conflict', message: '' },
  committed: [],
};

function history(...calls: readonly Partial<Operation>[]): History {
  return {
    version: 1,
    phases: [{ phase: 'contention', at: 1, timeMs: 0 }],
    revisions: [],
    deliveries: [],
    streamEnds: [],
    processes: [],
    decisions: [],
    settlement: { result: 'quiescent', windowMs: 0 },
    steps: 0,
    names: {},
    missed: [],
    probes: [],
    operations: calls.map((call) => ({ ...CALL, ...call })),
  };
}

it('is the same whatever objects are called, whenever it happens, and whatever others do', () => {
  const one = behaviourOf(history({}));

  expect(behaviourOf(history({ name: 'b', invoked: { at: 9, timeMs: 70 } }))).toBe(one);
  expect(behaviourOf(history({ actor: 'writer-1' }, {}, { invoked: { at: 0, timeMs: 0 } }))).toBe(one);
});

it('differs by verb, kind, outcome, order and life', () => {
  const get = { verb: 'get' } as const;
  const all = [
    history({}),
    history(get),
    history({ resource: 'nodes' }),
    history({ outcome: { type: 'pending' } }),
    history({ actor: 'controller~2' }),
    history({}, get),
    history(get, {}),
    history(),
  ];

  expect(new Set(all.map(behaviourOf)).size).toBe(all.length);
});
