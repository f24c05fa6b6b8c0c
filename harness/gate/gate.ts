/**
 * The gate: every request of an actor, and every answer and event for it, waits here as a labelled item until the scheduler releases it.
 *
 * Owns: pending items, delivery, the effect of a fault on one item. Does not own: the decisions (a scheduler), the server behind it (an
 * `Upstream`), what is legal (`oracle/assumptions.ts`). Start at {@link Gate.port} (how items arrive) and {@link Gate.execute} (how they
 * leave).
 */
import { groupResource, revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ApiRequest, ConnectionError, ResponseSink, Upstream } from 'stalemate-apiserver/wire/http';
import { actsOutside } from 'stalemate-apiserver/wire/outside-path';
import { acts, connects, requestInfo } from 'stalemate-apiserver/wire/request-info';
import { roleOf } from '../model/actor.ts';
import type { ActorId } from '../model/actor.ts';
import { invariant } from '../model/errors.ts';
import type { StreamEnd } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import type { Item } from '../model/item.ts';
import { ANSWERED, requestLabel, SENT, streamLabel } from '../model/label.ts';
import type { FaultAction } from '../model/schedule.ts';
import { describeFault, fromThePast, injectedFailure } from './faults.ts';
import { Compaction, endExpired, saysExpired } from './compaction.ts';
import { asLate, endsListing, headRevision, newName, newStream } from './exchange.ts';
import type { Exchange, PendingItem, Stream } from './exchange.ts';
import type { Naming } from './naming.ts';
import { outcomeOf } from './outcome.ts';
import type { OpenOperation, Recorder } from './recorder.ts';
import { selectorOf, touched } from './touched.ts';

export interface GateHooks {
  /** Called when the schedule crashes this incarnation. */
  crash(actor: ActorId): void;
  /** Called when the schedule starts a second copy of the target. */
  startReplica(): void;
  /** Called when the schedule pauses this incarnation for this much run time. */
  pause(actor: ActorId, forMs: number): void;
  /** Called when the schedule delays an item for this much run time; the hook calls `goOn` afterwards. */
  delay(item: PendingItem, forMs: number, goOn: () => void): void;
  /**
   * Reports whether connections have been disturbed in this run; if so, a request that breaks off was not necessarily aborted by its actor.
   */
  disturbed?(): boolean;
  /** Called when a new item waits. */
  parked?(): void;
}

export class Gate {
  /** Everything that can happen now, in order of arrival. Includes items of streams that the scheduler holds. */
  readonly pending: PendingItem[] = [];
  /** Counts requests and aborts of actors; quiescence detection reads it. */
  activity = 0;
  readonly #upstream: Upstream;
  readonly #recorder: Recorder;
  readonly #naming: Naming;
  readonly #hooks: GateHooks;
  readonly #exchanges = new Set<Exchange>();
  readonly #compaction = new Compaction();
  #seq = 0;
  /** Items with a lower `seq` are in their final order. */
  #ordered = 0;

  constructor(upstream: Upstream, recorder: Recorder, naming: Naming, hooks: GateHooks) {
    this.#upstream = upstream;
    this.#recorder = recorder;
    this.#naming = naming;
    this.#hooks = hooks;
  }

  /** Returns the upstream to which `actor` sends its requests. */
  port(actor: ActorId): Upstream {
    return { send: (request, sink) => this.#arrive(actor, request, sink) };
  }

  /** Called when contention begins: the numbers in labels restart at 0, also those of open streams, whose next event is `@0`. */
  startContention(): void {
    this.#naming.restartNumbers();
    const open = new Map<string, { label: string; delivered: number }>();
    for (const { stream } of this.#exchanges) {
      if (stream === undefined) continue;
      const label = this.#naming.number(stream.base);
      open.set(stream.label, { label, delivered: stream.nextK });
      stream.label = label;
      stream.nextK = 0;
    }
    this.#recorder.renumber(open);
    // If the target never comes to rest, items are already waiting here; no two of them may share a label.
    for (const [index, item] of this.pending.entries()) {
      const { exchange } = item;
      const { stream } = exchange;
      const renamed = { ...item, ...newName(item) };
      this.pending[index] = exchange.item = renamed;
      if (stream?.head === item) stream.head = renamed;
    }
  }

  /** Sorts the items that arrived since the last call by label, and leaves them behind those that already waited. */
  orderArrivals(): void {
    const first = this.pending.findIndex(({ seq }) => seq >= this.#ordered);
    this.#ordered = this.#seq;
    if (first < 0) return;
    const arrived = this.pending.splice(first);
    this.pending.push(...arrived.sort((a, b) => (a.label < b.label ? -1 : 1)));
  }

  /** Executes one pending item, unchanged or with a fault. */
  execute(chosen: Item, asked?: FaultAction): void {
    const index = this.pending.findIndex((pending) => pending.seq === chosen.seq);
    invariant(index >= 0, `the scheduler chose an item that is not pending: ${chosen.label}`);
    const item = this.pending[index] as PendingItem;
    this.pending.splice(index, 1);
    // A list that asks for the latest state is never answered with an old one, even if a schedule stored for an older controller says so.
    const fault = asked?.do === 'stale-list' && !item.staleable ? undefined : asked;
    if (fault !== undefined) this.#recorder.decision('fault', item.label, describeFault(fault));
    if (fault?.do === 'crash') {
      this.#hooks.crash(item.actor);
      return;
    }
    if (fault?.do === 'delay') {
      this.#hooks.delay(item, fault.forMs, () => this.#arriveLate(item));
      return;
    }
    if (fault?.do === 'start-replica') this.#hooks.startReplica();
    if (fault?.do === 'pause') this.#hooks.pause(item.actor, fault.forMs);
    item.exchange.item = undefined;
    if (item.kind === 'send') this.#forward(item.exchange, fault);
    else if (item.kind === 'answer') this.#answer(item, fault);
    else this.#deliver(item.exchange, fault);
  }

  /** Queues a delayed item again, unless its actor has aborted the request or is gone. */
  #arriveLate(item: PendingItem): void {
    if (item.exchange.over) return;
    this.pending.push(asLate(item));
    this.#hooks.parked?.();
  }

  /** Cuts off an actor: from now on, none of its requests reaches the server, and no answer or event reaches the actor. */
  cut(actor: ActorId): void {
    for (const exchange of [...this.#exchanges]) {
      if (exchange.operation.actor !== actor) continue;
      if (exchange.stream?.open === true) this.#streamEnded(exchange.stream, 'crash');
      else this.#recorder.answered(exchange.operation, { type: 'info', why: 'crash' });
      this.#close(exchange);
    }
  }

  #arrive(actor: ActorId, request: ApiRequest, sink: ResponseSink): () => void {
    this.activity++;
    const info = requestInfo(request.method, request.path, request.query);
    const resource = info === undefined ? '' : groupResource(info);
    // A command in a container commits nothing on the API server, so properties have to treat it as a read.
    const verb = info === undefined || connects(info) ? 'get' : info.verb;
    const namespace = info?.namespace ?? '';
    let name = info?.name ?? '';
    let asked: string | undefined;
    if (info === undefined) name = request.path;
    else if (verb === 'create' && name === '')
      name = asked = this.#naming.ofCreate(resource, namespace, request.body, roleOf(actor) === 'target');
    else if (name !== '') name = this.#naming.canonical(resource, namespace, name);
    const subresource = info?.subresource ?? '';
    const base =
      verb === 'watch'
        ? streamLabel(actor, resource, namespace, selectorOf(request.query))
        : requestLabel({ actor, verb, resource: resource === '' ? 'raw' : resource, subresource, namespace, name });
    const label = this.#naming.number(base);
    const operation: OpenOperation = {
      id: this.#recorder.operations.length,
      actor,
      label,
      verb,
      resource,
      version: info?.version ?? '',
      subresource,
      namespace,
      name: info?.name ?? request.path,
      query: request.query,
      invoked: this.#recorder.mark(),
      outcome: { type: 'pending' },
      committed: [],
    };
    if (request.body !== undefined) operation.body = request.body;
    const contentType = request.headers['content-type'];
    if (contentType !== undefined) operation.contentType = contentType;
    const userAgent = request.headers['user-agent'];
    if (userAgent !== undefined) operation.userAgent = userAgent;
    this.#recorder.operations.push(operation);
    const exchange: Exchange = {
      request,
      sink,
      operation,
      asked: verb === 'create' ? asked : undefined,
      acts: info === undefined ? actsOutside(request) : acts(info),
      item: undefined,
      stream: undefined,
      abortUpstream: undefined,
      over: false,
    };
    if (verb === 'watch') exchange.stream = newStream(exchange, base);
    this.#exchanges.add(exchange);
    this.#park(
      exchange,
      'send',
      label + SENT,
      touched(resource, namespace, info?.name ?? '', operation),
      exchange.acts || isWrite(verb),
    );
    return () => this.#abort(exchange);
  }

  #park(
    exchange: Exchange,
    kind: 'send' | 'answer' | 'event',
    label: string,
    touches: string,
    write: boolean,
    response?: PendingItem['response'],
  ): void {
    const { operation, stream } = exchange;
    const item: PendingItem = {
      seq: this.#seq++,
      kind,
      actor: operation.actor,
      label,
      stream: kind === 'event' ? (stream?.label ?? '') : '',
      k: kind === 'event' ? (stream?.nextK ?? 0) : 0,
      touches,
      write,
      verb: kind === 'event' ? 'event' : exchange.acts ? 'act' : operation.verb,
      revision: kind === 'event' ? headRevision(stream) : 0,
      staleable: kind === 'send' && operation.verb === 'list' && operation.query['resourceVersion'] === '0',
      exchange,
      ...(response === undefined ? {} : { response }),
    };
    exchange.item = item;
    if (kind === 'event' && stream !== undefined) stream.head = item;
    this.pending.push(item);
    this.#hooks.parked?.();
  }

  #forward(exchange: Exchange, fault: FaultAction | undefined): void {
    const { operation } = exchange;
    if (fault?.do === 'refuse') {
      operation.fault = 'refuse';
      const refused: ConnectionError = { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' };
      this.#park(exchange, 'answer', operation.label + ANSWERED, '', false, refused);
      return;
    }
    if (fault?.do === 'fail') {
      operation.fault = `fail ${fault.status}`;
      this.#park(exchange, 'answer', operation.label + ANSWERED, '', false, injectedFailure(fault));
      return;
    }
    if (exchange.stream !== undefined && this.#compaction.isGone(operation)) {
      const sink = this.#upstreamSink(exchange);
      sink.open();
      endExpired(sink);
      return;
    }
    let request = exchange.request;
    if (fault?.do === 'stale-list') {
      operation.fault = 'stale-list';
      request = fromThePast(request, (this.#recorder.revisions.at(-1)?.revision ?? 0) - fault.behind);
    }
    // Changes that the server commits before `send` returns belong to this operation; for later ones, see `acting`.
    this.#recorder.acting(operation, exchange.asked, () => {
      exchange.abortUpstream = this.#upstream.send(request, this.#upstreamSink(exchange));
    });
  }

  #upstreamSink(exchange: Exchange): ResponseSink {
    const { operation } = exchange;
    const park = (response: NonNullable<PendingItem['response']>): void => {
      if (!exchange.over) this.#park(exchange, 'answer', operation.label + ANSWERED, '', false, response);
    };
    return {
      answer: (response) => {
        // A rejected watch has no stream.
        exchange.stream = undefined;
        park(response);
      },
      open: () => {
        if (exchange.stream !== undefined) exchange.stream.offered = true;
        park('open');
      },
      event: (event) => this.#enqueue(exchange, event),
      end: (error) => {
        // A watch whose connection breaks before it opens has no stream either.
        if (exchange.stream?.offered === false) exchange.stream = undefined;
        if (exchange.stream === undefined) park(error ?? { code: 'ECONNRESET', message: 'socket hang up' });
        else this.#enqueue(exchange, undefined, error);
      },
    };
  }

  /** Appends an event, or the end of the stream, to the queue. */
  #enqueue(exchange: Exchange, event: WatchEvent | undefined, error?: ConnectionError): void {
    const { stream } = exchange;
    if (stream === undefined || exchange.over) return;
    stream.queue.push({ event, error, ...this.#recorder.mark() });
    this.#exposeHead(stream);
  }

  #exposeHead(stream: Stream): void {
    const next = stream.queue[0];
    if (!stream.open || stream.head !== undefined || next === undefined || stream.exchange.over) return;
    const object = next.event?.object as KubeObject | undefined;
    const metadata = object?.metadata;
    const name = metadata?.name ?? '';
    const canonical = (metadata?.uid === undefined ? undefined : this.#naming.byUid.get(metadata.uid)) ?? name;
    const touches = name === '' ? '' : `${stream.resource}/${metadata?.namespace ?? ''}/${name}`;
    this.#park(stream.exchange, 'event', `${stream.label}/${canonical || '-'}@${stream.nextK}`, touches, true);
  }

  #answer(item: PendingItem, fault: FaultAction | undefined): void {
    const { exchange } = item;
    const { operation, sink, stream } = exchange;
    let response = item.response;
    invariant(response !== undefined, 'an answer item carries an answer');
    if (fault?.do === 'lose-response') {
      operation.fault = operation.fault ?? 'lose-response';
      response = { code: 'ECONNRESET', message: 'socket hang up' };
      exchange.abortUpstream?.();
    }
    if (response === 'open') {
      invariant(stream !== undefined, 'only a watch opens');
      stream.open = true;
      this.#recorder.answered(operation, { type: 'ok', code: 200 });
      // Notify the actor first, then expose its first event: a request that the actor sends from within `open` arrives before that event.
      // In `#deliver` the order is reversed. Both orders decide arrival numbers, by which schedulers choose, and therefore the meaning of
      // every stored schedule.
      sink.open();
      this.#exposeHead(stream);
      return;
    }
    this.#close(exchange);
    this.#recorder.answered(operation, outcomeOf(response, operation));
    if (typeof response.code === 'string') sink.end(response);
    else sink.answer(response);
  }

  #deliver(exchange: Exchange, fault: FaultAction | undefined): void {
    const { stream, sink } = exchange;
    invariant(stream !== undefined, 'events belong to a stream');
    stream.head = undefined;
    if (fault?.do === 'close-watch') {
      this.#streamEnded(stream, 'closed');
      this.#close(exchange);
      sink.end();
      return;
    }
    if (fault?.do === 'lose-response') {
      this.#streamEnded(stream, 'closed');
      this.#close(exchange);
      sink.end({ code: 'ECONNRESET', message: 'read ECONNRESET' });
      return;
    }
    if (fault?.do === 'expire-watch') {
      this.#compaction.before(headRevision(stream), exchange.operation);
      this.#streamEnded(stream, 'expired');
      this.#close(exchange);
      endExpired(sink);
      return;
    }
    const next = stream.queue.shift();
    invariant(next !== undefined, 'a delivered stream has an event');
    if (next.event === undefined) {
      this.#streamEnded(stream, 'server');
      this.#close(exchange);
      sink.end(next.error);
      return;
    }
    if (endsListing(next.event)) stream.isListing = false;
    if (saysExpired(next.event)) stream.isExpired = true;
    const object = next.event.object as KubeObject;
    this.#recorder.deliveries.push({
      ...this.#recorder.mark(),
      actor: stream.actor,
      stream: stream.label,
      k: stream.nextK++,
      type: next.event.type,
      resource: stream.resource,
      ...(next.event.type === 'ERROR' ? {} : { object }),
      revision: next.event.type === 'ERROR' ? 0 : revisionOf(object),
      available: { at: next.at, timeMs: next.timeMs },
    });
    // Expose the next event first, then notify the actor, unlike in `#answer`: what the actor sends from within `event` arrives after that
    // event.
    this.#exposeHead(stream);
    sink.event(next.event);
  }

  #abort(exchange: Exchange): void {
    if (exchange.over) return;
    this.activity++;
    const isLost = roleOf(exchange.operation.actor) === 'target' && this.#hooks.disturbed?.() === true;
    if (exchange.stream?.open === true) this.#streamEnded(exchange.stream, isLost ? 'closed' : 'aborted-by-actor');
    else {
      const why = isLost ? 'the connection was lost' : 'aborted by the actor';
      this.#recorder.answered(exchange.operation, { type: 'info', why });
    }
    this.#close(exchange);
  }

  #streamEnded({ actor, label, resource, isExpired }: Stream, asked: StreamEnd['why']): void {
    // After a 410 the stream is over, whichever side closes it first.
    const why = isExpired && asked !== 'crash' ? 'expired' : asked;
    this.#recorder.streamEnds.push({ ...this.#recorder.mark(), actor, stream: label, resource, why });
  }

  #close(exchange: Exchange): void {
    if (exchange.over) return;
    exchange.over = true;
    this.#exchanges.delete(exchange);
    if (exchange.stream !== undefined) exchange.abortUpstream?.();
    const index = exchange.item === undefined ? -1 : this.pending.indexOf(exchange.item);
    if (index >= 0) this.pending.splice(index, 1);
  }
}
