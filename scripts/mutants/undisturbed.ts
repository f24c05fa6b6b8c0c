/**
 * The undisturbed run of a controller: the sample is created, edited, deleted and created again, with a pause after each step.
 *
 * A mutant that differs from its original here does not count: any test of the controller alone would find it. Owns: the steps of the user,
 * and the comparison of states. Start at {@link scriptOf}.
 */
import type { Ready } from '../../harness/execution/lab/lab-worker.ts';
import type { History, KubeObject, ProgramOp, Trial } from '../../harness/index.ts';

/** The pause after each step, longer than any delay of a controller. */
const REST_MS = 60_000;
const EDITS_MAX = 3;

/** Returns the steps of the user, derived from the reference runs of the original. */
export function scriptOf({ aim, base }: Pick<Ready, 'aim' | 'base'>): Trial {
  const samples = aim.objects.filter(({ relation }) => relation === 'sample');
  const ops: ProgramOp[] = [];
  for (const { target, path, value } of aim.healthySpecChanges.slice(0, EDITS_MAX)) {
    ops.push({ do: 'set', target, path, value, via: 'update', afterMs: REST_MS });
  }
  for (const { target, object } of samples) {
    const { apiVersion, kind, metadata, spec } = base.sample.find(({ kind: one }) => one === object.kind) ?? object;
    const recreate = { apiVersion, kind, metadata, spec } as KubeObject;
    ops.push({ do: 'delete', target, recreate, afterMs: REST_MS }, { do: 'delete', target, afterMs: REST_MS });
  }
  const workload = { ...base, start: 'settled', programs: [{ actor: 'user', writer: 'user', ops }] } as const;
  return { workload, schedule: { version: 1, default: 'run-to-completion', preemptions: [], holds: [], faults: [] } };
}

/** Returns the objects before each step of the user and at the end, as text without values that vary between runs. */
export function statesOf({ revisions }: History): readonly string[] {
  const objects = new Map<string, string>();
  const states: string[] = [];
  const names = new Map<string, string>();
  const nameOf = (uid: string): string => `uid of ${names.get(uid) ?? 'no object'}`;
  for (const { actor, object, type, resource, uid } of revisions) {
    const { name = '', generateName } = object.metadata;
    const known = `${resource}/${generateName === undefined ? name : `${generateName}*`}`;
    if (type === 'ADDED') names.set(uid, known);
    if (actor === 'user') states.push([...objects.values()].toSorted().join('\n'));
    if (type === 'DELETED') objects.delete(uid);
    else objects.set(uid, `${known} ${JSON.stringify(plain(object, nameOf))}`);
  }
  states.push([...objects.values()].toSorted().join('\n'));
  return states;
}

const VOLATILE = new Set([
  ...['uid', 'resourceVersion', 'generation', 'managedFields', 'creationTimestamp', 'deletionTimestamp', 'name'],
  ...['lastTransitionTime', 'observedGeneration', 'renewTime', 'acquireTime', 'holderIdentity', 'leaseTransitions'],
]);
const UID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Returns a value without volatile fields, with sorted keys, and with names instead of uids. */
function plain(value: unknown, nameOf: (uid: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, nameOf));
  if (typeof value === 'string')
    return UID.test(value) ? nameOf(value) : value.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'T');
  if (typeof value !== 'object' || value === null) return value;
  const owner = 'uid' in value && typeof value.uid === 'string' && 'kind' in value ? { of: nameOf(value.uid) } : {};
  const entries = Object.entries(value).filter(([key]) => !VOLATILE.has(key));
  return Object.fromEntries(
    [...entries.map(([key, item]): [string, unknown] => [key, plain(item, nameOf)]), ...Object.entries(owner)].toSorted(
      ([a], [b]) => (a < b ? -1 : 1),
    ),
  );
}
