/**
 * JSON patch in the dialect of evanphx/json-patch v4, which kube-apiserver uses.
 *
 * It differs from RFC 6902: `test` of a missing leaf against null passes, `replace` of a missing key of a map succeeds, negative indices
 * count from the end. The target is shared and never modified: a patch copies each part that it changes, once.
 */
import { jsonEqual, isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { goType } from '../definition.ts';

export type JsonPatchResult =
  | { readonly outcome: 'patched'; readonly value: JsonValue }
  /** The patch is not a list of operations; answered with 400. */
  | { readonly outcome: 'malformed'; readonly why: string }
  /** An operation failed; answered with 422. */
  | { readonly outcome: 'failed'; readonly why: string };

/** Thrown when an operation fails; caught in this file. */
class OperationFailed extends Error {}

const MISSING = undefined;

/**
 * kube-apiserver's limit on the total of all `copy` operations of one patch, in bytes of JSON. With thirty copies that each double the
 * object, a hundred bytes would grow to gigabytes.
 */
const COPIED_BYTES_MAX = 3 * 1024 * 1024;

export function applyJsonPatch(target: JsonValue, patch: JsonValue): JsonPatchResult {
  if (!isList(patch))
    return {
      outcome: 'malformed',
      why: `error decoding patch: json: cannot unmarshal ${goType(patch)} into Go value of type []handlers.jsonPatchOp`,
    };
  const document = new Document(target);
  for (const operation of patch) {
    if (!isMap(operation))
      return {
        outcome: 'malformed',
        why: `error decoding patch: json: cannot unmarshal ${goType(operation)} into Go value of type handlers.jsonPatchOp`,
      };
    try {
      document.apply(operation);
    } catch (error) {
      if (error instanceof OperationFailed) return { outcome: 'failed', why: worded(operation, error.message) };
      throw error;
    }
  }
  return { outcome: 'patched', value: document.value };
}

/** Returns the library's error message, which is only shown for patches of webhooks. */
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

/** The object being patched: the target with copies of all changed parts. */
class Document {
  value: JsonValue;
  /**
   * Maps and lists that this patch created and that are not shared: they are edited in place. Copying them for every operation would make
   * ten thousand small operations on a large list take minutes.
   */
  readonly #own = new WeakSet<object>();
  #copiedBytes = 0;

  constructor(target: JsonValue) {
    this.value = target;
  }

  /** Applies one operation. @throws {OperationFailed} */
  apply(operation: JsonObject): void {
    const { op, path, from } = operation;
    if (typeof path !== 'string') throw new OperationFailed('operation missing path field');
    const at = pointer(path);
    switch (op) {
      case 'add':
        this.#edit(at, (parent, key) => add(parent, key, given(operation)));
        return;
      case 'replace':
        this.#edit(at, (parent, key) => replace(parent, key, given(operation)));
        return;
      case 'remove':
        this.#edit(at, remove);
        return;
      case 'test':
        test(this.value, at, path, given(operation));
        return;
      case 'move':
      case 'copy': {
        if (typeof from !== 'string') throw new OperationFailed(`${op} operation missing from field`);
        const source = pointer(from);
        const value = lookup(this.value, source);
        if (value === MISSING) throw new OperationFailed(`missing value at ${from}`);
        if (op === 'copy') this.#share(value);
        else this.#edit(source, remove);
        this.#edit(at, (parent, key) => add(parent, key, value));
        return;
      }
      default:
        throw new OperationFailed(`unexpected kind: ${JSON.stringify(op ?? null)}`);
    }
  }

  /** Edits the parent of `path`, after copying all its ancestors. */
  #edit(path: readonly string[], edit: (parent: Parent, key: string) => void): void {
    let parent = this.#mine(this.value);
    this.value = parent;
    const last = path.at(-1);
    if (last === undefined) throw new OperationFailed('the whole document cannot be the operand');
    for (let step = 0; step < path.length - 1; step++) {
      const key = path[step] as string;
      const index = Array.isArray(parent) ? existingIndex(parent, key) : undefined;
      const child = index === undefined ? at(parent as MutableMap, key) : (parent as JsonValue[])[index];
      if (child === undefined) throw new OperationFailed(`missing path ${key}`);
      const own = this.#mine(child);
      if (index === undefined) put(parent as MutableMap, key, own);
      else (parent as JsonValue[])[index] = own as JsonValue;
      parent = own;
    }
    edit(parent, last);
  }

  #mine(value: JsonValue): Parent {
    if (!isMap(value) && !isList(value)) throw new OperationFailed('missing container');
    if (this.#own.has(value)) return value as Parent;
    const copy: Parent = isList(value) ? [...value] : { ...value };
    this.#own.add(copy);
    return copy;
  }

  /** Marks `value` as used in two places of the document: it must be copied before it is edited. */
  #share(value: JsonValue): void {
    this.#copiedBytes += Buffer.byteLength(JSON.stringify(value));
    if (this.#copiedBytes > COPIED_BYTES_MAX)
      throw new OperationFailed(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${COPIED_BYTES_MAX}`,
      );
    const open: JsonValue[] = [value];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (one === null || typeof one !== 'object' || !this.#own.delete(one)) continue;
      for (const part of Object.values(one)) open.push(part as JsonValue);
    }
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

type MutableMap = { [key: string]: JsonValue | undefined };
type Parent = MutableMap | JsonValue[];

/** Returns the value of an own key of a map: `__proto__` and the like are ordinary keys. */
function at(map: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function put(map: MutableMap, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
  else map[key] = value;
}

/** Returns an index of a list; a negative index counts from the end. */
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

function add(parent: Parent, key: string, value: JsonValue): void {
  if (!Array.isArray(parent)) put(parent, key, value);
  else if (key === '-') parent.push(value);
  else {
    const index = parsedIndex(key);
    const actual = index < 0 ? index + parent.length + 1 : index;
    if (actual < 0 || actual > parent.length) throw new OperationFailed(`unable to access invalid index: ${key}`);
    parent.splice(actual, 0, value);
  }
}

function replace(parent: Parent, key: string, value: JsonValue): void {
  if (Array.isArray(parent)) parent[existingIndex(parent, key)] = value;
  else put(parent, key, value);
}

function remove(parent: Parent, key: string): void {
  if (Array.isArray(parent)) {
    parent.splice(existingIndex(parent, key), 1);
    return;
  }
  if (at(parent, key) === undefined) throw new OperationFailed(`unable to remove nonexistent key: ${key}`);
  delete parent[key];
}

function lookup(target: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = target;
  for (const key of path) {
    if (isList(value)) value = value[existingIndex(value, key)];
    else if (isMap(value)) value = at(value, key);
    else throw new OperationFailed(`missing container for ${key}`);
  }
  return value;
}

/** Runs the operation `test`: a missing leaf equals null; a missing parent is an error. */
function test(target: JsonValue, path: readonly string[], text: string, expected: JsonValue): void {
  const parent = path.length === 0 ? target : lookup(target, path.slice(0, -1));
  if (!isMap(parent) && !isList(parent)) throw new OperationFailed(`testing path ${text} failed: missing container`);
  const found = lookup(target, path) ?? null;
  if (!jsonEqual(found, expected)) throw new OperationFailed(`testing value ${text} failed`);
}
