/**
 * Reads the traffic captured by a front: converts bytes into requests, answers and events of named actors.
 *
 * Start at {@link readCapture}.
 */
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, Method } from 'stalemate-apiserver/wire/http';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import { FrameReader } from '../../gate/http/frames.ts';
import type { Passed } from '../../gate/http/capture.ts';
import { decoded, mediaType, PROTOBUF } from '../../gate/http/decode.ts';
import type { AnswerHead } from '../../gate/http/exchange.ts';
import { headerOf } from '../../gate/http/exchange.ts';
import { questionOf } from '../../gate/http/remote-upstream.ts';
import type { ActorId } from '../../model/actor.ts';
import type { Verb } from '../../model/history.ts';
import { activitiesOf, nameActors, programOf } from './actors.ts';
import type { Happening } from './happening.ts';

export interface ReadCapture {
  readonly happenings: readonly Happening[];
  /** The user agent of each actor. */
  readonly actors: ReadonlyMap<ActorId, string>;
}

const NO_AGENT = 'no user agent';
const OPAQUE: ReadonlySet<string> = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/** Reports whether a subresource is a byte stream, whose content is not interpreted. */
export function isOpaque(subresource: string): boolean {
  return OPAQUE.has(subresource);
}

/** Reads a capture. Only requests for resources are kept. `target` is part of the controller's user agent. */
export function readCapture(passed: readonly Passed[], target?: string): ReadCapture {
  const names = nameActors(
    activitiesOf(passed.flatMap((one) => (one.what === 'request' ? [{ agent: agentOf(one), verb: verbOf(one) }] : []))),
    target,
  );
  const happenings: Happening[] = [];
  const open = new Map<number, Reading>();
  for (const one of passed) {
    if (one.what === 'request') {
      const request = requestOf(one);
      const info = requestInfo(request.method, request.path, request.query);
      if (info === undefined || isOpaque(info.subresource)) continue;
      open.set(one.exchange, new Reading(one.exchange, info.verb === 'watch', happenings));
      const actor = names.get(agentOf(one)) ?? 'user';
      happenings.push({ what: 'request', exchange: one.exchange, timeMs: one.timeMs, actor, request });
      continue;
    }
    const reading = open.get(one.exchange);
    if (one.what === 'head') reading?.head(one.head, one.timeMs);
    else if (one.what === 'piece') reading?.piece(one.bytes, one.timeMs);
    else reading?.end(one.whole, one.timeMs);
  }
  return { happenings, actors: new Map([...names].map(([agent, name]) => [name, agent])) };
}

/** Parses one answer as it arrives. */
class Reading {
  readonly #exchange: number;
  readonly #watch: boolean;
  readonly #out: Happening[];
  readonly #pieces: Buffer[] = [];
  #head: AnswerHead | undefined;
  #frames: FrameReader | undefined;
  #timeMs = 0;

  constructor(exchange: number, watch: boolean, out: Happening[]) {
    this.#exchange = exchange;
    this.#watch = watch;
    this.#out = out;
  }

  head(head: AnswerHead, timeMs: number): void {
    this.#head = head;
    if (!this.#watch || head.code !== 200) return;
    this.#out.push({ what: 'open', exchange: this.#exchange, timeMs });
    this.#frames = new FrameReader(mediaType(head.headers) === PROTOBUF, (event) =>
      this.#out.push({
        what: 'event',
        exchange: this.#exchange,
        timeMs: this.#timeMs,
        event: { type: event.type, object: event.object },
      }),
    );
  }

  piece(bytes: Buffer, timeMs: number): void {
    this.#timeMs = timeMs;
    if (this.#frames === undefined) this.#pieces.push(bytes);
    else this.#frames.read(bytes);
  }

  end(whole: boolean, timeMs: number): void {
    const head = this.#head;
    const exchange = this.#exchange;
    if (this.#frames === undefined && head !== undefined && whole) {
      const body: JsonValue = readable(decoded(this.#pieces, head.headers));
      this.#out.push({ what: 'answer', exchange, timeMs, answer: { code: head.code, body } });
    } else this.#out.push({ what: 'end', exchange, timeMs, broken: !whole });
  }
}

/** Returns the body; an empty string if there is none, or if it is a Table, which only displays objects. */
function readable(body: JsonValue | undefined): JsonValue {
  return (body as JsonObject | undefined)?.['kind'] === 'Table' ? '' : (body ?? '');
}

type PassedRequest = Extract<Passed, { what: 'request' }>;

function requestOf({ head, body }: PassedRequest): ApiRequest {
  const { path, query } = questionOf(head);
  const decodedBody = decoded(body, head.headers);
  const headers: { [name: string]: string } = {};
  for (const name of ['content-type', 'user-agent']) {
    const value = headerOf(head.headers, name);
    if (value !== undefined) headers[name] = value;
  }
  return {
    method: head.method as Method,
    path,
    query,
    headers,
    ...(decodedBody === undefined ? {} : { body: decodedBody }),
  };
}

function agentOf({ head }: PassedRequest): string {
  return programOf(headerOf(head.headers, 'user-agent') ?? NO_AGENT);
}

function verbOf({ head }: PassedRequest): Verb | undefined {
  const { path, query } = questionOf(head);
  return requestInfo(head.method as Method, path, query)?.verb;
}
