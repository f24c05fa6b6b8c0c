/**
 * Finds the write with which a target ended the deletion of an object while something that it should have removed first was still there.
 *
 * Garbage collection removes what has an owner, so this is about objects without one. They are related by the name of the deleted object,
 * which is part of their name, or the value of a label or an annotation.
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
    if (before.metadata.deletionTimestamp === undefined || !isNamedIn(first.object, revision.name)) return false;
    const kept = revision.type === 'DELETED' ? [] : (object.metadata.finalizers ?? []);
    return (before.metadata.finalizers ?? []).some((finalizer) => {
      const path = `metadata.finalizers[${JSON.stringify(finalizer)}]`;
      return !kept.includes(finalizer) && roleOf(index.lastChange(revision, path)?.actor ?? '') === 'target';
    });
  });
}

function isNamedIn({ metadata }: KubeObject, name: string): boolean {
  const { name: own = '', labels = {}, annotations = {} } = metadata;
  return own.includes(name) || [...Object.values(labels), ...Object.values(annotations)].includes(name);
}
