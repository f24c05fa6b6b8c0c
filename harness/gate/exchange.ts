/**
 * The gate's state of one request in progress: the exchange, the stream that a watch opened, the item that waits for it.
 *
 * Does not own: what happens to them (`gate.ts`).
 */
import { revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ApiRequest, ApiResponse, ConnectionError, ResponseSink } from 'stalemate-apiserver/wire/http';
import type { ActorId } from '../model/actor.ts';
import type { Item } from '../model/item.ts';
import { ANSWERED, LATE, partsOf, SENT } from '../model/label.ts';
import type { OpenOperation } from './recorder.ts';

export interface Exchange {
  readonly request: ApiRequest;
  readonly sink: ResponseSink;
  readonly operation: OpenOperation;
  readonly asked: string | undefined;
  /** It may have effects outside the API server: a command in a container, or a call to another server. */
  readonly acts: boolean;
  item: PendingItem | undefined;
  stream: Stream | undefined;
  abortUpstream: (() => void) | undefined;
  over: boolean;
}

export interface Stream {
  readonly actor: ActorId;
  readonly base: string;
  readonly resource: string;
  readonly exchange: Exchange;
  label: string;
  nextK: number;
  /** An entry without an event is the end, with an error if the server's connection broke. */
  readonly queue: { event: WatchEvent | undefined; error: ConnectionError | undefined; at: number; timeMs: number }[];
  /** The server has opened the stream. */
  offered: boolean;
  /** The actor knows that the stream is open. */
  open: boolean;
  head: PendingItem | undefined;
  /** The watch starts with the existing objects, as a list does, and has not delivered all of them yet. */
  isListing: boolean;
}

/** The stream of a watch that was requested and is not open yet. `base` is its label without a number. */
export function newStream(exchange: Exchange, base: string): Stream {
  const { actor, resource, label } = exchange.operation;
  return {
    actor,
    base,
    resource,
    exchange,
    label,
    nextK: 0,
    queue: [],
    offered: false,
    open: false,
    head: undefined,
    isListing: exchange.request.query['sendInitialEvents'] === 'true',
  };
}

/** A pending item together with the function that executes it. */
export interface PendingItem extends Item {
  readonly exchange: Exchange;
  readonly response?: ApiResponse | 'open' | ConnectionError;
}

/** When its actor sent the request and began to wait; undefined for an event, which nothing waits for. */
export function askedMs({ kind, exchange }: PendingItem): number | undefined {
  return kind === 'event' && exchange.stream?.isListing !== true ? undefined : exchange.operation.invoked.timeMs;
}

/** The item that returns to the gate, in its own place, after its delay. */
export function asLate(item: PendingItem): PendingItem {
  const late = { ...item, label: item.label + LATE };
  const { exchange } = item;
  exchange.item = late;
  if (exchange.stream?.head === item) exchange.stream.head = late;
  return late;
}

const LISTED = 'k8s.io/initial-events-end';

/** Reports whether an event marks the end of the initial objects of a watch. */
export function endsListing({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && (object as KubeObject).metadata.annotations?.[LISTED] === 'true';
}

/** The name of a pending item after its operation or stream was renamed. */
export function newName({ kind, label, exchange }: PendingItem): Pick<Item, 'label' | 'stream' | 'k'> {
  if (kind !== 'event') {
    return { label: exchange.operation.label + (kind === 'send' ? SENT : ANSWERED), stream: '', k: 0 };
  }
  const now = exchange.stream?.label ?? '';
  return { label: `${now}/${partsOf(label).event?.name ?? ''}@0`, stream: now, k: 0 };
}

/** The revision of the first pending event; 0 if there is none. */
export function headRevision(stream: Stream | undefined): number {
  const event = stream?.queue[0]?.event;
  return event === undefined || event.type === 'ERROR' ? 0 : revisionOf(event.object as KubeObject);
}
