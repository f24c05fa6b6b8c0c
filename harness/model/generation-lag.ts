/** How far an `observedGeneration` lags behind. */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';

/**
 * Returns how far `observed` lags behind the object's generation; undefined if it is no number. Objects of different runs are compared by
 * this lag: generations count edits, and a fresh object has had fewer of them.
 */
export function generationLag(object: KubeObject, observed: JsonValue | undefined): number | undefined {
  return typeof observed === 'number' ? (object.metadata.generation ?? 0) - observed : undefined;
}
