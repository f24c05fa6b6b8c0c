/**
 * A real API server as runs know clusters: requests go to it over HTTP, an observer tells what it commits, etcd is put back between runs.
 *
 * Owns: one server with what every run needs in it, and whether it has been asked for something that it has not done yet. What is asked
 * about kinds is answered by an embedded server that holds the same definitions and nothing else. Does not own: how answers and changes are
 * brought into one order (`commit-order.ts`), the programs (`control-plane/`). Start at {@link RealCluster}.
 */
import { BUILT_IN } from '../../apiserver/kinds/table.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import type { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream, type RemoteUpstream } from '../../gate/http/remote-upstream.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import { HarnessError, invariant } from '../../model/errors.ts';
import { isWrite } from '../../model/history.ts';
import { groupResource, revisionOf, type KubeObject, type ResourceKind } from '../../model/object.ts';
import type { ApiRequest, ResponseSink } from '../../wire/http.ts';
import { requestInfo } from '../../wire/request-info.ts';
import type { Cluster, ClusterState } from '../cluster.ts';
import { Observer } from '../observer.ts';
import { Arrivals } from './arrivals.ts';
import { CommitOrder, type InTheNameOf } from './commit-order.ts';
import { encoded, type Etcd, type EtcdWrites, type Stored } from './etcd.ts';
import { OwedEvents } from './owed-events.ts';
import { isServersKey, isServersObject, storageKey } from './storage-key.ts';

/** Who hears of what happens in a run. */
export interface Witness {
  /** In the name of whoever the gate acts for right now. */
  acting(): InTheNameOf;
  committed(change: ObservedChange): void;
}

export interface RealClusterParts {
  readonly remote: RemoteServer;
  readonly etcd: Etcd;
  /** Knows the kinds; holds no objects. */
  readonly kinds: ApiServer;
  /** The run that goes on, if one does. */
  readonly witness: () => Witness | undefined;
}

/** How long the server may take to show what etcd holds. */
const SHOWN_MS = 10_000;
/** So often is a state put back that does not stay. */
const ATTEMPTS_MAX = 20;
const POLL_MS = 2;
const NOTHING = (): void => {};
const BUILT_IN_RESOURCES: ReadonlySet<string> = new Set(BUILT_IN.map(({ gr }) => gr));

interface State {
  readonly stored: ReadonlyMap<string, Stored>;
  /** Uids of what there is to see. */
  readonly uids: ReadonlySet<string>;
}

export class RealCluster implements Cluster {
  readonly remote: RemoteServer;
  readonly #upstream: RemoteUpstream;
  readonly #etcd: Etcd;
  readonly #kinds: ApiServer;
  readonly #witness: RealClusterParts['witness'];
  readonly #observer: Observer;
  readonly #order: CommitOrder;
  readonly #owed = new OwedEvents();
  /** What has been told since the run began. */
  readonly #changes: ObservedChange[] = [];
  readonly #arrivals = new Arrivals(() => this.#unanswered === 0 && !this.#owed.isAny);
  /** Revisions at which etcd held what the state says. */
  readonly #clean = new Map<string, number>();
  readonly #observed = new Set<string>();
  #state: State | undefined;
  /** The revision at which the run began: what is older is another run's. */
  #base = 0;
  #unanswered = 0;
  #requests = 0;

  constructor({ remote, etcd, kinds, witness }: RealClusterParts) {
    this.remote = remote;
    this.#etcd = etcd;
    this.#kinds = kinds;
    this.#witness = witness;
    this.#upstream = remoteUpstream(remote);
    this.#order = new CommitOrder(
      (change) => this.#witness()?.committed(change),
      (change) => {
        this.#changes.push(change);
        this.#owed.committed(change);
      },
    );
    this.#observer = new Observer(this.#upstream, (change) => {
      if (isServersObject(change)) this.#order.passed(change);
      else this.#order.seen(change);
      this.#arrivals.look();
    });
  }

  /** Sees every kind from now on, stores these as they are, and takes all of that for the state that runs begin from. */
  async begin(objects: readonly KubeObject[]): Promise<void> {
    const kinds = new Map<string, ResourceKind>();
    for (const kind of this.#kinds.resourceKinds()) {
      const key = groupResource(kind);
      // One store, two groups: the older one is what the embedded server calls it by.
      if (kind.group !== 'events.k8s.io' && !kinds.has(key)) kinds.set(key, kind);
    }
    await Promise.all([...kinds.values()].map((kind) => this.#observer.observe(kind)));
    for (const key of kinds.keys()) this.#observed.add(key);
    await this.seed(objects);
    const stored = await this.#etcd.all();
    for (const [key, { revision }] of stored) this.#clean.set(key, revision);
    if (!(await this.#observer.caughtUp(SHOWN_MS))) throw unclean('it does not list what it stores');
    this.#state = { stored, uids: new Set(this.#order.live.keys()) };
  }

  snapshot(): ClusterState {
    invariant(this.#state !== undefined, 'a cluster has begun before runs begin on it');
    return this.#state;
  }

  async restore(): Promise<void> {
    const state = this.snapshot() as State;
    this.#order.reset();
    for (let attempt = 1; ; attempt++) {
      const { byKey, revision } = await this.#etcd.revisions();
      const { put, remove } = this.#toPutBack(state, byKey);
      this.#base = revision;
      if (put.size === 0 && remove.length === 0) break;
      if (attempt > ATTEMPTS_MAX) throw unclean(`${[...put.keys(), ...remove].slice(0, 3).join(', ')} comes back`);
      const written = await this.#etcd.write({ put, remove });
      for (const [key, at] of written) this.#clean.set(key, at);
      await this.#until(() => this.#shows(state, written), 'show what was put back');
    }
    this.#changes.length = 0;
  }

  async seed(objects: readonly KubeObject[]): Promise<void> {
    const put = new Map(objects.map((object) => [this.#key(object), encoded(JSON.stringify(stripped(object)))]));
    const written = await this.#etcd.write({ put, remove: [] });
    await this.#until(() => this.#areSeen(written), 'show what was put there');
  }

  kindFor(apiVersion: string, kind: string): ReturnType<Cluster['kindFor']> {
    return this.#kinds.kindFor(apiVersion, kind);
  }

  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string> {
    return this.#kinds.subresourcesOf(apiVersion, kind);
  }

  deniedRequests(): ReturnType<Cluster['deniedRequests']> {
    return [];
  }

  /** Whether an answer or an event is on its way. */
  get isBusy(): boolean {
    return this.#unanswered > 0 || this.#owed.isAny || this.#arrivals.isAny;
  }

  send(request: ApiRequest, sink: ResponseSink): () => void {
    const asked = this.#withinRun(request);
    const info = requestInfo(asked.method, asked.path, asked.query);
    if (info?.verb === 'watch') return this.#watch(asked, groupResource(info), sink);
    const number = this.#sent();
    const pass = (act: () => void): void => {
      this.#unanswered--;
      this.#arrivals.answer(number, act);
    };
    const as = this.#witness()?.acting();
    const write =
      info === undefined || as === undefined || !isWrite(info.verb) ? undefined : this.#order.begin(asked, as);
    return this.#upstream.send(asked, {
      open: NOTHING,
      event: NOTHING,
      answer: (response) => {
        const act = (): void => pass(() => sink.answer(response));
        if (write === undefined) act();
        else write.answered(response, act);
      },
      end: (error) => {
        const act = (): void => pass(() => sink.end(error));
        if (write === undefined) act();
        else write.lost(act);
      },
    });
  }

  close(): void {
    this.#observer.close();
    this.#upstream.close();
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
      this.#unanswered--;
    };
    const unlessOver = (act: () => void) => (): void => {
      if (state !== 'over') act();
    };
    const isTold = (object: Partial<KubeObject>) => (): boolean => !isObserved || this.#isTold(object);
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
        owed.close();
        this.#arrivals.answer(
          number,
          unlessOver(() => sink.answer(response)),
        );
      },
      event: (event) => {
        owed.received(event);
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

  /** Another request is under way; its number. */
  #sent(): number {
    this.#unanswered++;
    return this.#requests++;
  }

  /** A list from the past is never one from another run. */
  #withinRun(request: ApiRequest): ApiRequest {
    const { resourceVersion, resourceVersionMatch } = request.query;
    if (resourceVersionMatch !== 'Exact' || Number(resourceVersion) >= this.#base) return request;
    return { ...request, query: { ...request.query, resourceVersion: String(this.#base) } };
  }

  #isTold({ metadata }: Partial<KubeObject>): boolean {
    if (metadata?.uid === undefined) return true;
    return this.#order.knows(metadata.uid, revisionOf({ metadata }));
  }

  /** What etcd has to be told for it to hold the state again. */
  #toPutBack({ stored }: State, now: ReadonlyMap<string, number>): EtcdWrites {
    const remove = [...now.keys()].filter((key) => !stored.has(key) && !isServersKey(key));
    const put = new Map<string, string>();
    for (const [key, { value }] of stored)
      if (!isServersKey(key) && now.get(key) !== this.#clean.get(key)) put.set(key, value);
    return { put, remove };
  }

  #shows({ uids }: State, written: ReadonlyMap<string, number>): boolean {
    const { live } = this.#order;
    return live.size === uids.size && [...uids].every((uid) => live.has(uid)) && this.#areSeen(written);
  }

  /** Whether what etcd was given has been told; what is no object is never told. */
  #areSeen(written: ReadonlyMap<string, number>): boolean {
    const revisions = new Set(written.values());
    const objects = [...written.keys()].filter((key) => !key.startsWith('/registry/ranges/')).length;
    return [...this.#order.live.values()].filter(({ revision }) => revisions.has(revision)).length >= objects;
  }

  #key(object: KubeObject): string {
    const kind = this.kindFor(object.apiVersion, object.kind);
    invariant(kind !== undefined, `the kind ${object.apiVersion} ${object.kind} of what is seeded is known`);
    return storageKey(kind, BUILT_IN_RESOURCES.has(groupResource(kind)), object);
  }

  async #until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const untilMs = realNow() + SHOWN_MS;
    while (!(await done())) {
      if (realNow() > untilMs) throw unclean(`it took longer than ${SHOWN_MS / 1000} s to ${what}`);
      await realDelay(POLL_MS);
    }
  }
}

function revisionIn({ metadata }: Partial<KubeObject>): number {
  const revision = metadata === undefined ? 0 : revisionOf({ metadata });
  return revision === 0 ? Number.POSITIVE_INFINITY : revision;
}

function stripped({ metadata, ...rest }: KubeObject): object {
  const { resourceVersion: _, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function unclean(why: string): HarnessError {
  return new HarnessError(
    'CLUSTER_UNAVAILABLE',
    `the API server could not be put back to where runs begin: ${why}; expected what it stores to be what it was`,
  );
}
