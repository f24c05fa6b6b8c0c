/** The objects of a file of a stranger's project. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { parseManifests } from '../../execution/project/manifest-files.ts';

/**
 * Empty for what cannot be read: a template, a fragment.
 *
 * @param mixed a document that is no object is passed over; without, the whole file is
 */
export function objectsIn(file: string, text: string, mixed = false): readonly KubeObject[] {
  try {
    return parseManifests(text, file, mixed).map(({ object }) => object);
  } catch {
    return [];
  }
}
