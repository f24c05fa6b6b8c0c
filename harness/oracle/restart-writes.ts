/**
 * What a fresh incarnation of the target wrote when it was started on the final state.
 *
 * Such a write is a witness only if it changes what is wrong: some targets write something at each start, such as a timestamp or version,
 * to the same object. Owns: matching writes with objects and leaves. Start at {@link restartWrites}.
 */
import { leafPattern } from '../model/leaf.ts';
import type { ProbeResult } from '../model/probe.ts';

/** A write that changed something. */
export interface RestartWrite {
  /** For example `update fleets.example.com/arena spec.map="desert" …`. */
  readonly text: string;
  /** The kind and name of its object, as in {@link Difference.object}. */
  readonly object: string;
  /** The changed leaves, an empty path for all; undefined in files of earlier versions. */
  readonly paths: readonly string[] | undefined;
}

/** Writes that say nothing about the state: locks and Events. */
const BENIGN = /^\S+ (events|events\.events\.k8s\.io|leases\.coordination\.k8s\.io)\//;
/** Leaves whose change lets the API server remove an object. */
const RELEASES = /^metadata\.(finalizers|ownerReferences)\b/;

/** Returns the writes of a fresh incarnation, without locks and Events. */
export function restartWrites({
  writes,
  paths,
}: Extract<ProbeResult, { probe: 'fresh-incarnation' }>): readonly RestartWrite[] {
  return writes
    .map((text, index) => ({ text, object: text.split(' ', 2)[1] ?? '', paths: paths?.[index] }))
    .filter(({ text }) => !BENIGN.test(text));
}

/** Reports whether a write changes a leaf, or a part of it, or what contains it; with an empty path, whether the object comes or goes. */
export function changesLeaf({ paths }: RestartWrite, path: string): boolean {
  return (
    paths === undefined ||
    paths.some((changed) => changed === '' || (path === '' ? RELEASES.test(changed) : isSameOrWithin(changed, path)))
  );
}

function isSameOrWithin(first: string, second: string): boolean {
  const [one, other] = [leafPattern(first), leafPattern(second)];
  return one === other || isWithin(one, other) || isWithin(other, one);
}

function isWithin(path: string, outer: string): boolean {
  return path.startsWith(outer) && /[.[~]/.test(path.charAt(outer.length));
}
