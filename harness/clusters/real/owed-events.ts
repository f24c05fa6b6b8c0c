/**
 * The events that open watches of a server still have to deliver; while there are any, something is in transit.
 *
 * Owns: what a watch selects, by namespace and selectors. Field selectors other than by name are not supported; for such a watch no event
 * is expected. Start at {@link OwedEvents}.
 */
import { labelsMatch, parseFieldSelector, parseLabelSelector } from 'stalemate-apiserver/selectors';
import { groupResource, revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ApiRequest } from 'stalemate-apiserver/wire/http';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import { realNow } from '../../determinism/real-time.ts';
import type { ObservedChange } from '../../gate/recorder.ts';

/** After this time, in ms, no event is expected any more: a server delivers events within milliseconds, or has an unknown reason not to. */
const OWED_MS = 1_000;

export interface OpenWatch {
  /** Called when the server has sent this event. */
  received(event: WatchEvent): void;
  close(): void;
}

interface Watching {
  readonly resource: string;
  readonly namespace: string;
  readonly matches: (object: KubeObject) => boolean;
  readonly owed: Map<string, number>;
  readonly received: Map<string, number>;
}

export class OwedEvents {
  readonly #open = new Set<Watching>();
  #sinceMs = 0;

  /** Records a watch that has opened. `live`: the existing objects. `since`: returns the changes after a revision. */
  open(
    request: ApiRequest,
    live: Iterable<ObservedChange>,
    since: (revision: number) => Iterable<ObservedChange>,
  ): OpenWatch {
    const info = requestInfo(request.method, request.path, request.query);
    const { query } = request;
    const watching: Watching = {
      resource: info === undefined ? '' : groupResource(info),
      namespace: info?.namespace ?? '',
      matches: matcher(query),
      owed: new Map(),
      received: new Map(),
    };
    this.#open.add(watching);
    this.#sinceMs = realNow();
    const from = query['resourceVersion'] ?? '';
    const fromScratch = from === '' || from === '0' || query['sendInitialEvents'] === 'true';
    for (const change of fromScratch ? live : since(Number(from))) owe(watching, change, fromScratch);
    return {
      received: ({ type, object }) => {
        if (type === 'BOOKMARK' || type === 'ERROR') return;
        const { metadata } = object as Partial<KubeObject>;
        const uid = metadata?.uid ?? '';
        const revision = metadata === undefined ? 0 : revisionOf({ metadata });
        watching.received.set(uid, revision);
        if ((watching.owed.get(uid) ?? Number.POSITIVE_INFINITY) <= revision) watching.owed.delete(uid);
      },
      close: () => this.#open.delete(watching),
    };
  }

  /** Records a change that matching watches will deliver. */
  committed(change: ObservedChange): void {
    this.#sinceMs = realNow();
    for (const watching of this.#open) owe(watching, change, false);
  }

  get isAny(): boolean {
    if (realNow() - this.#sinceMs > OWED_MS) return false;
    return [...this.#open].some(({ owed }) => owed.size > 0);
  }
}

function owe(watching: Watching, change: ObservedChange, asItIs: boolean): void {
  if (change.resource !== watching.resource) return;
  if (watching.namespace !== '' && change.namespace !== watching.namespace) return;
  const { matches, owed, received } = watching;
  const is = change.type !== 'DELETED' && matches(change.object);
  const was = !asItIs && change.type !== 'ADDED' && matches(change.before ?? change.object);
  if ((is || was) && (received.get(change.uid) ?? -1) < change.revision) owed.set(change.uid, change.revision);
}

const NAMES: { readonly [label: string]: 'name' | 'namespace' } = {
  'metadata.name': 'name',
  'metadata.namespace': 'namespace',
};

function matcher({ labelSelector = '', fieldSelector = '' }: ApiRequest['query']): (object: KubeObject) => boolean {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  if (typeof labels === 'string' || typeof fields === 'string') return () => false;
  if (fields.some(({ label }) => NAMES[label] === undefined)) return () => false;
  return (object) =>
    labelsMatch(labels, object) &&
    fields.every(({ label, value, equal }) => (object.metadata[NAMES[label] ?? 'name'] === value) === equal);
}
