/**
 * Matches the changes that an observer sees with the server's answers, so that both appear in the same order as in one process: a change is
 * published before any client receives it, in revision order, attributed to the write of the client that requested it.
 *
 * Owns: what waits for what. A change observed during a write waits for the write's answer; an answer waits until its changes have been
 * observed; a watch event waits until its change has been published. Start at {@link CommitOrder}.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import { realClearTimeout, realSetTimeout } from '../../determinism/real-time.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import { claimsOf, isClaimed, type ExpectedCommit } from './claims.ts';

/** Runs `act` on behalf of the requesting client. */
export type InTheNameOf = (act: () => void) => void;

export interface Write {
  /** Called with the server's answer; calls `pass` once every change that the answer reports has been published. */
  answered(response: ApiResponse, pass: () => void): void;
  /** Called if the outcome is unknown. */
  lost(pass: () => void): void;
}

/** After this time, in ms, an answer is passed on although its change was not observed; normally the observer is milliseconds behind. */
const UNSEEN_MS = 5_000;

interface UnderWay {
  readonly request: ApiRequest;
  readonly as: InTheNameOf;
  claims: readonly ExpectedCommit[];
  /** Absent until there is an answer. */
  pass: (() => void) | undefined;
  timer: ReturnType<typeof realSetTimeout> | undefined;
}

export class CommitOrder {
  /** The last published revision of every existing object, by uid. */
  readonly live: Map<string, ObservedChange> = new Map();
  /**
   * Whether a change was published after a newer one since the last {@link startOrder}: each kind has its own watch, and if no client waits for the
   * answer of a write, nothing shows that its change is still missing.
   */
  get isOutOfOrder(): boolean {
    return this.#isOutOfOrder;
  }
  #isOutOfOrder = false;
  #newest = 0;
  /** The number of answers that were passed on although a change that they report had not been observed. */
  unseen = 0;
  readonly #publish: (change: ObservedChange) => void;
  readonly #published: (change: ObservedChange) => void;
  readonly #isOurs: (change: ObservedChange, isMade: boolean) => boolean;
  /** The last published revision number of every object, including deleted ones, by uid. */
  readonly #revisions = new Map<string, number>();
  readonly #underWay = new Set<UnderWay>();
  #waiting: ObservedChange[] = [];

  /**
   * `publish` is called with each change on behalf of the client that made it; `published` afterwards. Changes that do not belong to the
   * run are skipped, whichever client made them.
   */
  constructor(
    publish: (change: ObservedChange) => void,
    published: (change: ObservedChange) => void,
    isOurs: (change: ObservedChange, isMade: boolean) => boolean = () => true,
  ) {
    this.#publish = publish;
    this.#published = published;
    this.#isOurs = isOurs;
  }

  /** Reports whether this revision, or a later one, has been published. */
  knows(uid: string, revision: number): boolean {
    return (this.#revisions.get(uid) ?? -1) >= revision;
  }

  /** Records a change that is not published and that no answer waits for. */
  passed({ uid, revision }: ObservedChange): void {
    this.#revisions.set(uid, revision);
  }

  /** Called when the observer has seen a change. */
  seen(change: ObservedChange): void {
    this.#waiting.push(change);
    this.#settle();
  }

  /** Called when a request that may change something is sent to the server. */
  begin(request: ApiRequest, as: InTheNameOf): Write {
    const write: UnderWay = { request, as, claims: [], pass: undefined, timer: undefined };
    this.#underWay.add(write);
    return {
      answered: (response, pass) => {
        write.claims = claimsOf(request, response);
        this.#pass(write, pass);
      },
      lost: (pass) => this.#pass(write, pass),
    };
  }

  /**
   * Publishes observed changes although answers are missing. A change to the object of a write in progress is attributed to that write,
   * whose answer may be late because a slow webhook has to convert it first.
   */
  hasten(): void {
    this.#settle(true);
  }

  /** Forgets the writes in progress: no client still waits for them. */
  reset(): void {
    for (const { timer } of this.#underWay) realClearTimeout(timer);
    this.#underWay.clear();
    this.#settle();
    this.startOrder();
  }

  /** Forgets in which order earlier changes became known. */
  startOrder(): void {
    this.#isOutOfOrder = false;
  }

  #pass(write: UnderWay, pass: () => void): void {
    if (!this.#underWay.has(write)) return;
    write.pass = pass;
    write.timer = realSetTimeout(() => {
      this.unseen++;
      write.claims = write.claims.filter((claim) => !this.#isOpen(claim));
      this.#settle();
    }, UNSEEN_MS);
    this.#settle();
  }

  #settle(isHastened = false): void {
    const all = [...this.#underWay];
    const writes = all.filter(({ pass, claims }) => pass !== undefined && !claims.some((claim) => this.#isOpen(claim)));
    if (!isHastened && writes.length < all.length) return;
    const seen = this.#waiting.toSorted((a, b) => a.revision - b.revision);
    this.#waiting = [];
    const changes: ObservedChange[] = [];
    for (const change of seen) {
      const maker =
        all.find(({ claims }) => claims.some((claim) => isClaimed(claim, change))) ??
        all.find(({ pass, request }) => pass === undefined && isAbout(request, change));
      this.#revisions.set(change.uid, change.revision);
      if (!this.#isOurs(change, maker !== undefined)) continue;
      changes.push(change);
      this.#isOutOfOrder ||= change.revision < this.#newest;
      this.#newest = Math.max(this.#newest, change.revision);
      if (change.type === 'DELETED') this.live.delete(change.uid);
      else this.live.set(change.uid, change);
      if (maker === undefined) this.#publish(change);
      else maker.as(() => this.#publish(change));
    }
    for (const write of writes) {
      realClearTimeout(write.timer);
      this.#underWay.delete(write);
    }
    for (const change of changes) this.#published(change);
    for (const { pass } of writes) pass?.();
  }

  /** Reports whether the change that a claim expects has not been observed yet. */
  #isOpen(claim: ExpectedCommit): boolean {
    if (claim.perhaps || this.#waiting.some((change) => isClaimed(claim, change))) return false;
    switch (claim.what) {
      case 'version':
        return !this.knows(claim.uid, claim.revision);
      case 'end':
        return claim.uid === '' ? this.#isThere(claim.place) : this.live.has(claim.uid);
      case 'some':
        return this.#isThere(claim.place);
    }
  }

  #isThere(place: string): boolean {
    for (const { resource, namespace, name } of this.live.values())
      if (place === `${resource}/${namespace}/${name}`) return true;
    return false;
  }
}

/** Reports whether a request may have made this change, judging by its path alone. */
function isAbout({ method, path, query }: ApiRequest, change: ObservedChange): boolean {
  const info = requestInfo(method, path, query);
  if (info === undefined || groupResource(info) !== change.resource || info.namespace !== change.namespace)
    return false;
  return info.name === '' ? change.type === 'ADDED' || info.verb === 'deletecollection' : info.name === change.name;
}
