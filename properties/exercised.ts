/**
 * Checks whether a history contains anything that could have violated a property: otherwise "holds" says nothing about the target.
 *
 * A campaign arranges for that; a recording of a test suite contains whatever it contains. Each function is the minimum that one property
 * needs: it never judges.
 */
import { roleOf } from '../harness/model/actor.ts';
import { isWrite, phaseStart, type History } from '../harness/model/history.ts';
import { OUTSIDE } from '../harness/model/outside.ts';
import { livesOf, overlap } from '../harness/oracle/leadership.ts';

/** Another writer changed an object or field that the target changed too. */
export function isShared({ revisions }: History): boolean {
  const own = new Set(
    revisions.flatMap(({ type, actor, uid }) => (type === 'MODIFIED' && roleOf(actor) === 'target' ? [uid] : [])),
  );
  return revisions.some(({ type, actor, uid }) => type !== 'DELETED' && roleOf(actor) !== 'target' && own.has(uid));
}

/** An object was deleted, by any actor. */
export function isDeleted({ revisions }: History): boolean {
  return revisions.some(({ type }) => type === 'DELETED');
}

/** The target deleted an object. */
export function deletesSomething({ operations }: History): boolean {
  return operations.some(
    ({ actor, verb, committed }) => verb === 'delete' && committed.length > 0 && roleOf(actor) === 'target',
  );
}

/** The deletion of an object had to wait for finalizers. */
export function isTerminating({ revisions }: History): boolean {
  return revisions.some(({ object }) => object.metadata.deletionTimestamp !== undefined);
}

/** The target reported a generation. */
export function reportsGenerations({ revisions }: History): boolean {
  return revisions.some(
    ({ actor, object }) =>
      roleOf(actor) === 'target' && JSON.stringify(object['status'] ?? null).includes('"observedGeneration"'),
  );
}

/** The target crashed. */
export function isCrashed({ processes }: History): boolean {
  return processes.some(({ kind }) => kind === 'crashed');
}

/** Two replicas of the target ran at the same time. */
export function hasReplicas(history: History): boolean {
  const lives = livesOf(history);
  return lives.some((life) => lives.some((other) => overlap(life, other)));
}

/** A resource outside the cluster was stored. */
export function hasEffects({ revisions }: History): boolean {
  return revisions.some(({ resource }) => resource === OUTSIDE);
}

/** The target's process was observed: its output, or its start or end. */
export function isObserved({ processes, logs = [] }: History): boolean {
  return [...processes, ...logs].some(({ actor }) => roleOf(actor) === 'target');
}

/** The target wrote, or had a period in which it could have been quiet. */
export function isActive(history: History): boolean {
  const settle = phaseStart(history, 'settle');
  return history.operations.some(
    ({ actor, verb, invoked }) => roleOf(actor) === 'target' && (isWrite(verb) || invoked.at > settle),
  );
}
