/** Manifests of CustomResourceDefinitions, for tests and comparisons. */
import type { JsonObject, KubeObject } from '../../objects/object.ts';

interface Names extends JsonObject {
  readonly plural: string;
  readonly kind: string;
}

/** Returns a namespaced definition; `more` replaces or adds fields of its spec. */
export function crdManifest(
  group: string,
  names: Names,
  versions: readonly JsonObject[],
  more: JsonObject = {},
): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions, ...more },
  };
}

/** Returns a served version, stored unless `more` says otherwise. */
export function crdVersion(name: string, schema: JsonObject, more: JsonObject = {}): JsonObject {
  return { name, served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
}
