/**
 * The garbage collector: deletes objects whose owners are all gone, and does the work that foreground and orphaning deletions wait for.
 *
 * Owns: the graph of owners and dependents, fed with committed changes, and the resulting writes. Mirrors pkg/controller/garbagecollector
 * of Kubernetes: an owner is identified by its uid within the dependent's namespace, so a recreated owner counts as absent. It sends no
 * requests as long as nothing is deleted. Differences: it sees changes without lag (its requests can still be delayed at the gate), and it
 * does not break cycles of foreground deletion. Start at {@link GarbageCollector.onChange}.
 */
import type { KubeObject, OwnerReference } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { objectPath } from 'stalemate-apiserver/wire/path';
import type { ObservedChange } from '../../gate/recorder.ts';
import { dropFinalizer, sender, toTry } from './requests.ts';
import type { Kinds, Send } from './requests.ts';
import { WorkQueue } from './work-queue.ts';
import type { WorkResult } from './work-queue.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** The state of an owner. `waiting`: it is being deleted in the foreground, so its dependents have to be deleted first. */
type OwnerState = 'solid' | 'absent' | 'waiting' | 'unknown';

export interface GarbageCollectorOptions {
  readonly upstream: Upstream;
  readonly kinds: Pick<Kinds, 'kindFor'>;
}

const NO_DEPENDENTS: ReadonlySet<string> = new Set();

class GarbageCollector {
  readonly actor = 'gc';
  readonly #send: Send;
  readonly #kinds: Pick<Kinds, 'kindFor'>;
  readonly #queue = new WorkQueue((uid) => this.#attempt(uid));
  /** Every existing object, by uid. */
  readonly #live = new Map<string, KubeObject>();
  readonly #gone = new Set<string>();
  /** Uids of dependents, by uid of the owner. */
  readonly #dependents = new Map<string, Set<string>>();

  constructor({ upstream, kinds }: GarbageCollectorOptions) {
    this.#send = sender(upstream, this.actor);
    this.#kinds = kinds;
  }

  /** Processes a change, in commit order, and queues the objects that it concerns. */
  onChange({ type, uid, object }: ObservedChange): void {
    if (type === 'DELETED') {
      this.#forget(uid, object);
      return;
    }
    const before = this.#live.get(uid)?.metadata.ownerReferences;
    const { ownerReferences, deletionTimestamp } = object.metadata;
    this.#live.set(uid, object);
    if (before !== undefined) this.#unlink(uid, before, ownerReferences);
    if (ownerReferences !== undefined) this.#link(uid, ownerReferences);
    if (deletionTimestamp === undefined) return;
    if (has(object, FOREGROUND)) for (const dependent of this.#dependentsOf(uid)) this.#queue.add(dependent);
    if (has(object, FOREGROUND) || has(object, ORPHAN)) this.#queue.add(uid);
  }

  #link(uid: string, references: readonly OwnerReference[]): void {
    for (const { uid: owner } of references) {
      const set = this.#dependents.get(owner);
      if (set === undefined) this.#dependents.set(owner, new Set([uid]));
      else set.add(uid);
      const known = this.#live.get(owner);
      if (known === undefined || isWaiting(known)) this.#queue.add(uid);
    }
  }

  #unlink(uid: string, before: readonly OwnerReference[], now: readonly OwnerReference[] = []): void {
    for (const { uid: owner } of before) {
      if (now.some((reference) => reference.uid === owner)) continue;
      this.#dependents.get(owner)?.delete(uid);
      this.#requeueOwner(owner);
    }
  }

  #forget(uid: string, last: KubeObject): void {
    const before = this.#live.get(uid) ?? last;
    this.#live.delete(uid);
    this.#gone.add(uid);
    for (const dependent of this.#dependentsOf(uid)) this.#queue.add(dependent);
    this.#unlink(uid, before.metadata.ownerReferences ?? []);
  }

  /** Queues an owner that has lost a dependent, if it waits for its dependents. */
  #requeueOwner(owner: string): void {
    const object = this.#live.get(owner);
    if (object !== undefined && isWaiting(object)) this.#queue.add(owner);
  }

  #dependentsOf(uid: string): ReadonlySet<string> {
    return this.#dependents.get(uid) ?? NO_DEPENDENTS;
  }

  async #attempt(uid: string): Promise<WorkResult> {
    const object = this.#live.get(uid);
    if (object === undefined) return 'done';
    if (object.metadata.deletionTimestamp !== undefined) {
      if (has(object, ORPHAN)) return this.#orphanDependents(uid, object);
      return has(object, FOREGROUND) ? this.#awaitDependents(uid, object) : 'done';
    }
    return this.#judge(uid, object);
  }

  /** Deletes the object if all its owners are gone; removes dangling references if only some owners are gone. */
  async #judge(uid: string, object: KubeObject): Promise<WorkResult> {
    const references = object.metadata.ownerReferences ?? [];
    const solid: OwnerReference[] = [];
    let waiting = false;
    for (const reference of references) {
      const state = await this.#stateOf(reference, object);
      if (state === 'unknown') return 'again';
      if (state === 'solid') solid.push(reference);
      waiting ||= state === 'waiting';
    }
    if (references.length === 0) return 'done';
    if (solid.length === references.length) return 'done';
    if (solid.length > 0) return this.#patch(object, { ownerReferences: solid });
    const foreground = waiting && this.#dependentsOf(uid).size > 0;
    return this.#delete(object, foreground ? 'Foreground' : 'Background');
  }

  async #stateOf(reference: OwnerReference, dependent: KubeObject): Promise<OwnerState> {
    const { namespace = '' } = dependent.metadata;
    const kind = this.#kinds.kindFor(reference.apiVersion, reference.kind);
    // An object without a namespace that names an owner with one is left alone, whatever happens to that owner.
    if (kind?.namespaced === true && namespace === '') return 'solid';
    const known = this.#live.get(reference.uid);
    if (known !== undefined) return stateIn(namespace, known);
    if (this.#gone.has(reference.uid)) return 'absent';
    // An owner whose kind is not served must not cause deletions.
    if (kind === undefined) return 'solid';
    const answer = await this.#send('GET', objectPath(kind, kind.namespaced ? namespace : '', reference.name));
    if (answer.code === 200) {
      const owner = answer.body as KubeObject;
      if (owner.metadata.uid === reference.uid) {
        if (!this.#gone.has(reference.uid)) this.#live.set(reference.uid, owner);
        return stateIn(namespace, owner);
      }
    } else if (answer.code !== 404) return 'unknown';
    this.#gone.add(reference.uid);
    return 'absent';
  }

  async #orphanDependents(uid: string, owner: KubeObject): Promise<WorkResult> {
    for (const dependentUid of this.#dependentsOf(uid)) {
      const dependent = this.#live.get(dependentUid);
      if (dependent === undefined) continue;
      const rest = (dependent.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
      if ((await this.#patch(dependent, { ownerReferences: rest })) === 'again') return 'again';
    }
    return this.#dropFinalizer(owner, ORPHAN);
  }

  async #awaitDependents(uid: string, owner: KubeObject): Promise<WorkResult> {
    const blocking = [...this.#dependentsOf(uid)].some((dependent) =>
      this.#live
        .get(dependent)
        ?.metadata.ownerReferences?.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true),
    );
    return blocking ? 'done' : this.#dropFinalizer(owner, FOREGROUND);
  }

  async #dropFinalizer(object: KubeObject, finalizer: string): Promise<WorkResult> {
    const path = this.#path(object);
    return path === undefined ? 'done' : dropFinalizer(this.#send, path, object, finalizer);
  }

  /** Patches metadata, unless the object has changed in the meantime. */
  async #patch(
    object: KubeObject,
    metadata: { readonly ownerReferences: readonly OwnerReference[] },
  ): Promise<WorkResult> {
    const path = this.#path(object);
    if (path === undefined) return 'done';
    const { uid = '', resourceVersion = '' } = object.metadata;
    return toTry(await this.#send('PATCH', path, { metadata: { uid, resourceVersion, ...metadata } }));
  }

  async #delete(object: KubeObject, propagationPolicy: 'Foreground' | 'Background'): Promise<WorkResult> {
    const path = this.#path(object);
    if (path === undefined) return 'done';
    const { uid = '', resourceVersion = '' } = object.metadata;
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy };
    return toTry(await this.#send('DELETE', path, { ...options, preconditions: { uid, resourceVersion } }));
  }

  #path({ apiVersion, kind, metadata }: KubeObject): string | undefined {
    const served = this.#kinds.kindFor(apiVersion, kind);
    return served === undefined ? undefined : objectPath(served, metadata.namespace ?? '', metadata.name ?? '');
  }
}

function has(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

/** Reports whether the object is being deleted in the foreground. */
function isWaiting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && has(object, FOREGROUND);
}

/** Returns the state of an owner for dependents in a namespace; an owner in a different namespace counts as absent. */
function stateIn(namespace: string, owner: KubeObject): OwnerState {
  const { namespace: home = '' } = owner.metadata;
  if (home !== '' && home !== namespace) return 'absent';
  return isWaiting(owner) ? 'waiting' : 'solid';
}

/** Creates a garbage collector that acts through `upstream` on the changes passed to it. */
export function createGarbageCollector(options: GarbageCollectorOptions): GarbageCollector {
  return new GarbageCollector(options);
}
