/**
 * What the gate knows of one request on its way: the exchange, the stream that a watch opened, the item that waits for it.
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
  /** It may change something beside the API server: a command in a container, a call to others. */
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
  /** Without an event: the end, with an error where the server's connection broke off. */
  readonly queue: { event: WatchEvent | undefined; error: ConnectionError | undefined; at: number; timeMs: number }[];
  /** The server has opened it. */
  offered: boolean;
  /** The actor has received that the stream is open. */
  open: boolean;
  head: PendingItem | undefined;
  /** It begins with what is there, as a list does, and that has not all been delivered. */
  isListing: boolean;
}

/** A pending item together with what executing it does. */
export interface PendingItem extends Item {
  readonly exchange: Exchange;
  readonly response?: ApiResponse | 'open' | ConnectionError;
}

/** When its actor asked for it and began to wait; undefined for an event that comes by itself. */
export function askedMs({ kind, exchange }: PendingItem): number | undefined {
  return kind === 'event' && exchange.stream?.isListing !== true ? undefined : exchange.operation.invoked.timeMs;
}

/** An item that comes back once its delay is over, in its own place. */
export function asLate(item: PendingItem): PendingItem {
  const late = { ...item, label: item.label + LATE };
  const { exchange } = item;
  exchange.item = late;
  if (exchange.stream?.head === item) exchange.stream.head = late;
  return late;
}

const LISTED = 'k8s.io/initial-events-end';

/** Whether an event says that all has been delivered which was there when the watch was opened. */
export function endsListing({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && (object as KubeObject).metadata.annotations?.[LISTED] === 'true';
}

/** What a waiting item is called once its operation or its stream has been renamed. */
export function newName({ kind, label, exchange }: PendingItem): Pick<Item, 'label' | 'stream' | 'k'> {
  if (kind !== 'event') {
    return { label: exchange.operation.label + (kind === 'send' ? SENT : ANSWERED), stream: '', k: 0 };
  }
  const now = exchange.stream?.label ?? '';
  return { label: `${now}/${partsOf(label).event?.name ?? ''}@0`, stream: now, k: 0 };
}

/** The version of the event that waits first; 0 for none. */
export function headRevision(stream: Stream | undefined): number {
  const event = stream?.queue[0]?.event;
  return event === undefined || event.type === 'ERROR' ? 0 : revisionOf(event.object as KubeObject);
}
