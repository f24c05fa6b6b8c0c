/** How far an `observedGeneration` lags behind. */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { LeafChange } from './leaf.ts';

/**
 * Returns how far `observed` lags behind the object's generation; undefined if it is no number. Objects of different runs are compared by
 * this lag: generations count edits, and a fresh object has had fewer of them.
 */
function generationLag(object: KubeObject, observed: JsonValue | undefined): number | undefined {
  return typeof observed === 'number' ? (object.metadata.generation ?? 0) - observed : undefined;
}

/** Reports whether a change from one object to another is of an `observedGeneration` that lags behind equally in both. */
export function isSameLag(from: KubeObject, to: KubeObject, change: LeafChange): boolean {
  if (!change.path.endsWith('observedGeneration')) return false;
  return generationLag(from, change.from) === generationLag(to, change.to);
}
