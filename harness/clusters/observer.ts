/**
 * Observes the versions of all objects on a server outside this process, by watching the server directly instead of through the gate.
 *
 * Owns: one list and watch per resource, kept open, and reporting gaps. Does not own: which request made a change (the caller matches
 * them). Start at {@link Observer}.
 */
import { groupResource, objectKey, revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiRequest, ApiResponse, Upstream } from 'stalemate-apiserver/wire/http';
import { collectionPath } from 'stalemate-apiserver/wire/path';
import type { ObservedChange } from '../gate/recorder.ts';
import { realDelay, realNow } from '../determinism/real-time.ts';

/** A resource, identified by the group, version and plural name in its request path. */
export interface ObservedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The observed objects of a kind: those in a namespace, the one with a name, or all. */
export interface Within {
  readonly namespace?: string;
  readonly name?: string;
}

/** The observer's user agent; its own requests are not recorded. */
export const OBSERVER_AGENT = 'stalemate-observer';
/** How long a list is retried while the server is busy, in ms. */
const BUSY_MS = 10_000;
/** The delay between a broken watch and the next one, in ms. */
const RETRY_MS = 100;
const POLL_MS = 20;

export class Observer {
  /** What could not be observed, one sentence each. */
  readonly gaps: string[] = [];
  readonly #upstream: Upstream;
  readonly #report: (change: ObservedChange) => void;
  readonly #observed = new Map<string, Observed>();
  #over = false;

  /** `tell` is called with every version of every observed object, existing ones first. */
  constructor(upstream: Upstream, tell: (change: ObservedChange) => void) {
    this.#upstream = upstream;
    this.#report = tell;
  }

  /** Starts observing a resource; resolves once all existing objects have been reported. */
  observe(resource: ObservedResource, within: Within = {}): Promise<void> {
    const key = objectKey(groupResource(resource), within.namespace ?? '', within.name ?? '');
    let observed = this.#observed.get(key);
    if (observed === undefined) {
      observed = new Observed(this.#upstream, resource, within, this.#report, this.gaps, () => this.#over);
      this.#observed.set(key, observed);
    }
    return observed.ready;
  }

  /** Resolves with true once the reported state is the server's current one, with false if that takes longer than `timeoutMs`. */
  async caughtUp(timeoutMs: number): Promise<boolean> {
    const until = realNow() + timeoutMs;
    const looks = [...this.#observed.values()].map(async (observed) => {
      while (!(await observed.isCurrent())) {
        if (realNow() > until) return false;
        await realDelay(POLL_MS);
      }
      return true;
    });
    return (await Promise.all(looks)).every(Boolean);
  }

  close(): void {
    this.#over = true;
    for (const observed of this.#observed.values()) observed.close();
  }
}

class Observed {
  readonly ready: Promise<void>;
  readonly #upstream: Upstream;
  readonly #resource: ObservedResource;
  readonly #within: Within;
  readonly #name: string;
  readonly #report: (change: ObservedChange) => void;
  readonly #gaps: string[];
  readonly #isOver: () => boolean;
  readonly #live = new Map<string, KubeObject>();
  #seen = false;
  #cancel: () => void = () => {};

  constructor(
    upstream: Upstream,
    resource: ObservedResource,
    within: Within,
    tell: (change: ObservedChange) => void,
    gaps: string[],
    isOver: () => boolean,
  ) {
    this.#upstream = upstream;
    this.#resource = resource;
    this.#within = within;
    this.#name = groupResource(resource);
    this.#report = tell;
    this.#gaps = gaps;
    this.#isOver = isOver;
    this.ready = this.#start();
  }

  close(): void {
    this.#cancel();
  }

  async isCurrent(): Promise<boolean> {
    if (!this.#seen) return true;
    const list = await this.#list();
    if (list === undefined) return true;
    return (
      list.items.length === this.#live.size &&
      list.items.every(({ metadata }) => {
        const known = this.#live.get(metadata.uid ?? '');
        return known?.metadata.resourceVersion === metadata.resourceVersion;
      })
    );
  }

  async #start(): Promise<void> {
    const list = await this.#list();
    if (list === undefined) return;
    this.#seen = true;
    for (const object of list.items.toSorted((a, b) => revisionOf(a) - revisionOf(b))) this.#take('ADDED', object);
    this.#watch(list.revision);
  }

  async #list(): Promise<{ readonly items: readonly KubeObject[]; readonly revision: string } | undefined> {
    let answer: ApiResponse;
    try {
      answer = await this.#listWithRetries();
    } catch (error) {
      this.#gap(error instanceof Error ? error.message : String(error));
      return undefined;
    }
    const { items, metadata, apiVersion, kind } = (answer.body ?? {}) as {
      readonly items?: readonly KubeObject[];
      readonly metadata?: { readonly resourceVersion?: string };
      readonly apiVersion?: string;
      readonly kind?: string;
    };
    if (answer.code !== 200 || items === undefined) {
      // Resources that cannot be listed, such as reviews and bindings, are not stored. A forbidden list is a gap.
      if (answer.code !== 404 && answer.code !== 405) this.#gap(`listing it was answered ${answer.code}`);
      return undefined;
    }
    // Items of a list have no apiVersion and kind.
    const type = { apiVersion: apiVersion ?? '', kind: (kind ?? '').replace(/List$/, '') };
    return { items: items.map((item) => ({ ...type, ...item })), revision: metadata?.resourceVersion ?? '0' };
  }

  /** Lists the resource, and retries while the server is busy or still preparing storage for a new kind. */
  async #listWithRetries(): Promise<ApiResponse> {
    const until = realNow() + BUSY_MS;
    for (;;) {
      const answer = await call(this.#upstream, this.#request({}));
      if ((answer.code !== 429 && answer.code < 500) || this.#isOver() || realNow() > until) return answer;
      await realDelay(RETRY_MS);
    }
  }

  #watch(from: string): void {
    if (this.#isOver()) return;
    let latest = from;
    const again = (): void => {
      void realDelay(RETRY_MS).then(() => this.#watch(latest));
    };
    this.#cancel = this.#upstream.send(
      this.#request({ watch: '1', resourceVersion: from, allowWatchBookmarks: 'true' }),
      {
        open: () => {},
        event: (event) => {
          if (event.type === 'ERROR') {
            this.#gap('its watch reported that its version is too old');
            this.#cancel();
            void this.#start();
            latest = '';
            return;
          }
          latest = (event.object as KubeObject).metadata.resourceVersion ?? latest;
          this.#event(event);
        },
        answer: ({ code }) => {
          if (code !== 410) return again();
          this.#gap('its watch reported that its version is too old');
          void this.#start();
        },
        end: () => {
          if (latest !== '') again();
        },
      },
    );
  }

  #event({ type, object }: WatchEvent): void {
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') this.#take(type, object as KubeObject);
  }

  #take(type: ObservedChange['type'], object: KubeObject): void {
    const { name = '', namespace = '', uid = '' } = object.metadata;
    const before = this.#live.get(uid);
    if (before !== undefined && revisionOf(before) >= revisionOf(object)) return;
    if (type === 'DELETED') this.#live.delete(uid);
    else this.#live.set(uid, object);
    const known = before === undefined ? type : type === 'ADDED' ? 'MODIFIED' : type;
    this.#report({
      type: known,
      revision: revisionOf(object),
      resource: this.#name,
      namespace,
      name,
      uid,
      object,
      ...(before === undefined ? {} : { before }),
    });
  }

  #request(query: ApiRequest['query']): ApiRequest {
    const { namespace = '', name } = this.#within;
    return {
      method: 'GET',
      path: collectionPath(this.#resource, namespace),
      query: name === undefined ? query : { ...query, fieldSelector: `metadata.name=${name}` },
      headers: { 'user-agent': OBSERVER_AGENT },
    };
  }

  #gap(why: string): void {
    if (!this.#isOver()) this.#gaps.push(`${this.#name}: ${why}`);
  }
}
