/**
 * Finds project files with the ConfigMaps and Secrets that the program requests in vain when it starts.
 *
 * Pure. Start at {@link neededFiles}.
 */
import { posix } from 'node:path';
import { ASIDE } from './deployed.ts';
import type { MissingObject } from './effects.ts';
import { objectsIn } from './objects-in.ts';
import type { Repository } from './repository.ts';
import { isForTests } from './samples.ts';

/** Kinds that only hold data. An object of another kind would make the target or a controller of the cluster act. */
const DATA: { readonly [resource: string]: string } = { configmaps: 'ConfigMap', secrets: 'Secret' };

/** Matches what clients print about an object that they looked up: `configmap "logging" not found`, perhaps in a JSON string. */
const NOT_FOUND = /\b(configmap|secret)s? \\?"([^"\\]+)\\?" not found/gi;

/**
 * Returns the objects that lines of a log name as missing, in any namespace. Requests do not show objects that a client looks up in its
 * cache.
 */
export function missingInLog(lines: readonly string[]): readonly MissingObject[] {
  return lines.flatMap((line) =>
    [...line.matchAll(NOT_FOUND)].map(([, kind = '', name = '']) => ({
      ...{ resource: `${kind.toLowerCase()}s`, namespace: '', name },
    })),
  );
}

/**
 * Returns one file for each missing object that the project defines in a file with only ConfigMaps and Secrets. Prefers files beside the
 * installed manifests.
 */
export function neededFiles(
  repository: Repository,
  missing: readonly MissingObject[],
  manifests: readonly string[],
): readonly string[] {
  const wanted = missing.filter(({ resource }) => Object.hasOwn(DATA, resource));
  if (wanted.length === 0) return [];
  const folders = new Set(manifests.map((path) => posix.dirname(path)));
  const distance = (file: string): number => (folders.has(posix.dirname(file)) ? 0 : 1);
  const files = repository.files
    .filter((file) => /\.ya?ml$/.test(file) && !ASIDE.test(file) && !isForTests(file))
    .filter((file) => wanted.some(({ name }) => repository.text(file).includes(name)))
    .toSorted((a, b) => distance(a) - distance(b))
    .map((file) => ({ file, objects: objectsIn(file, repository.text(file)) }))
    .filter(({ objects }) => objects.every(({ kind }) => Object.values(DATA).includes(kind)));
  const found = wanted.flatMap(
    ({ resource, namespace, name }) =>
      files.find(({ objects }) =>
        objects.some(
          ({ kind, metadata }) =>
            kind === DATA[resource] &&
            metadata.name === name &&
            (namespace === '' || (metadata.namespace ?? namespace) === namespace),
        ),
      )?.file ?? [],
  );
  return [...new Set(found)].filter((file) => !manifests.includes(file));
}
