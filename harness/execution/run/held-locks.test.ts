import { expect, it } from 'vitest';
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import type { Revision } from '../../model/history.ts';
import { HeldLocks } from './held-locks.ts';

const HELD = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };

function revision(type: Revision['type'], resource: string, spec: JsonObject): Revision {
  const object = { apiVersion: 'v1', kind: 'Any', metadata: { name: 'x', namespace: 'default' }, spec };
  const made = { at: 0, timeMs: 1_000, op: 0, revision: 7, uid: 'u', actor: 'controller' } as const;
  return { ...made, type, resource, namespace: 'default', name: 'x', object };
}

/** A live actor without a lock. */
const OTHER = { has: (actor: string) => actor === 'other', size: 1, launchedMs: 0 };

it('knows a lock by what it says, also when it goes', () => {
  const locks = new HeldLocks();
  locks.committed(revision('ADDED', 'configmaps', HELD));
  expect(locks.includes('configmaps/default/x')).toBe(true);
  expect(locks.expireByMs(OTHER)).toBe(1_000 + 15_000 + 3_000);

  locks.committed(revision('DELETED', 'configmaps', HELD));
  expect(locks.includes('configmaps/default/x')).toBe(true);
  expect(locks.expireByMs(OTHER)).toBe(Number.NEGATIVE_INFINITY);
});

it('takes nothing for a lock because it is deleted', () => {
  const locks = new HeldLocks();
  locks.committed(revision('ADDED', 'secrets', {}));
  locks.committed(revision('DELETED', 'secrets', {}));

  expect(locks.includes('secrets/default/x')).toBe(false);
});
