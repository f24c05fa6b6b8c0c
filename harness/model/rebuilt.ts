/**
 * Parts of an object that an update rebuilds instead of sending them as read, such as a `spec.template` generated from the desired state.
 *
 * A rebuilt part lacks leaves, mostly defaults, that were in every version the client had read. Their absence says nothing about the
 * version that the rest was copied from. Parts are coarse on purpose: the first two segments of a path, or the first one if fields
 * directly below it are missing.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { isServerLeaf, leavesOf } from './leaf.ts';
import type { LeafChange } from './leaf.ts';

/** Returns the rebuilt part that contains a path, if any. */
export type Rebuilt = (path: string) => string | undefined;

const SEGMENT = /^[^.[]+/;
const TWO_SEGMENTS = /^[^.[]+\.[^.[]+/;

/** @param versions - The versions that the writer can have copied from. */
export function rebuiltParts(body: KubeObject, versions: readonly KubeObject[]): Rebuilt {
  const sent = leavesOf(body);
  const parts = new Map<string, string[]>();
  const [first, ...others] = versions.map(leavesOf);
  for (const path of first?.keys() ?? []) {
    if (sent.has(path) || isServerLeaf(path) || !others.every((leaves) => leaves.has(path))) continue;
    const part = partOf(path);
    // If the update has nothing at all below a part, the part was removed or belongs to another client: it was not rebuilt.
    if (part === undefined || ![...sent.keys()].some((other) => other.startsWith(part))) continue;
    parts.set(part, [...(parts.get(part) ?? []), path]);
  }
  return (path) => {
    for (const part of [SEGMENT.exec(path)?.[0], TWO_SEGMENTS.exec(path)?.[0]])
      if (part !== undefined && part !== path && parts.get(part)?.some((gone) => !gone.startsWith(path)) === true)
        return part;
    return undefined;
  };
}

/**
 * Returns a predicate for differences from a version that the writer had read. It selects the differences that show whether the writer
 * copied that version.
 */
export function isCopied(rebuilt: Rebuilt): (change: LeafChange) => boolean {
  return ({ path, to }) => to !== undefined || rebuilt(path) === undefined;
}

/** Returns `spec.template` for everything below it, `spec` for `spec.replicas`. */
function partOf(path: string): string | undefined {
  const two = TWO_SEGMENTS.exec(path)?.[0];
  return two === path ? SEGMENT.exec(path)?.[0] : two;
}
