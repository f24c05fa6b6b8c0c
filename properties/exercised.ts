/**
 * Checks whether a history contains anything that could have violated a property. If not, "holds" says nothing about the
 * target.
 *
 * A campaign arranges for that, but a recording of a test suite contains whatever the tests happened to do. Each function
 * checks the minimum that one property needs, and never judges.
 */
import { roleOf } from '../harness/model/actor.ts';
import { isWrite, phaseStart, type History } from '../harness/model/history.ts';
import { OUTSIDE } from '../harness/model/outside.ts';
import { livesOf, overlap } from '../harness/oracle/leadership.ts';

/** Reports whether another writer changed an object that the target also changed. */
export function isShared({ revisions }: History): boolean {
  const own = new Set(
    revisions.flatMap(({ type, actor, uid }) => (type === 'MODIFIED' && roleOf(actor) === 'target' ? [uid] : [])),
  );
  return revisions.some(({ type, actor, uid }) => type !== 'DELETED' && roleOf(actor) !== 'target' && own.has(uid));
}

/** Reports whether any actor deleted an object. */
export function isDeleted({ revisions }: History): boolean {
  return revisions.some(({ type }) => type === 'DELETED');
}

/** Reports whether the target deleted an object. */
export function deletesSomething({ operations }: History): boolean {
  return operations.some(
    ({ actor, verb, committed }) => verb === 'delete' && committed.length > 0 && roleOf(actor) === 'target',
  );
}

/** Reports whether the deletion of an object had to wait for finalizers. */
export function isTerminating({ revisions }: History): boolean {
  return revisions.some(({ object }) => object.metadata.deletionTimestamp !== undefined);
}

/** Reports whether the target reported a generation. */
export function reportsGenerations({ revisions }: History): boolean {
  return revisions.some(
    ({ actor, object }) =>
      roleOf(actor) === 'target' && JSON.stringify(object['status'] ?? null).includes('"observedGeneration"'),
  );
}

/** Reports whether the target crashed. */
export function isCrashed({ processes }: History): boolean {
  return processes.some(({ kind }) => kind === 'crashed');
}

/** Reports whether two replicas of the target ran at the same time. */
export function hasReplicas(history: History): boolean {
  const lives = livesOf(history);
  return lives.some((life) => lives.some((other) => overlap(life, other)));
}

/** Reports whether a resource outside the cluster was stored. */
export function hasEffects({ revisions }: History): boolean {
  return revisions.some(({ resource }) => resource === OUTSIDE);
}

/** Reports whether the target's process was observed: its output, its start or its end. */
export function isObserved({ processes, logs = [] }: History): boolean {
  return [...processes, ...logs].some(({ actor }) => roleOf(actor) === 'target');
}

/** Reports whether the target wrote, or made requests in the settle phase, when it could have been quiet. */
export function isActive(history: History): boolean {
  const settle = phaseStart(history, 'settle');
  return history.operations.some(
    ({ actor, verb, invoked }) => roleOf(actor) === 'target' && (isWrite(verb) || invoked.at > settle),
  );
}
