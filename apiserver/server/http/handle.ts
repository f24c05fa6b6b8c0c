/**
 * Handles one request: from the exchange to the upstream, and the answer back.
 *
 * Owns: the order of checks before the upstream is called (that of kube-apiserver's filters), limits, the lifetime of a watch. Does not
 * own: media types (`negotiate.ts`), the contents of answers. Start at {@link Handler.handle}.
 */
import { randomUid } from '../../ids.ts';
import { realDate } from '../../clock.ts';
import type { ApiRequest, ApiResponse, Method, ResponseSink, Upstream } from '../../wire/http.ts';
import type { Session } from '../../wire/session.ts';
import { asksToWatch } from '../../wire/request-info.ts';
import { failure, failureStatus } from '../../wire/status.ts';
import type { Route } from '../route.ts';
import type { Authenticator } from './authentication.ts';
import { compress, compresses } from './compress.ts';
import { Deadlines } from './deadlines.ts';
import { durationProblem } from './duration.ts';
import type { AnswerHeaders, Exchange } from './exchange.ts';
import { decodeBody } from './decode.ts';
import { encodeBody, eventEncoder } from './encode.ts';
import { discoveryRefusal, negotiate, negotiateRefusal, type Wanted } from './negotiate.ts';
import { Outlet } from './outlet.ts';
import { parseTarget } from './target.ts';

/** kube-apiserver's limit on request bodies. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;
/**
 * The maximum backlog of a watch, in events after the initial ones. As in kube-apiserver, a watch with a longer backlog is closed without
 * an error.
 */
const WATCH_BACKLOG_MAX = 1000;

/** After a watch is closed, its client has this long to read what was already written. */
const SLOW_READER_SECONDS = 30;

const UNAUTHORIZED = failure(401, 'Unauthorized', 'Unauthorized');
const TOO_LARGE = failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_BYTES_MAX}`);
const TEXT = 'text/plain; charset=utf-8';
const NO_CACHE = 'no-cache, private';

/** An upstream that answers requests, and may know which resources their paths name. */
export interface Served extends Upstream {
  /** Returns the resource that `path` names, if any: content negotiation depends on it. */
  routeOf?(path: string): Route | undefined;
  /** Returns the error response if the path names a resource but the method is not routed. Called before any other check. */
  refusalOf?(route: Route, method: string): ApiResponse | undefined;
}

export interface HandlerOptions {
  readonly upstream: Served;
  readonly authenticator: Authenticator;
  /** Minimum lifetime of a watch without timeoutSeconds; the maximum is twice as long. */
  readonly watchTimeoutSeconds: number;
}

export class Handler {
  readonly #upstream: Served;
  readonly #authenticator: Authenticator;
  readonly #watchTimeoutSeconds: number;
  readonly #deadlines = new Deadlines();
  readonly #watches = new Set<Exchange>();
  readonly #auditPrefix: string;
  #audits = 0;

  constructor({ upstream, authenticator, watchTimeoutSeconds }: HandlerOptions) {
    this.#upstream = upstream;
    this.#authenticator = authenticator;
    this.#watchTimeoutSeconds = watchTimeoutSeconds;
    this.#auditPrefix = randomUid().slice(0, -12);
  }

  /** Answers one request, possibly later. */
  handle(exchange: Exchange): void {
    const audit = this.#auditId(exchange.headers['audit-id']);
    try {
      this.#handle(exchange, audit);
    } catch (error) {
      this.#fail(exchange, audit, error);
    }
  }

  /** Closes watches cleanly and removes their deadlines. */
  close(): void {
    this.#deadlines.close();
    for (const exchange of this.#watches) exchange.end();
    this.#watches.clear();
  }

  #handle(exchange: Exchange, audit: string): void {
    const target = parseTarget(exchange.target);
    if (target === undefined) {
      exchange.respond(400, { 'content-type': TEXT }, '400 Bad Request', true);
      return;
    }
    const { path, query, repeated } = target;
    if (NAMELESS.test(path)) {
      exchange.respond(500, { 'content-type': TEXT, 'x-content-type-options': 'nosniff' }, nameless(exchange.target));
      return;
    }
    // Header values are strings here: Node passes an array only for repeated cookies, which are not used.
    const headers = exchange.headers as ApiRequest['headers'];
    const method = exchange.method as Method;
    const user = this.#authenticator.user(exchange.certified, headers['authorization']);
    const asked = repeated === undefined ? { path, query } : { path, query, repeated };
    const request: ApiRequest =
      user === undefined ? { method, ...asked, headers } : { method, ...asked, headers, user };
    const route = this.#upstream.routeOf?.(path);
    const watching = isWatch(request, route);
    // Requests that are not routed are refused before content negotiation.
    const unrouted = route !== undefined && this.#upstream.refusalOf?.(route, method) !== undefined;
    const want = unrouted ? negotiateRefusal(request) : negotiate(request, route, watching);
    const refused = refusal(request, unrouted ? undefined : route, watching) ?? ('media' in want ? undefined : want);
    if (refused !== undefined || !('media' in want)) {
      if (refused !== undefined)
        respond(exchange, audit, 'media' in want ? want : negotiateRefusal(request), request, refused);
      return;
    }
    exchange.readBody(BODY_BYTES_MAX, (body) => {
      if (body === undefined) {
        respond(exchange, audit, want, request, TOO_LARGE, true);
        return;
      }
      try {
        const decoded = body.length === 0 ? undefined : decodeBody(body, headers['content-type'] ?? '', method, route);
        this.#send(exchange, audit, want, decoded === undefined ? request : { ...request, ...decoded });
      } catch (error) {
        this.#fail(exchange, audit, error);
      }
    });
  }

  #send(exchange: Exchange, audit: string, want: Wanted, request: ApiRequest): void {
    let cancel = (): void => {};
    let over = false;
    let answered = false;
    let initial: number | undefined;
    let outlet: Outlet | undefined;
    const end = (): void => {
      cancel();
      exchange.end();
    };
    const drop = (): void => {
      end();
      exchange.onClose(this.#deadlines.after(SLOW_READER_SECONDS, () => exchange.abort()));
    };
    const sink: ResponseSink = {
      answer: (answer) => {
        answered = true;
        if (answer.session !== undefined) {
          this.#goOn(exchange, audit, want, request, answer.session);
          return;
        }
        const unwanted =
          answer.code === 200 && want.route === undefined ? discoveryRefusal(request, answer) : undefined;
        respond(exchange, audit, want, request, unwanted ?? answer);
      },
      open: (headers) => {
        const encoder = eventEncoder(want, request);
        const usual = { 'audit-id': audit, 'cache-control': NO_CACHE, 'content-type': encoder.type };
        exchange.start(200, { ...usual, ...headers });
        outlet = new Outlet(exchange, encoder);
        this.#watches.add(exchange);
        const forget = this.#deadlines.after(this.#lifeOf(request.query['timeoutSeconds']), end);
        exchange.onClose(() => {
          over = true;
          forget();
          this.#watches.delete(exchange);
        });
      },
      event: (event) => {
        if (over || outlet === undefined) return;
        // Events that are sent while the watch opens cannot be written yet, so they do not count as backlog.
        if (initial !== undefined && outlet.waiting > WATCH_BACKLOG_MAX + initial) drop();
        else outlet.send(event);
      },
      end: (error) => {
        answered = true;
        if (error !== undefined) exchange.abort();
        else if (outlet === undefined) exchange.end();
        else outlet.end();
      },
    };
    cancel = this.#upstream.send(request, sink);
    initial = outlet?.waiting ?? 0;
    if (over) cancel();
    // A client may disconnect while the gate holds its request; disconnecting also ends a watch.
    if (!answered) exchange.onClose(() => !answered && cancel());
  }

  /**
   * Continues a request as an upgraded connection, or as the log of a pod that the client follows. The log stays open until the client
   * disconnects.
   */
  #goOn(exchange: Exchange, audit: string, want: Wanted, request: ApiRequest, session: Session): void {
    if (session.type === 'log') {
      exchange.start(200, { 'audit-id': audit, 'cache-control': NO_CACHE, 'content-type': 'text/plain' });
      exchange.write(session.text);
      this.#watches.add(exchange);
      exchange.onClose(() => this.#watches.delete(exchange));
    } else if (exchange.become?.(session) !== true)
      respond(exchange, audit, want, request, failure(400, 'BadRequest', 'Upgrade request required'));
  }

  #fail(exchange: Exchange, audit: string, error: unknown): void {
    if (exchange.started) {
      exchange.abort();
      return;
    }
    const text = JSON.stringify(failureStatus(500, 'InternalError', `Internal error occurred: ${String(error)}`));
    exchange.respond(500, { 'audit-id': audit, 'cache-control': NO_CACHE, 'content-type': 'application/json' }, text);
  }

  /**
   * Returns the lifetime of a watch. A real server draws it at random between the minimum and twice the minimum; here it is spread evenly
   * over that range.
   */
  #lifeOf(asked: string | undefined): number {
    const seconds = Number(asked);
    if (Number.isFinite(seconds) && seconds > 0) return seconds;
    const golden = 0.618_033_988_749_895;
    return this.#watchTimeoutSeconds * (1 + ((this.#audits * golden) % 1));
  }

  /** Returns the audit id that the client sent, or a new one: only uniqueness is guaranteed. */
  #auditId(given: string | readonly string[] | undefined): string {
    if (typeof given === 'string' && given !== '') return given.slice(0, 64);
    this.#audits += 1;
    return this.#auditPrefix + this.#audits.toString(16).padStart(12, '0');
  }
}

/** Paths that end after a legacy prefix, `watch` or `proxy`, and name no resource. */
const NAMELESS = /^\/+(?:api\/[^/]*|apis\/[^/]*\/[^/]*)\/(?:watch|proxy)\/*$/;

function nameless(target: string): string {
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${target}`;
  return `Internal Server Error: ${JSON.stringify(target)}: ${why}\n`;
}

/** Returns the error response of kube-apiserver's filters, which run before the resource handlers; undefined when they pass. */
function refusal(request: ApiRequest, route: Route | undefined, watching: boolean): ApiResponse | undefined {
  const { method, query, user } = request;
  const { timeout, timeoutSeconds } = query;
  if (timeout !== undefined && timeout !== '' && !watching) {
    const problem = durationProblem(timeout);
    if (problem !== undefined)
      return failure(400, 'BadRequest', `invalid timeout specified in the request URL - ${problem}`);
  }
  if (user === undefined) return UNAUTHORIZED;
  if (route === undefined) return undefined;
  if (timeoutSeconds !== undefined && method === 'GET' && route.name === '' && !/^([+-]?\d+)?$/.test(timeoutSeconds))
    return failure(400, 'BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(timeoutSeconds)}: invalid syntax`);
  return undefined;
}

function respond(
  exchange: Exchange,
  audit: string,
  want: Wanted,
  request: ApiRequest,
  answer: ApiResponse,
  close = false,
): void {
  // `/version` ignores the Accept header.
  const shape: Wanted =
    request.path === '/version' && answer.code === 200 ? { ...want, media: 'json', pretty: true } : want;
  const { code, type, payload } = encodeBody(shape, answer, request);
  const headers: AnswerHeaders = { 'audit-id': audit, 'cache-control': NO_CACHE, 'content-type': type };
  if (type.startsWith('text/plain') && !SINGLE_CHECK.test(request.path)) headers['x-content-type-options'] = 'nosniff';
  if (/^\/openapi\/(?:v2$|v3$|v3\/)/.test(request.path)) asDocument(code, headers);
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers[name] = asBytes(value);
  if (code === 204 || code === 304) delete headers['content-type'];
  if (headers['cache-control'] === FOR_EVER) headers['expires'] = nextYear();
  if (!compresses(request.headers, payload)) {
    exchange.respond(code, headers, payload, close);
    return;
  }
  compress(payload, (error, compressed) => {
    if (error === null) {
      headers['content-encoding'] = 'gzip';
      headers['vary'] = 'Accept-Encoding';
    }
    exchange.respond(code, headers, error === null ? compressed : payload, close);
  });
}

/**
 * Returns the UTF-8 of a header value, with one character for each byte: Node sends header values byte by byte, and a warning may quote any
 * text.
 */
function asBytes(value: string): string {
  return /[^\x20-\x7e]/.test(value) ? Buffer.from(value).toString('latin1') : value;
}

/**
 * The Cache-Control of documents whose URL contains their hash. Clients that do not support `immutable` use the expiry date, a year ahead.
 */
const FOR_EVER = 'public, immutable';

function nextYear(): string {
  const date = realDate();
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  // Go's date layout names the zone UTC.
  return date.toUTCString().replace('GMT', 'UTC');
}

const SINGLE_CHECK = /^\/(?:healthz|livez|readyz)\/./;

/**
 * Adjusts the headers of OpenAPI documents: kube-apiserver serves them with a separate library, which sets other headers and sends shorter
 * errors.
 */
function asDocument(code: number, headers: AnswerHeaders): void {
  delete headers['x-content-type-options'];
  if (code === 200) headers['accept-ranges'] = 'bytes';
  else if (code >= 400) delete headers['content-type'];
}

/** Reports whether a request is a watch, to which `timeout` does not apply because it is long-running. */
function isWatch({ method, query }: ApiRequest, route: Route | undefined): boolean {
  if (method !== 'GET') return false;
  return route?.watching === true || (asksToWatch(query) && (route === undefined || route.name === ''));
}
