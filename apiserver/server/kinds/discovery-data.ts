/**
 * A real server's discovery of the built-in groups, as generated data.
 *
 * Owns: loading `generated/discovery.json`, which is small and needed at every start. Written by `apiserver/scripts/generate-builtins.ts`.
 */
import { createRequire } from 'node:module';

/** The type of a resource in responses. `group` and `version` are empty where they equal those of the resource. */
export interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface DiscoveredSubresource {
  readonly subresource: string;
  readonly responseKind: ResponseKind;
  readonly verbs: readonly string[];
}

export interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly DiscoveredSubresource[];
  readonly storageVersionHash?: string;
}

export interface DiscoveredVersion {
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
}

export interface DiscoveredGroup {
  readonly group: string;
  /** The served versions, of which the first is preferred. */
  readonly versions: readonly DiscoveredVersion[];
}

/** Every group in the order of aggregated discovery; the core group is first. */
export const DISCOVERED: readonly DiscoveredGroup[] = createRequire(import.meta.url)(
  './generated/discovery.json',
) as readonly DiscoveredGroup[];
