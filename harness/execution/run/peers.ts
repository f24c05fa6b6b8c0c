/**
 * The objects of an input that share something with others of their kind, such as a pool of addresses or a quota.
 *
 * Owns: which these are, and how those of them that are gone are deleted again. Start at {@link peersOf}.
 */
import { parseApiVersion, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { History } from '../../model/history.ts';
import type { ProgramOp } from '../../model/workload.ts';
import { kindText } from '../../oracle/final-state.ts';

export interface Peers {
  readonly others: readonly KubeObject[];
  /** The peers of each kind. */
  readonly peers: readonly (readonly KubeObject[])[];
  /** The peers that are not part of the input. */
  readonly gone: readonly KubeObject[];
}

/**
 * Returns the objects of an input that are of one kind with others of the sample, by kind and in the order of a list, with those of the
 * sample that are gone by now. What they get out of a pool, such as an address or a share of a quota, depends on which of them comes first.
 * Objects that have an owner or own others, or are being deleted, are not among them, and neither are namespaces.
 */
export function peersOf(input: readonly KubeObject[], sample: readonly KubeObject[]): Peers {
  const kinds = new Set(sample.map(kindText));
  const owners = new Set(input.flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid)));
  const isFree = ({ kind, metadata: { ownerReferences, deletionTimestamp } }: KubeObject): boolean =>
    ownerReferences === undefined && deletionTimestamp === undefined && kind !== 'Namespace';
  const movable = input.filter(
    (object) => isFree(object) && !owners.has(object.metadata.uid ?? '') && kinds.has(kindText(object)),
  );
  const places = new Set(input.map((object) => `${kindText(object)} ${placeText(object)}`));
  const groups = [...Map.groupBy(movable, kindText)].map(([kind, left]) => ({
    left,
    gone: sample.filter(
      (object) =>
        kindText(object) === kind &&
        isFree(object) &&
        !places.has(`${kind} ${placeText(object)}`) &&
        left.some(({ metadata: { namespace } }) => namespace === object.metadata.namespace),
    ),
  }));
  const several = groups.filter(({ left, gone }) => left.length + gone.length > 1);
  const moved = new Set(several.flatMap(({ left }) => left));
  return {
    others: input.filter((object) => !moved.has(object)),
    peers: several.map(({ left, gone }) =>
      [...left, ...gone].toSorted((a, b) => (placeText(a) < placeText(b) ? -1 : 1)),
    ),
    gone: several.flatMap(({ gone }) => gone),
  };
}

/** Returns the operation that deletes an object; none if no object of its kind occurs in the history. */
export function deletionOf(object: KubeObject, { revisions }: History): readonly ProgramOp[] {
  const like = revisions.find((revision) => kindText(revision.object) === kindText(object));
  const { namespace = '', name = '' } = object.metadata;
  const [resource] = like?.resource.split('.', 1) ?? [];
  if (resource === undefined) return [];
  return [{ do: 'delete', target: { ...parseApiVersion(object.apiVersion), resource, namespace, name } }];
}

function placeText({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}
