/** A kind of the comparison. Fragments are merged as in RFC 7386, so null removes. */
import type { JsonObject } from '../../../objects/object.ts';

export interface ComparedKind {
  /** The kind's name in operations. */
  readonly id: string;
  /** Groups differences in reports. */
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
  /** Field selectors, each with a fragment that makes an object match. */
  readonly fields?: readonly { readonly selector: string; readonly match: JsonObject }[];
}

type Given = Partial<ComparedKind> & { readonly base: JsonObject; readonly fragments: readonly JsonObject[] };

/** Returns a kind; unless specified otherwise it is namespaced, in the core family, with its id as resource name. */
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
