/**
 * Parts of an object that an update builds anew instead of sending them as they were read: `spec.template` made from what is wished.
 *
 * They show by what every version read had and the update has not, defaults above all. What else is missing there tells nothing of the
 * version that the rest was copied from. Parts are coarse on purpose: the first two segments of a path, or one where the fields right below
 * it are gone.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { isServerLeaf, leavesOf } from './leaf.ts';
import type { LeafChange } from './leaf.ts';

/** The part built anew that a path lies in, if it lies in one. */
export type Rebuilt = (path: string) => string | undefined;

const SEGMENT = /^[^.[]+/;
const TWO_SEGMENTS = /^[^.[]+\.[^.[]+/;

/** `versions` are those that the writer can have copied from. */
export function rebuiltParts(body: KubeObject, versions: readonly KubeObject[]): Rebuilt {
  const sent = leavesOf(body);
  const parts = new Map<string, string[]>();
  const [first, ...others] = versions.map(leavesOf);
  for (const path of first?.keys() ?? []) {
    if (sent.has(path) || isServerLeaf(path) || !others.every((leaves) => leaves.has(path))) continue;
    const part = partOf(path);
    // A part of which the update says nothing at all is taken away, or another's: not built.
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

/** Of differences to a version read, those that tell whether it was copied. */
export function isCopied(rebuilt: Rebuilt): (change: LeafChange) => boolean {
  return ({ path, to }) => to !== undefined || rebuilt(path) === undefined;
}

/** `spec.template` for all below it, `spec` for `spec.replicas`. */
function partOf(path: string): string | undefined {
  const two = TWO_SEGMENTS.exec(path)?.[0];
  return two === path ? SEGMENT.exec(path)?.[0] : two;
}
