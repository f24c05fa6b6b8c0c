/** Parses the objects in a file of an unknown project. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { parseManifests } from '../../execution/project/manifest-files.ts';

/**
 * Returns the objects; an empty list for a file that cannot be parsed, such as a template or a fragment.
 *
 * @param mixed - Whether to skip only documents that are not objects, instead of the whole file.
 */
export function objectsIn(file: string, text: string, mixed = false): readonly KubeObject[] {
  try {
    return parseManifests(text, file, mixed).map(({ object }) => object);
  } catch {
    return [];
  }
}
