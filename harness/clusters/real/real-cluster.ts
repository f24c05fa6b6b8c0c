/**
 * A real API server as a {@link Cluster}: requests go to it over HTTP, an observer reports what it commits, and it is reset between runs.
 *
 * Owns: one server with everything that runs need, and whether it is still busy with a request. Questions about kinds are answered by an
 * embedded server that holds the same CRDs and nothing else. Does not own: the order of answers and changes (`commit-order.ts`), the reset
 * (`reset.ts`), which part of a shared server belongs to the run (`territory.ts`), the programs (`control-plane/`). Start at {@link
 * RealCluster}.
 */
import type { ApiServer } from 'stalemate-apiserver';
import { groupResource, revisionOf, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ApiRequest, ApiResponse, ResponseSink } from 'stalemate-apiserver/wire/http';
import { call } from 'stalemate-apiserver/wire/call';
import { isProxied } from 'stalemate-apiserver/wire/redirect';
import { requestInfo, type RequestInfo } from 'stalemate-apiserver/wire/request-info';
import { realClearTimeout, realDelay, realNow, realSetTimeout } from '../../determinism/real-time.ts';
import { carrierOf } from '../../gate/http/carrier.ts';
import type { RawEvent } from '../../gate/http/frames.ts';
import type { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream, type RemoteUpstream } from '../../gate/http/remote-upstream.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import { invariant } from '../../model/errors.ts';
import { isWrite } from '../../model/history.ts';
import type { Cluster, ClusterState } from '../cluster.ts';
import { Observer, type Within } from '../observer.ts';
import { Arrivals } from './arrivals.ts';
import { CommitOrder, type InTheNameOf } from './commit-order.ts';
import { Denials } from './denials.ts';
import { Departure } from './departure.ts';
import { OwedEvents } from './owed-events.ts';
import { unclean, type Reset, type ServerView } from './reset.ts';
import { isServersObject } from './storage-key.ts';
import type { Territory } from './territory.ts';

/** The recipient of a run's events. */
export interface Witness {
  /** Captures the actor for which the gate is acting right now. */
  acting(): InTheNameOf;
  committed(change: ObservedChange): void;
}

export interface RealClusterParts {
  readonly remote: RemoteServer;
  /** The same server for the target's requests: through a relay, or as a separate user. Absent if the target uses `remote`. */
  readonly front?: RemoteServer;
  /**
   * Reports whether the run must not wait for answers right now: because the relay is disturbed, so that answers take long or never come,
   * or because the server itself waits for the target, which may have to receive something first.
   */
  readonly isLoose?: () => boolean;
  /** Creates the reset of the server between runs. */
  readonly reset: (view: ServerView) => Reset;
  /** The part of the server that belongs to the run; absent if all of it does. */
  readonly territory?: Territory;
  /** An embedded server that has the kinds and no objects. */
  readonly kinds: ApiServer;
  /** Returns the witness of the current run, if there is one. */
  readonly witness: () => Witness | undefined;
}

/** How long the server may take to show etcd's content, in ms. */
const SHOWN_MS = 30_000;
/** The time limit for the whole reset, in ms. */
const RESTORE_MS = 60_000;
const POLL_MS = 2;
const NOTHING = (): void => {};
const WHOLE: readonly Within[] = [{}];

export class RealCluster implements Cluster {
  /** The destination of a target's front. */
  readonly remote: RemoteServer;
  readonly #upstream: RemoteUpstream;
  readonly #isLoose: () => boolean;
  readonly #reset: Reset;
  readonly #territory: Territory | undefined;
  readonly #kinds: ApiServer;
  readonly #witness: RealClusterParts['witness'];
  readonly #observer: Observer;
  readonly #order: CommitOrder;
  readonly #owed = new OwedEvents();
  readonly #denials = new Denials();
  /** Changes published since the run began. */
  readonly #changes: ObservedChange[] = [];
  readonly #arrivals = new Arrivals(
    () => this.#isLoose() || (this.#unanswered.size === 0 && !this.#owed.isAny),
    () => this.#order.hasten(),
  );
  readonly #observed = new Set<string>();
  readonly #resources = new Map<string, ResourceKind>();
  #state: ClusterState | undefined;
  /** The revision at which the run began; older revisions belong to earlier runs. */
  #base = 0;
  /** Aborts what waits for the server once it is no longer the intended one. */
  readonly #departure = new Departure();
  /** Requests without an answer yet, by number. */
  readonly #unanswered = new Set<number>();
  #requests = 0;

  constructor({ remote, front = remote, isLoose = () => false, ...parts }: RealClusterParts) {
    const { reset, kinds, witness, territory } = parts;
    this.remote = front;
    this.#isLoose = isLoose;
    this.#territory = territory;
    this.#kinds = kinds;
    this.#witness = witness;
    this.#upstream = remoteUpstream(remote, {
      // A redirect from a backend behind one of the server's proxies does not come from the server itself.
      onRedirect: (code, request) => {
        if (!isProxied(request.path)) this.redirected(code, request);
      },
    });
    this.#order = new CommitOrder(
      (change) => this.#witness()?.committed(change),
      (change) => {
        this.#changes.push(change);
        this.#owed.committed(change);
        this.#reset.touched?.(change.resource);
      },
      (change, isMade) => territory?.includes(change, isMade) ?? true,
    );
    this.#observer = new Observer(this.#upstream, (change) => {
      if (isServersObject(change) && territory?.mayHaveMade(change) !== true) this.#order.passed(change);
      else this.#order.seen(change);
      this.#arrivals.look();
    });
    this.#reset = reset({
      upstream: this.#upstream,
      kinds: this.#resources,
      live: this.#order.live,
      kindFor: (apiVersion, kind) => kinds.kindFor(apiVersion, kind),
      subresourcesOf: (apiVersion, kind) => kinds.subresourcesOf(apiVersion, kind),
      placesOf: (kind) => this.#placesOf(kind),
      isOurs: (resource, { metadata: { namespace = '', name = '', uid = '' } }) => {
        if (territory?.hasMade(uid) === true) return true;
        return (
          !isServersObject({ resource, namespace, name }) &&
          (territory?.owns({ resource, namespace, name, uid }) ?? true)
        );
      },
      knows: (uid, revision) => this.#order.knows(uid, revision),
      caughtUp: () => this.#observer.caughtUp(SHOWN_MS),
      until: (done, what) => this.#until(done, what),
    });
    for (const kind of kinds.resourceKinds()) {
      const key = groupResource(kind);
      // Events are served in two groups with one store; the embedded server uses the older group.
      if (kind.group !== 'events.k8s.io' && !this.#resources.has(key)) this.#resources.set(key, kind);
    }
  }

  /** Starts observing every kind, stores these objects unchanged, and makes the result the initial state of runs. */
  async begin(objects: readonly KubeObject[]): Promise<void> {
    const all = [...this.#resources.values()];
    await this.#departure.unless(Promise.all(all.map((kind) => this.#observe(kind))));
    await this.seed(objects);
    await this.#departure.unless(this.#reset.begin());
    this.#state = {};
  }

  snapshot(): ClusterState {
    invariant(this.#state !== undefined, 'a cluster has begun before runs begin on it');
    return this.#state;
  }

  async restore(): Promise<void> {
    // No client still waits for answers that the previous run did not receive.
    this.#unanswered.clear();
    this.#order.reset();
    this.#base = await withTimeLimit(this.#departure.unless(this.#reset.restore()));
    this.#changes.length = 0;
    this.#denials.clear();
    // The order in which the changes of the restoration became known does not matter.
    this.#order.startOrder();
  }

  seed(objects: readonly KubeObject[]): Promise<void> {
    return this.#departure.unless(this.#reset.seed(objects));
  }

  /** Called when the server redirects a client: no more requests are sent to it. */
  redirected(...[code, request]: Parameters<Departure['redirected']>): void {
    this.#departure.redirected(code, request);
  }

  kindFor(apiVersion: string, kind: string): ReturnType<Cluster['kindFor']> {
    return this.#kinds.kindFor(apiVersion, kind);
  }

  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string> {
    return this.#kinds.subresourcesOf(apiVersion, kind);
  }

  async version(): Promise<string> {
    const { body } = await call(this.#upstream, { method: 'GET', path: '/version', query: {}, headers: {} });
    const { gitVersion = '' } = body as { readonly gitVersion?: string };
    return `kube-apiserver ${gitVersion.replace(/^v/, '')}`.trim();
  }

  isOutOfOrder(): boolean {
    return this.#order.isOutOfOrder;
  }

  deniedRequests(): ReturnType<Cluster['deniedRequests']> {
    return this.#denials.all();
  }

  /**
   * Reports whether an answer or an event is in transit.
   *
   * @throws {REFUSED} if the server has redirected a client.
   */
  get isBusy(): boolean {
    this.#departure.check();
    return !this.#isLoose() && (this.#unanswered.size > 0 || this.#owed.isAny || this.#arrivals.isAny);
  }

  send(request: ApiRequest, sink: ResponseSink): () => void {
    const refusal = this.#territory?.refusalOf(request, this.#resources);
    if (refusal !== undefined) {
      const pass = (): void => sink.answer(refusal);
      this.#arrivals.answer(this.#requests++, pass);
      return NOTHING;
    }
    const within = this.#territory?.narrowed(request, this.#resources) ?? request;
    const asked = this.#reset.asStored?.(this.#withinRun(within)) ?? this.#withinRun(within);
    const info = requestInfo(asked.method, asked.path, asked.query);
    if (info?.verb === 'watch') return this.#watch(asked, groupResource(info), sink);
    if (info !== undefined && isWrite(info.verb)) this.#reset.touched?.(groupResource(info));
    const number = this.#sent();
    const pass = (act: () => void, isTold?: () => boolean): void => {
      if (this.#unanswered.delete(number)) this.#arrivals.answer(number, act, isTold);
    };
    const as = this.#witness()?.acting();
    const write =
      info === undefined || as === undefined || !isWrite(info.verb) ? undefined : this.#order.begin(asked, as);
    let isOver = false;
    const answered: ResponseSink = {
      open: NOTHING,
      event: NOTHING,
      answer: (received) => {
        this.#territory?.answered(asked, received, this.#resources);
        if (isOver) return;
        const response = this.#territory?.answerOf(this.#narrowed(asked, received)) ?? received;
        this.#denials.answered(response);
        const act = (): void => sink.answer(response);
        if (write === undefined) pass(act, this.#isAnswerPublished(info, response));
        else write.answered(response, () => pass(act));
      },
      end: (error) => {
        if (isOver) return;
        const act = (): void => pass(() => sink.end(error));
        if (write === undefined) act();
        else write.lost(act);
      },
    };
    const unknown = this.#territory?.unknownOf(asked);
    const mayMake = info !== undefined && (info.verb === 'create' || unknown !== undefined);
    const made = mayMake ? this.#resources.get(groupResource(info)) : undefined;
    const unseen = made === undefined || this.#observed.has(groupResource(made)) ? undefined : made;
    let cancel: (() => void) | undefined;
    const abandon = (): void => {
      if (isOver) return;
      isOver = true;
      // Do not cancel an apply: only its answer shows whether it has created an object.
      if (unknown === undefined) cancel?.();
      // The request's effect, if any, is observed; its answer has no recipient.
      this.#unanswered.delete(number);
      write?.lost(NOTHING);
      this.#arrivals.look();
    };
    const send = (): void => {
      cancel = this.#upstream.send(asked, answered);
    };
    if (unseen === undefined && unknown === undefined) {
      send();
      return abandon;
    }
    const sendOnceKnown = async (): Promise<void> => {
      // The request creates an object of a kind that is not observed yet: start observing it.
      if (unseen !== undefined) {
        this.#territory?.widen(unseen);
        await this.#observe(unseen);
      }
      const refusal = unknown === undefined || isOver ? undefined : await this.#lookFirst(asked, unknown);
      if (isOver) return;
      if (refusal === undefined) send();
      else answered.answer(refusal);
    };
    void sendOnceKnown();
    return abandon;
  }

  /**
   * Reads the object before an apply that may create a cluster-scoped object. Resolves with a 403 for the apply if the object belongs to
   * another user, or if the read failed.
   */
  async #lookFirst(request: ApiRequest, path: string): Promise<ApiResponse | undefined> {
    const look: ApiRequest = { method: 'GET', path, query: {}, headers: { 'user-agent': 'stalemate' } };
    const there = await call(this.#upstream, look).catch((error: unknown): ApiResponse => ({
      code: 503,
      body: error instanceof Error ? error.message : String(error),
    }));
    return this.#territory?.lookedAt(request, there);
  }

  close(): void {
    this.#observer.close();
    this.#upstream.close();
  }

  #placesOf(kind: ResourceKind): readonly Within[] {
    return this.#territory?.placesOf(kind) ?? WHOLE;
  }

  async #observe(kind: ResourceKind): Promise<void> {
    const places = this.#placesOf(kind);
    if (places.length === 0) return;
    await Promise.all(places.map((within) => this.#observer.observe(kind, within)));
    this.#observed.add(groupResource(kind));
  }

  #watch(request: ApiRequest, resource: string, sink: ResponseSink): () => void {
    const isObserved = this.#observed.has(resource);
    const since = (revision: number): readonly ObservedChange[] =>
      this.#changes.filter((change) => change.revision > revision);
    const owed = this.#owed.open(request, this.#order.live.values(), since);
    const number = this.#sent();
    let state: 'asked' | 'opened' | 'open' | 'over' = 'asked';
    const answered = (): void => {
      if (state !== 'asked') return;
      state = 'opened';
      this.#unanswered.delete(number);
    };
    const unlessOver = (act: () => void) => (): void => {
      if (state !== 'over') act();
    };
    const isTold = (object: Partial<KubeObject>) => (): boolean => !isObserved || this.#isPublished(object);
    const cancel = this.#upstream.send(request, {
      open: (headers) => {
        answered();
        const act = unlessOver(() => {
          state = 'open';
          sink.open(headers);
        });
        this.#arrivals.answer(number, act);
      },
      answer: (response) => {
        answered();
        this.#denials.answered(response);
        owed.close();
        const shown = this.#territory?.answerOf(response) ?? response;
        this.#arrivals.answer(
          number,
          unlessOver(() => sink.answer(shown)),
        );
      },
      event: (event) => {
        owed.received(event);
        if (this.#territory?.hides(request, event, this.#resources) === true) {
          uncountBytes(request, event);
          return;
        }
        const object: Partial<KubeObject> = event.object;
        const act = unlessOver(() => sink.event(event));
        this.#arrivals.event(number, state !== 'open', revisionIn(object), isTold(object), act);
      },
      end: (error) => {
        const isFirst = state !== 'open';
        answered();
        owed.close();
        const act = unlessOver(() => sink.end(error));
        this.#arrivals.event(number, isFirst, Number.POSITIVE_INFINITY, () => true, act);
      },
    });
    return () => {
      answered();
      state = 'over';
      owed.close();
      cancel();
      this.#arrivals.look();
    };
  }

  #narrowed(request: ApiRequest, answer: ApiResponse): ApiResponse {
    return this.#territory?.listOf(request, answer, this.#resources) ?? answer;
  }

  /** Registers a further request in progress; returns its number. */
  #sent(): number {
    this.#unanswered.add(this.#requests);
    return this.#requests++;
  }

  /** Returns the request, changed if needed so that a stale list cannot return a state of an earlier run. */
  #withinRun(request: ApiRequest): ApiRequest {
    const { resourceVersion, resourceVersionMatch } = request.query;
    if (resourceVersionMatch !== 'Exact' || Number(resourceVersion) >= this.#base) return request;
    return { ...request, query: { ...request.query, resourceVersion: String(this.#base) } };
  }

  /**
   * Returns a predicate that reports whether everything that a read returns has been published; on a server with other writers, the
   * observer may be behind.
   */
  #isAnswerPublished(info: RequestInfo | undefined, { code, body }: ApiResponse): () => boolean {
    if (info === undefined || code >= 300 || !this.#observed.has(groupResource(info))) return () => true;
    const { items = [body] } = body as { readonly items?: readonly unknown[] };
    return () => items.every((object) => this.#isPublished(object as Partial<KubeObject>));
  }

  #isPublished({ metadata }: Partial<KubeObject>): boolean {
    if (metadata?.uid === undefined || this.#territory?.isForeign(metadata.namespace) === true) return true;
    return this.#order.knows(metadata.uid, revisionOf({ metadata }));
  }

  async #until(done: () => boolean, what: string): Promise<void> {
    const untilMs = realNow() + SHOWN_MS;
    while (!done()) {
      if (realNow() > untilMs) throw unclean(`it took longer than ${SHOWN_MS / 1000} s to ${what}`);
      await realDelay(POLL_MS);
    }
  }
}

/** Subtracts an event that is not passed on from the bytes that wait for the client. */
function uncountBytes(request: ApiRequest, event: WatchEvent | RawEvent): void {
  const carrier = carrierOf(request);
  if (carrier !== undefined && 'bytes' in event) carrier.waitingBytes -= event.bytes.length;
}

function revisionIn({ metadata }: Partial<KubeObject>): number {
  const revision = metadata === undefined ? 0 : revisionOf({ metadata });
  return revision === 0 ? Number.POSITIVE_INFINITY : revision;
}

/** Applies the time limit, so that no request of a reset is awaited for ever. */
async function withTimeLimit<T>(restored: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof realSetTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = realSetTimeout(() => reject(unclean(`it took longer than ${RESTORE_MS / 1000} s`)), RESTORE_MS);
  });
  try {
    return await Promise.race([restored, late]);
  } finally {
    realClearTimeout(timer);
  }
}
