/**
 * Whether a history holds anything that could have broken a claim: where it does not, "holds" says nothing of the target.
 *
 * A campaign arranges for that; a recording of a test suite holds what it holds. Each function here is what one property needs at
 * the least, and no more: it never judges.
 */
import { roleOf } from '../harness/model/actor.ts';
import { isWrite, phaseStart, type History } from '../harness/model/history.ts';
import { OUTSIDE } from '../harness/model/outside.ts';
import { livesOf, overlap } from '../harness/oracle/leadership.ts';

/** Another writer changed what the target changed too. */
export function isShared({ revisions }: History): boolean {
  const own = new Set(
    revisions.flatMap(({ type, actor, uid }) => (type === 'MODIFIED' && roleOf(actor) === 'target' ? [uid] : [])),
  );
  return revisions.some(({ type, actor, uid }) => type !== 'DELETED' && roleOf(actor) !== 'target' && own.has(uid));
}

/** Something was deleted, by whomever. */
export function isDeleted({ revisions }: History): boolean {
  return revisions.some(({ type }) => type === 'DELETED');
}

/** The target deleted something. */
export function deletesSomething({ operations }: History): boolean {
  return operations.some(
    ({ actor, verb, committed }) => verb === 'delete' && committed.length > 0 && roleOf(actor) === 'target',
  );
}

/** Something had to wait for finalizers before it was gone. */
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

/** The target was killed. */
export function isCrashed({ processes }: History): boolean {
  return processes.some(({ kind }) => kind === 'crashed');
}

/** Two of it were there at a time. */
export function hasReplicas(history: History): boolean {
  const lives = livesOf(history);
  return lives.some((life) => lives.some((other) => overlap(life, other)));
}

/** Something was kept outside the cluster. */
export function hasEffects({ revisions }: History): boolean {
  return revisions.some(({ resource }) => resource === OUTSIDE);
}

/** Anything at all is known of the target's process: what it printed, or that it started or ended. */
export function isObserved({ processes, logs = [] }: History): boolean {
  return [...processes, ...logs].some(({ actor }) => roleOf(actor) === 'target');
}

/** It wrote, or had a while in which it could have been quiet. */
export function isActive(history: History): boolean {
  const settle = phaseStart(history, 'settle');
  return history.operations.some(
    ({ actor, verb, invoked }) => roleOf(actor) === 'target' && (isWrite(verb) || invoked.at > settle),
  );
}
