/**
 * JSON patch in the dialect of evanphx/json-patch v4, which kube-apiserver uses.
 *
 * It differs from RFC 6902: `test` of a missing leaf against null passes, `replace` of a missing key of a map succeeds, negative
 * indices count from the end. The target is shared, never edited: each operation copies the path it touches.
 */
import { jsonEqual } from '../../model/leaf.ts';
import { isList, isMap } from '../../model/json.ts';
import type { JsonObject, JsonValue } from '../../model/object.ts';
import { goType } from '../definition.ts';

export type JsonPatchResult =
  | { readonly outcome: 'patched'; readonly value: JsonValue }
  /** The patch is no list of operations: 400. */
  | { readonly outcome: 'malformed'; readonly why: string }
  /** An operation failed: 422. */
  | { readonly outcome: 'failed'; readonly why: string };

/** Thrown inside this file only. */
class OperationFailed extends Error {}

const MISSING = undefined;

/**
 * What all `copy` operations of one patch may add up to, in bytes of JSON: kube-apiserver's limit. Thirty that double what is there would
 * build gigabytes from a hundred bytes.
 */
const COPIED_BYTES_MAX = 3 * 1024 * 1024;

export function applyJsonPatch(target: JsonValue, patch: JsonValue): JsonPatchResult {
  if (!isList(patch))
    return {
      outcome: 'malformed',
      why: `error decoding patch: json: cannot unmarshal ${goType(patch)} into Go value of type []handlers.jsonPatchOp`,
    };
  let value = target;
  let copiedBytes = 0;
  const copied = (part: JsonValue): void => {
    copiedBytes += Buffer.byteLength(JSON.stringify(part));
    if (copiedBytes <= COPIED_BYTES_MAX) return;
    throw new OperationFailed(
      `Unable to complete the copy, the accumulated size increase of copy is ${copiedBytes}, exceeding the limit ${COPIED_BYTES_MAX}`,
    );
  };
  for (const operation of patch) {
    if (!isMap(operation))
      return {
        outcome: 'malformed',
        why: `error decoding patch: json: cannot unmarshal ${goType(operation)} into Go value of type handlers.jsonPatchOp`,
      };
    try {
      value = applyOne(value, operation, copied);
    } catch (error) {
      if (error instanceof OperationFailed) return { outcome: 'failed', why: worded(operation, error.message) };
      throw error;
    }
  }
  return { outcome: 'patched', value };
}

/** The failure in the words of the library; seen only in answers about patches of webhooks. */
function worded({ op, path }: JsonObject, why: string): string {
  if (typeof op !== 'string' || typeof path !== 'string') return `${why}: missing value`;
  if (why.startsWith('testing value')) return `${why}: test failed`;
  if (why.startsWith('testing path')) return `test operation does not apply: is missing path: ${path}: missing value`;
  if (why.startsWith('missing path') || why.startsWith('missing container')) {
    const shown = op === 'add' || op === 'remove' ? JSON.stringify(path) : path;
    return `${op} operation does not apply: doc is missing path: ${shown}: missing value`;
  }
  if (why.startsWith('unable to remove')) return `error in ${op} for path: '${path}': U${why.slice(1)}: missing value`;
  if (why.startsWith('unable to access'))
    return `error in ${op} for path: '${path}': U${why.slice(1)}: invalid index referenced`;
  return why;
}

/** @param copied Hears of what a `copy` is about to add; throws when it is too much. */
function applyOne(target: JsonValue, operation: JsonObject, copied: (part: JsonValue) => void): JsonValue {
  const { op, path, from } = operation;
  if (typeof path !== 'string') throw new OperationFailed('operation missing path field');
  const at = pointer(path);
  switch (op) {
    case 'add':
      return edited(target, at, (parent, key) => added(parent, key, given(operation)));
    case 'replace':
      return edited(target, at, (parent, key) => replaced(parent, key, given(operation)));
    case 'remove':
      return edited(target, at, removed);
    case 'test':
      return tested(target, at, path, given(operation));
    case 'move':
    case 'copy': {
      if (typeof from !== 'string') throw new OperationFailed(`${op} operation missing from field`);
      const source = pointer(from);
      const value = lookup(target, source);
      if (value === MISSING) throw new OperationFailed(`missing value at ${from}`);
      if (op === 'copy') copied(value);
      const rest = op === 'move' ? edited(target, source, removed) : target;
      return edited(rest, at, (parent, key) => added(parent, key, value));
    }
    default:
      throw new OperationFailed(`unexpected kind: ${JSON.stringify(op ?? null)}`);
  }
}

function given(operation: JsonObject): JsonValue {
  return operation['value'] ?? null;
}

function pointer(path: string): readonly string[] {
  if (path === '') return [];
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Parent = JsonObject | readonly JsonValue[];

/** A copy of `target` with the parent of `path` replaced by what `edit` makes of it. */
function edited(
  target: JsonValue,
  path: readonly string[],
  edit: (parent: Parent, key: string) => JsonValue,
): JsonValue {
  if (!isMap(target) && !isList(target)) throw new OperationFailed('missing container');
  const [key, ...rest] = path;
  if (key === undefined) throw new OperationFailed('the whole document cannot be the operand');
  if (rest.length === 0) return edit(target, key);
  if (isList(target)) {
    const index = existingIndex(target, key);
    const copy = [...target];
    copy[index] = edited(target[index] as JsonValue, rest, edit);
    return copy;
  }
  const child = target[key];
  if (child === undefined) throw new OperationFailed(`missing path ${key}`);
  return { ...target, [key]: edited(child, rest, edit) };
}

/** An index of an item; negative ones count from the end. */
function existingIndex(list: readonly JsonValue[], key: string): number {
  const index = parsedIndex(key);
  const actual = index < 0 ? index + list.length : index;
  if (actual < 0 || actual >= list.length) throw new OperationFailed(`invalid index referenced: ${key}`);
  return actual;
}

function parsedIndex(key: string): number {
  if (!/^[-+]?\d+$/.test(key)) throw new OperationFailed(`invalid index: ${key}`);
  return Number(key);
}

function added(parent: Parent, key: string, value: JsonValue): JsonValue {
  if (!isList(parent)) return { ...parent, [key]: value };
  if (key === '-') return [...parent, value];
  const index = parsedIndex(key);
  const actual = index < 0 ? index + parent.length + 1 : index;
  if (actual < 0 || actual > parent.length) throw new OperationFailed(`unable to access invalid index: ${key}`);
  return parent.toSpliced(actual, 0, value);
}

function replaced(parent: Parent, key: string, value: JsonValue): JsonValue {
  if (!isList(parent)) return { ...parent, [key]: value };
  return parent.with(existingIndex(parent, key), value);
}

function removed(parent: Parent, key: string): JsonValue {
  if (isList(parent)) return parent.toSpliced(existingIndex(parent, key), 1);
  const map = parent;
  if (map[key] === undefined) throw new OperationFailed(`unable to remove nonexistent key: ${key}`);
  const copy: { [key: string]: JsonValue | undefined } = { ...map };
  delete copy[key];
  return copy;
}

function lookup(target: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = target;
  for (const key of path) {
    if (isList(value)) value = value[existingIndex(value, key)];
    else if (isMap(value)) value = value[key];
    else throw new OperationFailed(`missing container for ${key}`);
  }
  return value;
}

/** `test`: a missing leaf equals null; a missing parent fails. */
function tested(target: JsonValue, path: readonly string[], text: string, expected: JsonValue): JsonValue {
  const parent = path.length === 0 ? target : lookup(target, path.slice(0, -1));
  if (!isMap(parent) && !isList(parent)) throw new OperationFailed(`testing path ${text} failed: missing container`);
  const found = lookup(target, path) ?? null;
  if (!jsonEqual(found, expected)) throw new OperationFailed(`testing value ${text} failed`);
  return target;
}
