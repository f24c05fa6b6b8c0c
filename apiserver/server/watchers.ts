/**
 * Open watches: which change is delivered to which watch, and as which event.
 *
 * Owns: selector transitions (an object that starts matching is ADDED, an object that stops matching is DELETED), delivery in revision
 * order even when a sink writes during delivery, bookmarks. Does not own: request options (`verbs/watch.ts`).
 */
import type { Thrown } from './observers.ts';
import type { JsonObject, KubeObject } from '../objects/object.ts';
import type { WatchEvent } from '../objects/watch-event.ts';
import type { ResponseSink } from '../wire/http.ts';
import { ConversionFailed, ConversionNeeded } from './conversion/converter.ts';
import type { ServedVersion } from './definition.ts';
import type { CommittedChange } from './store.ts';
import { selected, type Selection } from './verbs/read.ts';

export interface Watcher {
  readonly resource: string;
  readonly version: ServedVersion;
  /** Returns an empty object of the kind. */
  readonly empty: () => KubeObject;
  /** The watched namespace; empty for all namespaces. */
  readonly namespace: string;
  readonly selection: Selection;
  readonly bookmarks: boolean;
  readonly sink: ResponseSink;
  /** Changes up to this revision are not delivered: the watch has already seen them, or starts later. */
  after: number;
  closed: boolean;
}

/** Returns the event of `change` for a watch; undefined when the change does not match. */
export function eventFor(watcher: Watcher, change: CommittedChange): WatchEvent | undefined {
  if (watcher.namespace !== '' && watcher.namespace !== change.namespace) return undefined;
  const { selection, version } = watcher;
  const { type } = change;
  if (selection.labels === undefined && selection.fields === undefined)
    return { type, object: version.fromStorage(change.object) };
  const now = type !== 'DELETED' && selected(selection, version.fromStorage(change.object));
  const before = change.before !== undefined && selected(selection, version.fromStorage(change.before));
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', object: version.fromStorage(change.object) };
  if (!before) return undefined;
  if (type === 'DELETED') return { type, object: version.fromStorage(change.object) };
  // The object no longer matches, so the event contains the previous object with the new version.
  const last = version.fromStorage(change.before ?? change.object);
  return {
    type: 'DELETED',
    object: { ...last, metadata: { ...last.metadata, resourceVersion: String(change.revision) } },
  };
}

/** Returns a bookmark. `empty`: an empty object of the kind, with all fields that Go always writes. */
export function bookmark(empty: KubeObject, revision: number, endsInitial: boolean): WatchEvent {
  const ends = endsInitial ? { 'k8s.io/initial-events-end': 'true' } : {};
  const annotations = { ...empty.metadata.annotations, ...ends };
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return { type: 'BOOKMARK', object: { ...empty, metadata } };
}

/** Returns the event; undefined when the change does not match, or when it needs a webhook conversion first, which ends the watch. */
function safeEventFor(watcher: Watcher, change: CommittedChange): WatchEvent | undefined {
  if (watcher.version.prepare === undefined) return eventFor(watcher, change);
  try {
    return eventFor(watcher, change);
  } catch (error) {
    if (!(error instanceof ConversionNeeded) && !(error instanceof ConversionFailed)) throw error;
    watcher.closed = true;
    watcher.sink.end();
    return undefined;
  }
}

function deliver(watcher: Watcher, change: CommittedChange): void {
  if (watcher.closed || change.revision <= watcher.after) return;
  watcher.after = change.revision;
  const event = safeEventFor(watcher, change);
  if (event !== undefined) watcher.sink.event(event);
}

export class Watchers {
  readonly #byResource = new Map<string, Set<Watcher>>();
  #queue: CommittedChange[] = [];
  #notifying = false;

  add(watcher: Watcher): () => void {
    let watchers = this.#byResource.get(watcher.resource);
    if (watchers === undefined) this.#byResource.set(watcher.resource, (watchers = new Set()));
    watchers.add(watcher);
    return () => {
      watcher.closed = true;
      watchers.delete(watcher);
    };
  }

  /**
   * Queues a change, so that each watch receives all revisions in order, including those written by sinks and observers. Returns whether
   * the caller has to {@link deliver} the queue; otherwise a caller further up the stack does.
   */
  enqueue(change: CommittedChange): boolean {
    this.#queue.push(change);
    if (this.#notifying) return false;
    this.#notifying = true;
    return true;
  }

  /**
   * Sends the queued changes to their watches. Returns the first error: if one watch throws, the other watches still receive their events.
   */
  deliver(): Thrown | undefined {
    let thrown: Thrown | undefined;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const watchers = this.#byResource.get(next.resource);
      if (watchers === undefined || watchers.size === 0) continue;
      for (const watcher of [...watchers]) {
        try {
          deliver(watcher, next);
        } catch (error) {
          thrown ??= { error };
        }
      }
    }
    this.#notifying = false;
    return thrown;
  }

  /** Runs `events`, which sends the initial events. Changes that are committed meanwhile are delivered afterwards. */
  first(events: () => void): void {
    if (this.#notifying) {
      events();
      return;
    }
    this.#notifying = true;
    let thrown: Thrown | undefined;
    try {
      events();
    } catch (error) {
      thrown = { error };
    }
    thrown = this.deliver() ?? thrown;
    if (thrown !== undefined) throw thrown.error;
  }

  /** Returns the watched versions of a resource. */
  versionsOf(resource: string): ReadonlySet<ServedVersion> {
    return new Set([...(this.#byResource.get(resource) ?? [])].map((watcher) => watcher.version));
  }

  /** Sends a bookmark at `revision` to every watch with bookmarks. */
  bookmarks(revision: number): void {
    for (const watchers of this.#byResource.values())
      for (const watcher of [...watchers])
        if (watcher.bookmarks && !watcher.closed && revision >= watcher.after)
          watcher.sink.event(bookmark(watcher.empty(), revision, false));
  }

  /** Ends the watches of one resource, or all watches. `silently`: they are dropped without an event. */
  close(resource: string | undefined, silently: boolean): void {
    for (const [key, watchers] of this.#byResource) {
      if (resource !== undefined && key !== resource) continue;
      this.#byResource.delete(key);
      for (const watcher of watchers) {
        if (watcher.closed) continue;
        watcher.closed = true;
        if (!silently) watcher.sink.end();
      }
    }
    if (silently) this.#queue = [];
  }
}
