/** Compares an installed CRD with the one that a run was given, as far as objects depend on it. */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { diffContent } from '../../model/leaf.ts';

/** Returns a warning about the differences, if there are any: an installed CRD is used unchanged. */
export function differenceOf(wanted: KubeObject, there: KubeObject): readonly string[] {
  const only = ({ spec }: KubeObject): KubeObject => ({
    apiVersion: '',
    kind: '',
    metadata: {},
    spec: versionsOf(spec as Spec) as JsonValue,
  });
  const [first, ...more] = diffContent(only(wanted), only(there));
  if (first === undefined) return [];
  const rest = more.length === 0 ? '' : `, and ${more.length} more`;
  return [
    `the definition "${wanted.metadata.name ?? ''}" already exists and is used unchanged; it differs from the file (${first.path}${rest})`,
  ];
}

interface Spec {
  readonly versions?: readonly {
    readonly name: string;
    readonly schema?: JsonValue;
    readonly subresources?: JsonValue;
  }[];
}

/** Returns the parts of a CRD that objects depend on; servers add many other fields. */
function versionsOf({ versions = [] }: Spec): object {
  return Object.fromEntries(
    versions.map(({ name, schema = null, subresources = null }) => [name, { schema, subresources }]),
  );
}
