/** The volume claims of a pod. */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';

/** The resource of volume claims. */
export const CLAIMS = 'persistentvolumeclaims';

interface Volume {
  readonly name: string;
  readonly ephemeral?: JsonObject;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
}

/** Returns the names of the claims that a pod names, and of those that are made for it alone. */
export function claimsOf({ metadata, spec }: KubeObject): {
  readonly named: readonly string[];
  readonly ephemeral: readonly string[];
} {
  const { volumes = [] } = (spec ?? {}) as { readonly volumes?: readonly Volume[] };
  return {
    named: volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    ephemeral: volumes.flatMap(({ name, ephemeral }) =>
      ephemeral === undefined ? [] : [`${metadata.name ?? ''}-${name}`],
    ),
  };
}
