import type { KubeObject } from 'stalemate-apiserver/objects/object';

/** Returns the namespaces of the given objects, except namespaces that are themselves among the objects. */
export function namespacesOf(objects: readonly KubeObject[]): readonly string[] {
  const own = new Set(objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name));
  return objects.flatMap(({ metadata: { namespace } }) =>
    namespace === undefined || namespace === '' || own.has(namespace) ? [] : [namespace],
  );
}
