/**
 * Shared by all writers: drawing from a table of moves, the styles in which a field can be written, and which objects and fields qualify.
 *
 * A move is a short list of operations that belong together. Tables are built once per campaign, so a draw costs one index operation.
 */
import * as fc from 'fast-check';
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import { isAside } from '../../model/aside.ts';
import { valueAt } from '../../model/edit.ts';
import { given } from '../../model/given.ts';
import type { FieldPath, ProgramOp, WriteStyle } from '../../model/workload.ts';
import { asMap, isImmutable, otherScalars, propertySchema } from '../../schedule/workload/schema-view.ts';
import type { AimObject } from '../../schedule/workload/writer.ts';

export type Move = readonly ProgramOp[];

/** A field's path, with possible values; the first one that differs from the current value is written. */
export type Field = readonly [path: readonly string[], values: readonly JsonValue[]];

/** Draws one of the moves, the first being the simplest; undefined if there are none. */
export function oneOf(moves: readonly Move[]): fc.Arbitrary<Move> | undefined {
  return moves.length === 0 ? undefined : fc.constantFrom(...moves);
}

/** Returns one move per style in which `path` can be written on `object`; `write` builds the operations in a given style. */
export function inStyles(object: JsonObject, path: FieldPath, write: (via: WriteStyle) => Move): readonly Move[] {
  const plain = path.every((segment) => typeof segment === 'string');
  const styles: WriteStyle[] = plain ? ['update', 'merge-patch'] : ['update'];
  // A JSON patch fails if the parent map is missing.
  if (isMap(valueAt(object, path.slice(0, -1)))) styles.push('json-patch');
  return styles.map(write);
}

/** Returns the operation that sets one field. */
export function setOp(
  aim: Pick<AimObject, 'target'>,
  path: FieldPath,
  value: JsonValue,
  via: WriteStyle,
  subresource?: 'status' | 'scale',
): ProgramOp {
  return { do: 'set', target: aim.target, ...given({ subresource }), path, value, via };
}

/** Returns the operation that appends an item to a list. */
export function appendOp(
  { target }: Pick<AimObject, 'target'>,
  path: FieldPath,
  item: JsonValue,
  subresource?: 'status',
): ProgramOp {
  return { do: 'append', target, ...given({ subresource }), path, item };
}

/** The key of the labels and annotations that only writers set. */
export const TOUCHED = 'stalemate.dev/touched';

/** Returns moves that set, change and remove a key of the writer's own in labels or annotations. */
export function metadataMoves(aim: AimObject, map: 'labels' | 'annotations'): readonly Move[] {
  const path = ['metadata', map, TOUCHED];
  return inStyles(aim.object, path, (via) => [setOp(aim, path, 'once', via)]).flatMap((first) => [
    first,
    [...first, setOp(aim, path, 'twice', 'update')],
    [...first, setOp(aim, path, null, 'update')],
    [...first, setOp(aim, path, 'twice', 'merge-patch'), setOp(aim, path, null, 'update')],
  ]);
}

export const FINALIZERS = ['metadata', 'finalizers'] as const;

export function isFinalizer(op: ProgramOp): boolean {
  return op.do === 'append' && op.path[0] === 'metadata' && op.path[1] === 'finalizers';
}

/** Returns the operations that remove every appended item, each once. */
export function undoAppends(ops: readonly ProgramOp[]): readonly ProgramOp[] {
  return ops.flatMap((op): readonly ProgramOp[] => {
    if (op.do !== 'append') return [];
    const { target, path, item } = op;
    return [{ do: 'remove-item', target, path, item }];
  });
}

/** Reports whether the target changes the leaf at `path` (map keys) or something below it. */
export function isOwned(aim: AimObject, path: readonly string[]): boolean {
  const leaf = path.join('.');
  return aim.ownedLeaves.some(
    (owned) => owned === leaf || owned.startsWith(`${leaf}.`) || owned.startsWith(`${leaf}[`),
  );
}

/** Returns a predicate that reports whether the target itself changes something below this path, so that one of two writes may be lost. */
export function contestedAt(path: string): (object: AimObject) => boolean {
  return ({ ownedLeaves }) => ownedLeaves.some((leaf) => leaf.startsWith(path));
}

/** Reports whether a deleted child would lose content that the target cannot restore. Deleting a CRD deletes all objects of its kind. */
export function isNeverDeleted(resource: string): boolean {
  return isAside(resource) || resource === 'customresourcedefinitions.apiextensions.k8s.io';
}

/** Returns scalars directly below the spec of a custom kind. */
export function schemaFields({ schema, object }: AimObject): readonly Field[] {
  const spec = schema === undefined ? undefined : propertySchema(schema, 'spec');
  if (spec === undefined || isImmutable(spec)) return [];
  return Object.keys(asMap(spec['properties']) ?? {}).flatMap((key): readonly Field[] => {
    const property = propertySchema(spec, key) ?? {};
    if (isImmutable(property)) return [];
    const values = otherScalars(property, asMap(object['spec'])?.[key]);
    return values.length === 0 ? [] : [[['spec', key], values]];
  });
}
