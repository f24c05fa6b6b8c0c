/**
 * The drift test: determines who owns a field before a violation is reported.
 *
 * Owns: repeating an acknowledged foreign write at rest, and interpreting the result. At rest the target sees the whole write: if it
 * reverts the write, it owns the field and nothing was lost. If it replaces it only after a change of the user or at a
 * resync, contention did not matter.
 */
import { jsonEqual, isMap } from 'stalemate-apiserver/objects/json';
import { parseApiVersion, type JsonObject, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import { nameInLabels, type History, type Revision } from '../model/history.ts';
import { itemKey, itemNames, keySegment } from '../model/leaf.ts';
import type { ProbeRequest } from '../model/probe.ts';
import type { FieldPath, ObjectTarget, ProgramOp } from '../model/workload.ts';
import { isUnder } from './base-content.ts';
import type { Loss } from './field-ledger.ts';
import { indexOf } from './history-index.ts';

export type DriftRequest = Extract<ProbeRequest, { probe: 'drift' }>;

/** Returns the lost foreign write as one program operation at rest; undefined if it cannot be expressed as one. */
export function driftRequest(history: History, loss: Loss): DriftRequest | undefined {
  const { victim, field, changes } = loss;
  const leaves = changes.map((change) => change.path);
  const gone = changes.every((change) => change.from === undefined);
  const place = locate(gone ? (victim.before ?? victim.object) : victim.object, field);
  if (place === undefined) return undefined;
  const subresource = indexOf(history).operation(victim.op)?.subresource === 'status' ? ('status' as const) : undefined;
  const common = {
    target: targetOf(history, victim),
    path: place.path,
    ...(subresource === undefined ? {} : { subresource }),
  };
  let op: ProgramOp;
  if (place.inList) op = { do: gone ? 'remove-item' : 'append', ...common, item: place.value };
  else op = { do: 'set', ...common, value: gone ? null : place.value, via: 'update' };
  return {
    probe: 'drift',
    role: indexOf(history).role(victim),
    leaves,
    value: gone ? null : place.value,
    op,
  };
}

/**
 * Returns the result of the drift test. `kept`: the target does not change the field undisturbed. `reverted`: the target owns the field.
 * `replaced`: it replaces the field undisturbed as well, once the user changes something or at a resync.
 * `unknown`: not tested yet.
 */
export function driftAnswer(history: History, request: DriftRequest): 'kept' | 'reverted' | 'replaced' | 'unknown' {
  for (const probe of history.probes) {
    if (probe.probe !== 'drift' || probe.role !== request.role || !jsonEqual(probe.leaves, request.leaves)) continue;
    if (!jsonEqual(probe.value, request.value)) continue;
    const { reverted, revertedLater = [] } = probe;
    if (request.leaves.some((leaf) => reverted.includes(leaf))) return 'reverted';
    return request.leaves.some((leaf) => revertedLater.includes(leaf)) ? 'replaced' : 'kept';
  }
  return 'unknown';
}

function targetOf(history: History, revision: Revision): ObjectTarget {
  const { group, version } = parseApiVersion(revision.object.apiVersion);
  const resource = group === '' ? revision.resource : revision.resource.slice(0, -group.length - 1);
  const name = nameInLabels(history, revision);
  return { group, version, resource, namespace: revision.namespace, name };
}

interface FieldAt {
  readonly path: FieldPath;
  /** The value at the path, or the list item if `inList`. */
  readonly value: JsonValue;
  /** True if `path` is the list and `value` one of its items. */
  readonly inList: boolean;
}

/** Finds a leaf or a list item by its leaf path. */
function locate(object: KubeObject, field: string): FieldAt | undefined {
  let value: JsonValue = object;
  let here = '';
  const path: (string | { readonly [key: string]: string })[] = [];
  while (here !== field) {
    let next: JsonValue | undefined;
    if (Array.isArray(value)) {
      const list = value as readonly JsonValue[];
      const names = itemNames(list);
      const position = names.findIndex((name) => isUnder(field, here + name));
      const item = list[position];
      if (item === undefined) return undefined;
      here += names[position] ?? '';
      if (here === field) return { path, value: item, inList: true };
      const key = itemKey(list);
      const id = key === undefined || !isMap(item) ? undefined : item[key];
      if (key === undefined || typeof id !== 'string') return undefined;
      path.push({ [key]: id });
      next = item;
    } else if (isMap(value)) {
      const map: JsonObject = value;
      const key = Object.keys(map).find((name) => isUnder(field, here === '' ? name : here + keySegment(name)));
      if (key === undefined) return undefined;
      here = here === '' ? key : here + keySegment(key);
      path.push(key);
      next = map[key];
    }
    if (next === undefined) return undefined;
    value = next;
  }
  return { path, value, inList: false };
}
