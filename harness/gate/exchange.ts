/**
 * The gate's state of one request in progress: the exchange, the stream that a watch opened, and the pending item of either.
 *
 * Does not own: what the gate does with them (`gate.ts`).
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
  /** True if the request may have effects outside the API server, such as a command in a container or a call to another server. */
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
  /**
   * Events that wait for delivery. An entry without an event marks the end of the stream, with an error if the connection to the server
   * broke.
   */
  readonly queue: { event: WatchEvent | undefined; error: ConnectionError | undefined; at: number; timeMs: number }[];
  /** True once the server has opened the stream. */
  offered: boolean;
  /** True once the actor knows that the stream is open. */
  open: boolean;
  head: PendingItem | undefined;
  /** True while a watch that starts with the existing objects, as a list does, has not delivered all of them. */
  isListing: boolean;
  /** True once the actor has received a 410: the version from which the stream watches is compacted. */
  isExpired: boolean;
}

/** Returns the stream of a watch that was requested but is not open yet. `base` is the stream's label without its number. */
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
    isExpired: false,
  };
}

/** A pending item with its exchange and, if it is an answer, the response to deliver. */
export interface PendingItem extends Item {
  readonly exchange: Exchange;
  readonly response?: ApiResponse | 'open' | ConnectionError;
}

/**
 * Returns the run time in ms at which the actor sent the request and began to wait. Undefined for a watch event, unless it is part of the
 * initial list: no client waits for a later change.
 */
export function askedMs({ kind, exchange }: PendingItem): number | undefined {
  return kind === 'event' && exchange.stream?.isListing !== true ? undefined : exchange.operation.invoked.timeMs;
}

/** Returns the copy of a delayed item that enters the gate after the delay. It replaces the original in the exchange and the stream. */
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

/** Returns the label, stream and number of a pending item whose operation or stream was renamed. */
export function newName({ kind, label, exchange }: PendingItem): Pick<Item, 'label' | 'stream' | 'k'> {
  if (kind !== 'event') {
    return { label: exchange.operation.label + (kind === 'send' ? SENT : ANSWERED), stream: '', k: 0 };
  }
  const now = exchange.stream?.label ?? '';
  return { label: `${now}/${partsOf(label).event?.name ?? ''}@0`, stream: now, k: 0 };
}

/** Returns the revision of the stream's first pending event; 0 if there is none. */
export function headRevision(stream: Stream | undefined): number {
  const event = stream?.queue[0]?.event;
  return event === undefined || event.type === 'ERROR' ? 0 : revisionOf(event.object as KubeObject);
}
