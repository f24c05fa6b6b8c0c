/**
 * The store: all objects, one global revision, and the history that watches resume from.
 *
 * Owns: commits, key order, exact views of the past, the history window, snapshots. Does not own: validation (`verbs/`). Tables are copied
 * on the first write after a snapshot, so taking and restoring a snapshot copies no objects.
 */
import type { KubeObject } from '../objects/object.ts';

/** One committed change, as watches and observers receive it. */
export interface CommittedChange {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `pods`, `widgets.example.com`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The new object; for DELETED the last object, with the deletion's revision. */
  readonly object: KubeObject;
  /** The previous object; absent for ADDED. */
  readonly before?: KubeObject;
}

type Rows = Map<string, KubeObject>;

interface Table {
  rows: Rows;
  /** True if a snapshot shares these rows, which must then be copied before writing. */
  shared: boolean;
  /** Sorted keys; undefined after a create or delete until the next list. */
  keys: readonly string[] | undefined;
}

/** The contents of the store. The snapshot shares them with the store until one of the two changes. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly floor: number;
  readonly tables: ReadonlyMap<string, { readonly rows: Rows; readonly keys: readonly string[] | undefined }>;
  readonly sealed: readonly (readonly CommittedChange[])[];
}

/** A page of a list. */
export interface Page {
  readonly objects: readonly KubeObject[];
  readonly remaining: number;
}

const NO_OBJECTS: readonly KubeObject[] = [];
const NO_KEYS: readonly string[] = [];

/** Returns the key `namespace/name`; keys of cluster-scoped objects start with the slash. Lists are in byte order of keys. */
export function rowKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export class Store {
  readonly #historyMax: number;
  #tables = new Map<string, Table>();
  #revision = 0;
  /** The history contains every change after this revision. */
  #floor = 0;
  /** The history: sealed segments are shared with snapshots, `#tail` is not. */
  #sealed: readonly (readonly CommittedChange[])[] = [];
  #tail: CommittedChange[] = [];

  constructor(historyMax: number) {
    this.#historyMax = historyMax;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Returns the oldest revision that a watch can resume from. */
  get floor(): number {
    return this.#floor;
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.#tables.get(resource)?.rows.get(key);
  }

  /** Returns the names of resources that have objects, sorted. */
  resources(): readonly string[] {
    return [...this.#tables]
      .filter(([, table]) => table.rows.size > 0)
      .map(([resource]) => resource)
      .sort();
  }

  /** Returns objects in key order; of one namespace when one is given. */
  list(resource: string, namespace = ''): readonly KubeObject[] {
    const table = this.#tables.get(resource);
    if (table === undefined || table.rows.size === 0) return NO_OBJECTS;
    const keys = sortedKeys(table);
    const objects: KubeObject[] = [];
    const prefix = `${namespace}/`;
    for (const key of keys) {
      if (namespace !== '' && !key.startsWith(prefix)) continue;
      const object = table.rows.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  /** Returns at most `max` objects in key order, starting at the key `from`, and the number of objects after them. */
  page(resource: string, namespace: string, from: string, max: number): Page {
    const table = this.#tables.get(resource);
    if (table === undefined) return { objects: NO_OBJECTS, remaining: 0 };
    const keys = sortedKeys(table);
    const start = lowerBound(keys, from);
    // The keys that start with `namespace/` end before `namespace0`, because 0 follows the slash in ASCII.
    const end = namespace === '' ? keys.length : lowerBound(keys, `${namespace}0`);
    const page = keys.slice(start, Math.min(start + max, end));
    return {
      objects: page.map((key) => table.rows.get(key) as KubeObject),
      remaining: Math.max(0, end - start - page.length),
    };
  }

  /** Returns objects as they were at `revision`, which must not be below the floor. */
  listAt(resource: string, namespace: string, revision: number): readonly KubeObject[] {
    if (revision >= this.#revision) return this.list(resource, namespace);
    const undone = new Map<string, KubeObject | undefined>();
    for (const change of this.changesAfter(revision)) {
      if (change.resource !== resource || (namespace !== '' && change.namespace !== namespace)) continue;
      const key = rowKey(change.namespace, change.name);
      if (!undone.has(key)) undone.set(key, change.before);
    }
    if (undone.size === 0) return this.list(resource, namespace);
    const rows = new Map<string, KubeObject>();
    for (const object of this.list(resource, namespace))
      rows.set(rowKey(object.metadata.namespace ?? '', object.metadata.name ?? ''), object);
    for (const [key, object] of undone) {
      if (object === undefined) rows.delete(key);
      else rows.set(key, object);
    }
    return [...rows.keys()].sort(byteOrder).map((key) => rows.get(key) as KubeObject);
  }

  /** Returns the changes with a revision above `revision`, oldest first. */
  changesAfter(revision: number): readonly CommittedChange[] {
    if (revision >= this.#revision) return [];
    const changes: CommittedChange[] = [];
    for (const segment of this.#sealed) collectAfter(segment, revision, changes);
    collectAfter(this.#tail, revision, changes);
    return changes;
  }

  /** Stores `object` under the next revision and returns the change. The object's resourceVersion is set here. */
  put(resource: string, object: KubeObject, before: KubeObject | undefined): CommittedChange {
    const revision = ++this.#revision;
    const stored = stamped(object, revision);
    const { namespace = '', name = '', uid = '' } = stored.metadata;
    const table = this.#writable(resource);
    table.rows.set(rowKey(namespace, name), stored);
    if (before === undefined) table.keys = undefined;
    return this.#record(
      before === undefined
        ? { revision, type: 'ADDED', resource, namespace, name, uid, object: stored }
        : { revision, type: 'MODIFIED', resource, namespace, name, uid, object: stored, before },
    );
  }

  remove(resource: string, before: KubeObject): CommittedChange {
    const revision = ++this.#revision;
    const { namespace = '', name = '', uid = '' } = before.metadata;
    const table = this.#writable(resource);
    table.rows.delete(rowKey(namespace, name));
    table.keys = undefined;
    const object = stamped(before, revision);
    return this.#record({ revision, type: 'DELETED', resource, namespace, name, uid, object, before });
  }

  /** Expires the history up to `revision`. */
  expireBefore(revision: number): void {
    const floor = Math.min(revision, this.#revision);
    if (floor <= this.#floor) return;
    this.#floor = floor;
    this.#sealed = this.#sealed.filter((segment) => (segment.at(-1)?.revision ?? 0) > floor);
    this.#tail = this.#tail.filter((change) => change.revision > floor);
  }

  snapshot(): StoreSnapshot {
    if (this.#tail.length > 0) {
      this.#sealed = [...this.#sealed, this.#tail];
      this.#tail = [];
    }
    const tables = new Map<string, { rows: Rows; keys: readonly string[] | undefined }>();
    for (const [resource, table] of this.#tables) {
      if (table.rows.size === 0) continue;
      table.shared = true;
      tables.set(resource, { rows: table.rows, keys: sortedKeys(table) });
    }
    return { revision: this.#revision, floor: this.#floor, tables, sealed: this.#sealed };
  }

  restore(snapshot: StoreSnapshot): void {
    this.#revision = snapshot.revision;
    this.#floor = snapshot.floor;
    this.#sealed = snapshot.sealed;
    this.#tail = [];
    this.#tables = new Map();
    for (const [resource, { rows, keys }] of snapshot.tables) this.#tables.set(resource, { rows, keys, shared: true });
  }

  #writable(resource: string): Table {
    let table = this.#tables.get(resource);
    if (table === undefined) {
      table = { rows: new Map(), shared: false, keys: NO_KEYS };
      this.#tables.set(resource, table);
    } else if (table.shared) {
      table.rows = new Map(table.rows);
      table.shared = false;
    }
    return table;
  }

  #record(change: CommittedChange): CommittedChange {
    this.#tail.push(change);
    // The history is trimmed only when it has twice the window's length, which amortises the cost: one pass per `historyMax` commits.
    if (this.#tail.length >= this.#historyMax * 2) {
      const dropped = this.#tail[this.#tail.length - this.#historyMax - 1];
      if (dropped !== undefined) this.expireBefore(dropped.revision);
    }
    return change;
  }
}

function byteOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortedKeys(table: Table): readonly string[] {
  table.keys ??= [...table.rows.keys()].sort(byteOrder);
  return table.keys;
}

/** Returns the index of the first key that is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function stamped(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** Appends the changes after `revision`; segments are in revision order. */
function collectAfter(segment: readonly CommittedChange[], revision: number, into: CommittedChange[]): void {
  const last = segment.at(-1);
  if (last === undefined || last.revision <= revision) return;
  let low = 0;
  let high = segment.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((segment[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < segment.length; index++) into.push(segment[index] as CommittedChange);
}
