/**
 * Folds happenings into a history: passes them through a gate again, so that the history has labels and records like those of any other
 * run.
 *
 * Owns: when a change counts as committed (before any actor receives it, in order of revision), and which request made it. Does not own:
 * the source of happenings (`captured.ts`, `audit-log.ts`). Start at {@link foldHistory}.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import { revisionOf, type JsonObject, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiResponse, ResponseSink, Upstream } from 'stalemate-apiserver/wire/http';
import { FreeRunning } from '../../gate/free-running.ts';
import { Gate } from '../../gate/gate.ts';
import { Naming } from '../../gate/naming.ts';
import { Recorder, type ObservedChange } from '../../gate/recorder.ts';
import type { History } from '../../model/history.ts';
import type { Scheduler } from '../../model/item.ts';
import { Makers } from './makers.ts';
import type { Happening } from './happening.ts';

/** Releases every item immediately. */
const AT_ONCE: Scheduler = {
  next: ({ items }) => {
    const [item] = items;
    return item === undefined ? undefined : { item };
  },
  holding: () => false,
};

/** Returns the history of the happenings. Changes need not be in order or complete. */
export function foldHistory(happenings: readonly Happening[]): History {
  return new Fold(happenings).history();
}

class Fold {
  readonly #happenings: readonly Happening[];
  readonly #naming = new Naming();
  readonly #recorder: Recorder;
  readonly #gate: Gate;
  readonly #makers: Makers;
  readonly #sinks = new Map<number, ResponseSink>();
  readonly #aborts = new Map<number, () => void>();
  /** The changes in order of revision; those from index `#next` on are not committed yet. */
  readonly #changes: readonly ObservedChange[];
  #next = 0;
  #timeMs = 0;
  #exchange = 0;

  constructor(happenings: readonly Happening[]) {
    this.#happenings = happenings;
    this.#recorder = new Recorder(() => this.#timeMs, this.#naming);
    this.#changes = changesOf(happenings);
    this.#makers = new Makers(happenings);
    const upstream: Upstream = {
      send: (_request, sink) => {
        this.#sinks.set(this.#exchange, sink);
        this.#makers.sent(this.#exchange, this.#recorder.attributing());
        return () => {};
      },
    };
    const running = new FreeRunning(AT_ONCE, () => this.#gate);
    this.#gate = new Gate(upstream, this.#recorder, this.#naming, {
      crash: () => {},
      startReplica: () => {},
      pause: () => {},
      delay: (_label, _forMs, goOn) => goOn(),
      parked: running.parked,
    });
  }

  history(): History {
    const recorder = this.#recorder;
    recorder.phase('setup');
    const [first] = this.#happenings;
    const before = this.#happenings.find(({ what }) => what === 'request')?.timeMs ?? first?.timeMs ?? 0;
    // Commits the changes from before the first request.
    for (const one of this.#happenings) if (one.what === 'change' && one.timeMs < before) this.#reveal(one);
    this.#gate.startContention();
    recorder.phase('contention');
    for (const one of this.#happenings) {
      this.#timeMs = Math.max(this.#timeMs, Math.round(one.timeMs));
      this.#reveal(one);
      this.#happen(one);
    }
    for (const phase of ['heal', 'settle', 'end'] as const) recorder.phase(phase);
    return recorder.history({ result: 'time-exceeded', timeMs: this.#timeMs }, this.#happenings.length, []);
  }

  #happen(one: Happening): void {
    if (one.what === 'change') return;
    const { exchange } = one;
    this.#exchange = exchange;
    const sink = this.#sinks.get(exchange);
    switch (one.what) {
      case 'request':
        this.#aborts.set(exchange, this.#gate.port(one.actor).send(one.request, NOBODY));
        break;
      case 'answer':
        sink?.answer(this.#whole(one.answer));
        break;
      case 'open':
        sink?.open();
        break;
      case 'event':
        sink?.event({ type: one.event.type, object: this.#wholeObject(one.event.object) });
        break;
      case 'end':
        if (one.broken) this.#aborts.get(exchange)?.();
        else sink?.end();
    }
  }

  /** Commits all changes up to the revision that this happening shows to an actor. */
  #reveal(one: Happening): void {
    const shown = revisionShown(one);
    for (
      let change = this.#changes[this.#next];
      change !== undefined && change.revision <= shown;
      change = this.#changes[this.#next]
    ) {
      this.#next++;
      const commit = this.#makers.of(change);
      if (commit === undefined) this.#recorder.committed(change);
      else commit(change);
    }
  }

  /** Returns the complete object for a metadata-only one that an actor received, if known. */
  #wholeObject(object: KubeObject | JsonObject): KubeObject | JsonObject {
    if (object['kind'] !== 'PartialObjectMetadata') return object;
    const { metadata } = object as KubeObject;
    const revision = revisionOf(object as KubeObject);
    return (
      this.#changes.find((change) => change.revision === revision && change.uid === metadata.uid)?.object ?? object
    );
  }

  #whole(answer: ApiResponse): ApiResponse {
    const { body } = answer;
    if (typeof body === 'string' || !isMap(body)) return answer;
    return { ...answer, body: this.#wholeObject(body) };
  }
}

const NOBODY: ResponseSink = { answer: () => {}, open: () => {}, event: () => {}, end: () => {} };

/** Returns the highest revision that this happening shows to an actor. */
function revisionShown(one: Happening): number {
  switch (one.what) {
    case 'change':
      return one.change.revision;
    case 'event':
      return one.event.type === 'ERROR' ? 0 : versionOf(one.event.object);
    case 'answer':
      return typeof one.answer.body === 'object' && one.answer.body !== null && one.answer.code < 300
        ? versionOf(one.answer.body as JsonObject)
        : 0;
    default:
      return 0;
  }
}

function versionOf(object: KubeObject | JsonObject): number {
  const { resourceVersion } = (object['metadata'] ?? {}) as { readonly resourceVersion?: string };
  const revision = Number(resourceVersion ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
}

/** Returns the change of each revision once, in order, with the previous content of its object. */
function changesOf(happenings: readonly Happening[]): readonly ObservedChange[] {
  const byRevision = new Map<number, ObservedChange>();
  for (const one of happenings)
    if (one.what === 'change' && !byRevision.has(one.change.revision)) byRevision.set(one.change.revision, one.change);
  const latest = new Map<string, KubeObject>();
  return [...byRevision.values()]
    .toSorted((a, b) => a.revision - b.revision)
    .map((change) => {
      const before = change.before ?? latest.get(change.uid);
      if (change.type === 'DELETED') latest.delete(change.uid);
      else latest.set(change.uid, change.object);
      return before === undefined || change.type === 'ADDED' ? change : { ...change, before };
    });
}
