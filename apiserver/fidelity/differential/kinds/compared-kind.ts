/** What the comparison knows of a kind. Fragments are merged as RFC 7386 says, so null removes. */
import type { JsonObject } from '../../../objects/object.ts';

export interface ComparedKind {
  /** How operations name it. */
  readonly id: string;
  /** What differences are grouped by. */
  readonly family: 'custom' | 'core' | 'workload' | 'policy' | 'cluster';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly base: JsonObject;
  readonly fragments: readonly JsonObject[];
  readonly statuses?: readonly JsonObject[];
  readonly scale?: boolean;
  /** Field selectors, with what an object needs to match. */
  readonly fields?: readonly { readonly selector: string; readonly match: JsonObject }[];
}

type Given = Partial<ComparedKind> & { readonly base: JsonObject; readonly fragments: readonly JsonObject[] };

/** Of the core family, by namespace, and with its id in the path, unless given otherwise. */
export function kindOf(id: string, apiVersion: string, kind: string, given: Given): ComparedKind {
  const slash = apiVersion.indexOf('/');
  return {
    id,
    family: 'core',
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    plural: id,
    kind,
    namespaced: true,
    ...given,
  };
}
