/**
 * Resets a server by requests, for the clusters that users name, whose etcd is not accessible.
 *
 * Owns: reading (a consistent list of every kind that any client has written to, never from a cache), the differences from the initial
 * state, and the requests that undo them: finalizers are removed, additional objects deleted without grace period, changed objects updated,
 * missing objects created again. Repeats until nothing differs. Objects that do not belong to the run are never touched
 * (`ServerView.isOurs`).
 *
 * Limits: an object that is created again has a different uid; {@link RequestReset.asStored} maps the original uid to the current one. CRDs
 * keep their finalizer, with which the server itself removes their objects. Start at {@link RequestReset}.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  apiVersionOf,
  groupResource,
  objectKey,
  revisionOf,
  type KubeObject,
  type ResourceKind,
} from 'stalemate-apiserver/objects/object';
import type { ApiRequest } from 'stalemate-apiserver/wire/http';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { contentOf, creatable, withUids } from './object-content.ts';
import { Objects, type Listing } from './objects.ts';
import { unclean, type Reset, type ServerView } from './reset.ts';

/** The time limit of a reset, in ms: namespaces and CRDs are deleted in several steps. */
const CLEAN_MS = 30_000;
const PAUSE_MS = 10;
const PAUSE_MAX_MS = 250;
const NAMESPACES = 'namespaces';
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

type Difference =
  | { readonly what: 'extra'; readonly kind: ResourceKind; readonly now: KubeObject }
  | { readonly what: 'changed'; readonly kind: ResourceKind; readonly now: KubeObject; readonly kept: KubeObject }
  | { readonly what: 'missing'; readonly kind: ResourceKind; readonly kept: KubeObject };

export class RequestReset implements Reset {
  /** Maps the original uids of objects to their current ones. */
  readonly #uids = new Map<string, string>();
  readonly #view: ServerView;
  readonly #objects: Objects;
  readonly #kept = new Map<string, { readonly kind: ResourceKind; readonly object: KubeObject }>();
  /** For the key of each kept object, a version in which it has its initial content. */
  readonly #clean = new Map<string, string>();
  readonly #touched = new Set<string>();

  constructor(view: ServerView) {
    this.#view = view;
    this.#objects = new Objects(view.upstream);
  }

  touched(resource: string): void {
    this.#touched.add(resource);
  }

  asStored(request: ApiRequest): ApiRequest {
    return request.body === undefined || this.#uids.size === 0
      ? request
      : { ...request, body: withUids(request.body, this.#uids) };
  }

  async begin(): Promise<void> {
    if (!(await this.#view.caughtUp())) throw unclean('its lists do not contain what its watches deliver');
    this.#kept.clear();
    this.#clean.clear();
    for (const { resource, namespace, name, object } of this.#view.live.values()) {
      const kind = this.#view.kinds.get(resource);
      if (kind === undefined) continue;
      const key = objectKey(resource, namespace, name);
      this.#kept.set(key, { kind, object });
      this.#clean.set(key, versionOf(object));
    }
  }

  async restore(): Promise<number> {
    const untilMs = realNow() + CLEAN_MS;
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      const listings = await this.#listAll();
      const differences = this.#differences(listings);
      if (differences.length === 0) {
        const revision = await this.#allPublished(listings);
        if (revision !== undefined) return revision;
      }
      if (realNow() > untilMs)
        throw unclean(
          differences.length === 0
            ? 'another client creates more'
            : `${differences.slice(0, 3).map(nameOf).join(', ')} stays as it is`,
        );
      await Promise.all(differences.map((one) => this.#fix(one, differences)));
      await realDelay(pauseMs);
    }
  }

  async seed(objects: readonly KubeObject[]): Promise<void> {
    // Namespaces before their content, owners before their dependents.
    const rank = ({ kind, metadata }: KubeObject): number =>
      kind === 'Namespace' ? 0 : metadata.ownerReferences === undefined ? 1 : 2;
    for (const object of objects.toSorted((a, b) => rank(a) - rank(b))) {
      const kind = this.#view.kindFor(object.apiVersion, object.kind);
      if (kind === undefined) throw unclean(`it has no kind ${object.apiVersion} ${object.kind}`);
      let made = await this.#create(kind, object);
      if (made === undefined) {
        // The existing object is a leftover, not the original.
        const there = await this.#objects.get(kind, object);
        if (there !== undefined) await this.#remove(kind, there);
        made = await this.#create(kind, object);
      }
      if (made === undefined) throw unclean(`it did not take ${kind.kind} "${object.metadata.name ?? ''}"`);
      const { uid = '' } = made.metadata;
      await this.#view.until(() => this.#view.knows(uid, revisionOf(made)), 'show what was put there');
    }
  }

  /** Lists every kind that may have changed; namespaces always, for the revision of the store. */
  #listAll(): Promise<readonly Listing[]> {
    const kinds = [...new Set([NAMESPACES, ...this.#touched])].flatMap((name) => this.#view.kinds.get(name) ?? []);
    return Promise.all(kinds.map((kind) => this.#objects.list(kind, this.#view.placesOf(kind))));
  }

  #differences(listings: readonly Listing[]): readonly Difference[] {
    const found: Difference[] = [];
    for (const { kind, items } of listings) {
      const resource = groupResource(kind);
      const there = new Map(items.map((item) => [keyOf(resource, item), item]));
      for (const [key, now] of there) {
        if (!this.#view.isOurs(resource, now)) continue;
        const { uid = '' } = now.metadata;
        const kept = this.#kept.get(key)?.object;
        if (kept === undefined) found.push({ what: 'extra', kind, now });
        else if (this.#clean.get(key) === versionOf(now)) continue;
        else if (isDeepStrictEqual(contentOf(now), withUids(contentOf(kept), this.#uids))) {
          this.#clean.set(key, versionOf(now));
          this.#replaceUid(kept.metadata.uid, uid);
        } else found.push({ what: 'changed', kind, now, kept });
      }
      for (const [key, { kind: of, object }] of this.#kept)
        if (groupResource(of) === resource && !there.has(key)) found.push({ what: 'missing', kind, kept: object });
    }
    return found;
  }

  async #fix(difference: Difference, all: readonly Difference[]): Promise<void> {
    const { kind } = difference;
    switch (difference.what) {
      case 'missing':
        await this.#create(kind, difference.kept);
        return;
      case 'extra':
        if (groupResource(kind) === NAMESPACES && all.some((other) => isWithin(other, difference.now))) return;
        return this.#remove(kind, difference.now);
      case 'changed': {
        const { now, kept } = difference;
        // An object that is terminating, or that cannot be changed back, is deleted and later created again.
        if (now.metadata.deletionTimestamp !== undefined) return this.#remove(kind, now);
        if (!(await this.#objects.update(kind, withUids(kept, this.#uids), now, this.#hasStatus(kind))))
          await this.#remove(kind, now);
      }
    }
  }

  async #remove(kind: ResourceKind, now: KubeObject): Promise<void> {
    const resource = groupResource(kind);
    if (resource !== DEFINITIONS && (now.metadata.finalizers ?? []).length > 0)
      await this.#objects.withoutFinalizers(kind, now);
    await this.#objects.remove(kind, now);
    // Without a namespace controller, a namespace would stay terminating.
    if (resource === NAMESPACES) await this.#objects.finalizeNamespace(now.metadata.name ?? '');
  }

  /** Creates a missing object again; resolves with undefined if it already exists, or cannot be created yet. */
  async #create(kind: ResourceKind, kept: KubeObject): Promise<KubeObject | undefined> {
    const made = await this.#objects.create(kind, withUids(creatable(kept), this.#uids), this.#hasStatus(kind));
    if (made?.metadata.uid !== undefined) this.#replaceUid(kept.metadata.uid, made.metadata.uid);
    return made;
  }

  /** Updates the current uid of an original object. */
  #replaceUid(meant: string | undefined, uid: string): void {
    if (meant === undefined || meant === uid) return;
    for (const [other, there] of this.#uids) if (there === meant) this.#uids.set(other, uid);
    this.#uids.set(meant, uid);
  }

  /** Waits until everything that was listed has been published; resolves with undefined if another client has changed something since. */
  async #allPublished(listings: readonly Listing[]): Promise<number | undefined> {
    const { live } = this.#view;
    const latest = Math.max(...listings.map(({ revision }) => revision));
    const kinds = new Set(listings.map(({ kind }) => groupResource(kind)));
    const isShown = (): boolean => {
      const listed = new Set<string>();
      for (const { kind, items } of listings)
        for (const item of items) {
          const { uid = '' } = item.metadata;
          listed.add(uid);
          if (this.#view.isOurs(groupResource(kind), item) && !this.#view.knows(uid, revisionOf(item))) return false;
        }
      return [...live.values()].every(
        ({ resource, uid, revision }) => !kinds.has(resource) || listed.has(uid) || revision > latest,
      );
    };
    await this.#view.until(isShown, 'show the reset state');
    // If there are later changes, controllers of the cluster still react to the previous state.
    if ([...live.values()].some(({ revision }) => revision > latest)) return undefined;
    this.#touched.clear();
    return latest;
  }

  #hasStatus(kind: ResourceKind): boolean {
    return this.#view.subresourcesOf(apiVersionOf(kind), kind.kind).has('status');
  }
}

/** Reports whether a difference is an object in this namespace that still has to be deleted. */
function isWithin(other: Difference, { metadata }: KubeObject): boolean {
  return other.what !== 'missing' && other.now.metadata.namespace === metadata.name;
}

function keyOf(resource: string, { metadata }: KubeObject): string {
  return objectKey(resource, metadata.namespace ?? '', metadata.name ?? '');
}

function versionOf({ metadata }: KubeObject): string {
  return `${metadata.uid ?? ''} ${metadata.resourceVersion ?? ''}`;
}

function nameOf(difference: Difference): string {
  const { metadata } = difference.what === 'missing' ? difference.kept : difference.now;
  const place = [metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');
  return `${difference.what} ${groupResource(difference.kind)} "${place}"`;
}
