/** How far an `observedGeneration` lags behind. */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { LeafChange } from './leaf.ts';

/**
 * Returns how far `observed` lags behind the object's generation; undefined if `observed` is not a number. Objects of different runs are
 * compared by this lag: generations count edits, and the object of a fresh copy has had fewer.
 */
function generationLag(object: KubeObject, observed: JsonValue | undefined): number | undefined {
  return typeof observed === 'number' ? (object.metadata.generation ?? 0) - observed : undefined;
}

/** Reports whether a change is in an `observedGeneration` that lags equally far behind in both objects. */
export function isSameLag(from: KubeObject, to: KubeObject, change: LeafChange): boolean {
  if (!change.path.endsWith('observedGeneration')) return false;
  const lag = generationLag(from, change.from);
  return lag !== undefined && lag === generationLag(to, change.to);
}
