/**
 * The kinds of the comparison: for each kind a small valid object, and valid and invalid fragments that operations merge into it.
 *
 * Owns: the list. Each kind is data, in `kinds/`.
 */
import { CLUSTER_WIDE } from './kinds/cluster-wide.ts';
import type { ComparedKind } from './kinds/compared-kind.ts';
import { CONTENT, LEASES, PLACES } from './kinds/core.ts';
import { CUSTOM } from './kinds/custom.ts';
import { POLICIES } from './kinds/policies.ts';
import { PODS, WORKLOADS } from './kinds/workloads.ts';

export type { ComparedKind };

/** All kinds. A seed chooses by index, so a different order changes its sequences. */
export const KINDS: readonly ComparedKind[] = [
  ...CUSTOM,
  ...CONTENT,
  ...PODS,
  ...PLACES,
  ...WORKLOADS,
  ...LEASES,
  ...POLICIES,
  ...CLUSTER_WIDE,
];

const BY_ID = new Map(KINDS.map((kind) => [kind.id, kind]));

export function comparedKind(id: string): ComparedKind {
  const kind = BY_ID.get(id);
  if (kind === undefined) throw new TypeError(`no compared kind "${id}"`);
  return kind;
}
