/**
 * Connects the write path and the field manager.
 *
 * Owns: when the owners of fields (`managedFields`) are computed. `eager`: on every write, as the real server does. `on-apply`: a write
 * only records the writer; the owners of an object are computed from its history when an apply first touches it, and are maintained from
 * then on. In-process trials use `on-apply`, so that owners cost nothing unless an apply needs them. Start at {@link Ownership}.
 */
import { isMap, valueAt, jsonEqual } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { type ResourceDefinition, type ServedVersion } from '../definition.ts';
import type { Call } from '../call.ts';
import { withEmptied } from '../kinds/emptied.ts';
import type { MutableMeta } from '../metadata.ts';
import { roomBeside } from '../weight.ts';
import { emptyObject, typedResourceOf } from './ground.ts';
import { decodeManaged, encodeManaged, NO_MANAGERS, type Managed } from './managed.ts';
import { managedAfterUpdate, type Writer } from './manager.ts';
import { noteOrigin, originOf, type Origin } from './origin.ts';
import { EMPTY_SCALE, parentEntries, SCALE_GROUND, scaleOwners } from './scale.ts';
import { ApplyError, roomAfterOwned } from './typed.ts';

/** When owners are computed: see the top of this file. */
export type FieldManagement = 'eager' | 'on-apply';

/** The maximum number of old versions of an object that are kept only to compute its owners. */
const DEPTH_MAX = 500;

type Entries = readonly JsonObject[] | undefined;

export class Ownership {
  readonly #eager: boolean;
  readonly #now: () => string;

  constructor(mode: FieldManagement, now: () => string) {
    this.#eager = mode === 'eager';
    this.#now = now;
  }

  /** Sets the `managedFields` of a new object. */
  creating(call: Call, object: JsonObject, meta: MutableMeta): void {
    const asked = decoded(call.route.subresource === '' ? meta.managedFields : undefined);
    if (!this.#eager && asked.size === 0) {
      delete meta.managedFields;
      return;
    }
    const { definition, version } = call.route;
    const sentObject = objectOf(definition, object, meta, undefined);
    set(meta, this.#updated(call, emptyObject(definition, version), sentObject, asked));
  }

  /** Sets the `managedFields` of a changed object. `before` and the object are in the version of the request. */
  changing(call: Call, object: JsonObject, meta: MutableMeta, before: KubeObject): void {
    const live = before.metadata.managedFields;
    let sent = call.route.subresource === '' ? meta.managedFields : undefined;
    // Decoding a custom resource drops an empty list.
    if (sent?.length === 0 && call.route.definition.custom) sent = undefined;
    if (live === undefined && sent === undefined) {
      // An object without `managedFields` gets none: they were reset, or there was no apply yet.
      if (meta.managedFields !== undefined) delete meta.managedFields;
      return;
    }
    if (sent !== undefined && isReset(sent)) {
      delete meta.managedFields;
      return;
    }
    let managed = sent === undefined || jsonEqual(sent, live) ? NO_MANAGERS : decoded(sent);
    if (managed.size === 0) managed = decoded(live);
    if (managed.size === 0) {
      delete meta.managedFields;
      return;
    }
    const sentObject = objectOf(call.route.definition, object, meta, before);
    set(meta, this.#updated(call, before, sentObject, managed));
  }

  /** Records a commit. `call` is absent for the server's own changes. */
  committed(stored: KubeObject, before: KubeObject | undefined, call: Call | undefined): void {
    if (this.#eager || stored.metadata.managedFields !== undefined) return;
    const depth = before === undefined ? 0 : (originOf(before)?.depth ?? 0) + 1;
    const origin: Origin = { before, call, time: call === undefined ? '' : this.#now(), managed: undefined, depth };
    noteOrigin(stored, origin);
    if (depth >= DEPTH_MAX) {
      const definition = call?.route.definition;
      if (definition === undefined) return;
      noteOrigin(stored, { ...origin, before: undefined, managed: this.#derived(definition, stored), depth: 0 });
    }
  }

  /** Returns the owners of a stored object. */
  of(definition: ResourceDefinition, stored: KubeObject): Managed {
    const entries = stored.metadata.managedFields;
    if (entries !== undefined) return decoded(entries);
    return this.#eager ? NO_MANAGERS : this.#derived(definition, stored);
  }

  /** Returns the `managedFields` of the stored object after a write to its Scale, which turned `from` into `to`. */
  scaling(call: Call, stored: KubeObject, from: KubeObject, to: KubeObject): Entries {
    const entries = stored.metadata.managedFields;
    return entries === undefined ? undefined : scaled(call, decoded(entries), from, to, this.#now());
  }

  /** Computes the owners from the chain of writes. */
  #derived(definition: ResourceDefinition, stored: KubeObject): Managed {
    const past: (readonly [KubeObject, Origin])[] = [];
    let managed: Managed = NO_MANAGERS;
    for (let object: KubeObject | undefined = stored; object !== undefined;) {
      const origin: Origin | undefined = originOf(object);
      if (origin === undefined) break;
      if (origin.managed !== undefined) {
        managed = origin.managed;
        break;
      }
      past.push([object, origin]);
      object = origin.before;
    }
    for (const [object, { before, call, time }] of past.reverse()) {
      if (call === undefined) continue;
      const { version } = call.route;
      const from = before === undefined ? emptyObject(definition, version) : version.fromStorage(before);
      if (before !== undefined && managed.size === 0) continue;
      const to = version.fromStorage(object);
      managed =
        call.origin === undefined
          ? this.#managed(call, from, to, managed, time)
          : decoded(scaled(call.origin, managed, scaleView(version, from), scaleView(version, to), time));
    }
    return managed;
  }

  #updated(call: Call, from: KubeObject, to: KubeObject, managed: Managed): Entries {
    const { definition, version, subresource } = call.route;
    // kube-apiserver stores an object without managedFields if they would make it too large.
    const type = typedResourceOf(definition, version, subresource).typeIn(version.apiVersion);
    const room = roomBeside(to, definition.custom);
    if (type !== undefined && roomAfterOwned(type, to, room) < 0) return undefined;
    return encodeManaged(this.#managed(call, from, to, managed, this.#now()));
  }

  #managed(call: Call, from: KubeObject, to: KubeObject, managed: Managed, time: string): Managed {
    const { definition, version, subresource } = call.route;
    const writer: Writer = { manager: managerOf(call), subresource, time };
    try {
      return managedAfterUpdate(typedResourceOf(definition, version, subresource), from, to, managed, writer);
    } catch (error) {
      // An object that does not fit its type is not tracked; valid objects never get here.
      if (error instanceof ApplyError) return NO_MANAGERS;
      throw error;
    }
  }
}

function scaled(call: Call, parent: Managed, from: KubeObject, to: KubeObject, time: string): Entries {
  const { definition, version } = call.route;
  let owners = scaleOwners(definition, parent);
  // An update does not add `managedFields` to an object that has none.
  if (owners.size > 0) {
    const writer = { manager: managerOf(call), subresource: 'scale', time };
    owners = managedAfterUpdate(SCALE_GROUND, from, to, owners, writer);
  }
  return parentEntries(definition, version.apiVersion, parent, owners);
}

/** Returns the fields of a Scale that can have an owner. */
function scaleView(version: ServedVersion, object: KubeObject): KubeObject {
  const replicas = version.scale === undefined ? undefined : valueAt(object, version.scale.specReplicas);
  return { ...EMPTY_SCALE, spec: replicas === undefined || replicas === 0 ? {} : { replicas } };
}

/** Sets `managedFields` in the metadata of a write in progress, or removes them if `entries` is undefined. */
export function set(meta: MutableMeta, entries: Entries): void {
  if (entries === undefined) delete meta.managedFields;
  else meta.managedFields = entries;
}

function decoded(entries: JsonValue | undefined): Managed {
  const managed = decodeManaged(entries);
  return typeof managed === 'string' ? NO_MANAGERS : managed;
}

/** Reports whether the sent `managedFields` reset the stored ones: `[]` or one empty entry. */
function isReset(entries: readonly JsonObject[]): boolean {
  if (entries.length === 0) return true;
  const [first] = entries;
  return (
    entries.length === 1 && isMap(first) && Object.values(first).every((value) => value === undefined || value === '')
  );
}

/** Kinds that admission or allocation normalises: the resulting values have no owner. */
const ALLOCATED: ReadonlySet<string> = new Set(['pods', 'services', 'nodes']);

/** Returns the object as sent, with the defaults of its kind, which count as sent. */
function objectOf(
  definition: ResourceDefinition,
  object: JsonObject,
  meta: MutableMeta,
  before: KubeObject | undefined,
): KubeObject {
  const { managedFields: _, ...metadata } = meta;
  const sent = { ...withEmptied(object, object), metadata } as KubeObject;
  const { normalise, converted } = definition.strategy;
  if (converted !== undefined) return converted(sent);
  return normalise === undefined || ALLOCATED.has(definition.gr) ? sent : normalise(sent, before);
}

const MANAGER_BYTES_MAX = 128;
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Returns the manager of a request: `?fieldManager=`, or the product in the user agent. */
function managerOf(call: Call): string {
  const { query, headers } = call.request;
  const asked = query['fieldManager'];
  if (asked !== undefined && asked !== '') return asked;
  const agent = headers['user-agent'] ?? '';
  const slash = agent.indexOf('/');
  const name = slash < 0 ? agent : agent.slice(0, slash);
  if (name.length <= MANAGER_BYTES_MAX && /^[ -~]*$/.test(name)) return name;
  let kept = '';
  for (const one of name) {
    if (!PRINTABLE.test(one)) continue;
    if (Buffer.byteLength(kept + one) > MANAGER_BYTES_MAX) break;
    kept += one;
  }
  return kept;
}

/** Reports whether two objects are equal except for the times in their `managedFields`. */
export function sameButForTimes(next: KubeObject, old: KubeObject): boolean {
  const mine = next.metadata.managedFields;
  const theirs = old.metadata.managedFields;
  if (mine === theirs || mine === undefined || theirs === undefined || mine.length !== theirs.length) return false;
  for (const [index, entry] of mine.entries()) {
    const other = theirs[index];
    if (other === undefined) return false;
    if (entry === other) continue;
    if (!jsonEqual({ ...entry, time: undefined }, { ...other, time: undefined })) return false;
  }
  return jsonEqual({ ...next, metadata: { ...next.metadata, managedFields: theirs } }, old);
}
