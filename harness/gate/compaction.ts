/** Versions that the fault `expire-watch` has declared compacted. A client that resumes a watch from such a version gets another 410. */
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ResponseSink } from 'stalemate-apiserver/wire/http';
import { failureStatus } from 'stalemate-apiserver/wire/status';
import type { Operation } from '../model/history.ts';

type Watch = Pick<Operation, 'actor' | 'resource' | 'query'>;

export class Compaction {
  /** The oldest version that is still available, by actor and resource. */
  readonly #first = new Map<string, number>();

  /** Declares everything before `revision` compacted, for the actor and the resource of a watch. */
  before(revision: number, watch: Watch): void {
    const key = keyOf(watch);
    this.#first.set(key, Math.max(this.#first.get(key) ?? 0, revision));
  }

  /**
   * Reports whether a watch resumes from a compacted version. A watch that starts with the current objects, or with the next change, does
   * not.
   */
  isGone(watch: Watch): boolean {
    const { resourceVersion = '', sendInitialEvents } = watch.query;
    if (sendInitialEvents === 'true') return false;
    const version = Number(resourceVersion);
    return version > 0 && version < (this.#first.get(keyOf(watch)) ?? 0);
  }
}

function keyOf({ actor, resource }: Watch): string {
  return `${actor} ${resource}`;
}

/** Ends a watch whose version is compacted: in the stream, as kube-apiserver does. */
export function endExpired(sink: Pick<ResponseSink, 'event' | 'end'>): void {
  sink.event({ type: 'ERROR', object: failureStatus(410, 'Expired', 'too old resource version') });
  sink.end();
}

/** Reports whether an event says that the version from which the watch resumes is compacted. */
export function saysExpired({ type, object }: WatchEvent): boolean {
  return type === 'ERROR' && (object as { readonly code?: unknown }).code === 410;
}
