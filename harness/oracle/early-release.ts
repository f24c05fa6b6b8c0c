/**
 * Finds the write with which a target ended the deletion of an object while something that it should have removed first was still there.
 *
 * Garbage collection removes what has an owner, so this is about objects without one. They are related by the name of the deleted object,
 * which is part of their name (`web` of `web-index`), or the value of a label or an annotation.
 */
import { parentOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History, Revision } from '../model/history.ts';
import { indexOf } from './history-index.ts';

/**
 * Returns the target's last removal of its own finalizer from a related object that was being deleted, at a moment when the object `uid`,
 * which the target had made, existed; undefined if there is none.
 */
export function earlyRelease(history: History, uid: string | undefined): Revision | undefined {
  const index = indexOf(history);
  const [first] = uid === undefined ? [] : index.chain(uid);
  if (first === undefined || roleOf(first.actor) !== 'target' || parentOf(first.object) !== undefined) return undefined;
  return history.revisions.findLast((revision) => {
    const { actor, at, op, object, before = object } = revision;
    if (roleOf(actor) !== 'target' || op < 0 || at < first.at || revision.uid === uid) return false;
    if (before.metadata.deletionTimestamp === undefined || !isRelated(first, revision, history)) return false;
    const kept = revision.type === 'DELETED' ? [] : (object.metadata.finalizers ?? []);
    return (before.metadata.finalizers ?? []).some((finalizer) => {
      const path = `metadata.finalizers[${JSON.stringify(finalizer)}]`;
      return !kept.includes(finalizer) && roleOf(index.lastChange(revision, path)?.actor ?? '') === 'target';
    });
  });
}

/** Reports whether `left` names the object of `revision`, and no other object of that kind with a longer name: `web-2`, not `web`. */
function isRelated(left: Revision, revision: Revision, { revisions }: History): boolean {
  const { resource, namespace, name } = revision;
  if (namespace !== '' && left.namespace !== '' && namespace !== left.namespace) return false;
  if (!isNamedIn(left.object, name)) return false;
  return !revisions.some(
    (other) => other.resource === resource && other.name.length > name.length && isNamedIn(left.object, other.name),
  );
}

function isNamedIn({ metadata }: KubeObject, name: string): boolean {
  const { name: own = '', labels = {}, annotations = {} } = metadata;
  return `-${own}-`.includes(`-${name}-`) || [...Object.values(labels), ...Object.values(annotations)].includes(name);
}
