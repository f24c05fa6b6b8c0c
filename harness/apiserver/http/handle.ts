/**
 * One request from exchange to upstream and back.
 *
 * Owns: the order of checks before the upstream is asked (as kube-apiserver's filters have it), limits, the life of a watch. Does not
 * own: media types (`media.ts`), what the answers say. Start at {@link Handler.handle}.
 */
import { Random } from '../../determinism/random.ts';
import { realDate } from '../../determinism/real-time.ts';
import type { JsonValue } from '../../model/object.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { ApiRequest, ApiResponse, Method, ResponseSink, Upstream, UserInfo } from '../../wire/http.ts';
import { failure } from '../../wire/status.ts';
import { listAsSent } from '../../wire/typed-list.ts';
import type { Authenticator } from './authentication.ts';
import { Deadlines } from './deadlines.ts';
import { durationProblem } from './duration.ts';
import type { AnswerHeaders, Exchange } from './exchange.ts';
import { decodeBody, metadataOf, wanted, type Wanted } from './media.ts';
import { parseTarget, type Target } from './target.ts';

/** kube-apiserver's limit on request bodies. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;
/** A watcher this far behind, initial events aside, is dropped by a plain close, as kube-apiserver does. */
const WATCH_BACKLOG_BYTES_MAX = 16 * 1024 * 1024;

const UNAUTHORIZED = failure(401, 'Unauthorized', 'Unauthorized');
const NOT_ALLOWED = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);
const TOO_LARGE = failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_BYTES_MAX}`);
const NOT_ACCEPTABLE = failure(
  406,
  'NotAcceptable',
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
);

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const PLAIN: Wanted = { metadataOnly: false };

export interface HandlerOptions {
  readonly upstream: Upstream;
  readonly authenticator: Authenticator;
  /** How long a watch without timeoutSeconds lives at least; at most twice as long. */
  readonly watchTimeoutSeconds: number;
}

export class Handler {
  readonly #upstream: Upstream;
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
    this.#auditPrefix = new Random(realDate().getTime()).uuid().slice(0, -12);
  }

  /** Answers one request, sooner or later. */
  handle(exchange: Exchange): void {
    const audit = this.#auditId(exchange.headers['audit-id']);
    const answer = (response: ApiResponse, want = PLAIN, pretty = false, close = false): void => {
      const { text, headers } = this.#shown(response, want, pretty, audit);
      exchange.respond(response.code, headers, text, close);
    };
    try {
      this.#answer(exchange, audit, answer);
    } catch (error) {
      if (exchange.started) exchange.abort();
      else answer(failure(500, 'InternalError', `Internal error occurred: ${String(error)}`));
    }
  }

  /** Ends watches cleanly and forgets their deadlines. */
  close(): void {
    this.#deadlines.close();
    for (const exchange of this.#watches) exchange.end();
    this.#watches.clear();
  }

  #answer(
    exchange: Exchange,
    audit: string,
    answer: (response: ApiResponse, want?: Wanted, pretty?: boolean, close?: boolean) => void,
  ): void {
    const { headers } = exchange;
    const target = parseTarget(exchange.target);
    if (target === undefined) {
      exchange.respond(400, { 'content-type': 'text/plain; charset=utf-8' }, '400 Bad Request', true);
      return;
    }
    const timeout = target.query['timeout'];
    if (timeout !== undefined && timeout !== '' && !isLongRunning(exchange.method, target)) {
      const problem = durationProblem(timeout);
      if (problem !== undefined) {
        answer(failure(400, 'BadRequest', `invalid timeout specified in the request URL - ${problem}`));
        return;
      }
    }
    const pretty = wantsPretty(target.query, one(headers['user-agent']));
    const user = this.#authenticator.user(exchange.certified, one(headers['authorization']));
    if (user === undefined) {
      answer(UNAUTHORIZED, PLAIN, pretty);
      return;
    }
    if (!METHODS.has(exchange.method)) {
      answer(NOT_ALLOWED, PLAIN, pretty);
      return;
    }
    const want = wanted(one(headers['accept']) ?? '');
    if (want === undefined) {
      answer(NOT_ACCEPTABLE, PLAIN, pretty);
      return;
    }
    exchange.readBody(BODY_BYTES_MAX, (body) => {
      if (body === undefined) {
        answer(TOO_LARGE, PLAIN, pretty, true);
        return;
      }
      this.#send(requestOf(exchange, target, user, body), exchange, audit, want, (response) =>
        answer(response, want, pretty),
      );
    });
  }

  #send(
    request: ApiRequest,
    exchange: Exchange,
    audit: string,
    want: Wanted,
    answer: (response: ApiResponse) => void,
  ): void {
    let cancel = (): void => {};
    let over = false;
    let initial: number | undefined;
    const end = (): void => {
      cancel();
      exchange.end();
    };
    const sink: ResponseSink = {
      answer,
      open: () => {
        exchange.start(200, {
          'audit-id': audit,
          'cache-control': 'no-cache, private',
          'content-type': 'application/json',
        });
        this.#watches.add(exchange);
        const forget = this.#deadlines.after(this.#lifeOf(request.query['timeoutSeconds']), end);
        exchange.onClose(() => {
          over = true;
          forget();
          this.#watches.delete(exchange);
          cancel();
        });
      },
      event: (event) => {
        if (over) return;
        // What is written while the watch opens had no chance to leave.
        if (initial !== undefined && exchange.backlog > WATCH_BACKLOG_BYTES_MAX + initial) end();
        else exchange.write(eventText(event, want));
      },
      end: (error) => {
        if (error === undefined) exchange.end();
        else exchange.abort();
      },
    };
    cancel = this.#upstream.send(request, sink);
    initial = exchange.backlog;
    if (over) cancel();
  }

  /** Real servers draw from once to twice the minimum, so that watches do not all come back at once; here they take turns. */
  #lifeOf(asked: string | undefined): number {
    const seconds = Number(asked);
    if (Number.isFinite(seconds) && seconds > 0) return seconds;
    const golden = 0.618_033_988_749_895;
    return this.#watchTimeoutSeconds * (1 + ((this.#audits * golden) % 1));
  }

  #shown(
    { code, body, headers, plainText }: ApiResponse,
    want: Wanted,
    pretty: boolean,
    audit: string,
  ): { readonly text: string; readonly headers: AnswerHeaders } {
    const common = { 'audit-id': audit, 'cache-control': 'no-cache, private' };
    if (plainText === true || typeof body === 'string')
      return {
        text: typeof body === 'string' ? body : JSON.stringify(body),
        headers: {
          ...common,
          'content-type': 'text/plain; charset=utf-8',
          'x-content-type-options': 'nosniff',
          ...headers,
        },
      };
    const seen = want.metadataOnly && code < 300 ? metadataOf(body) : listAsSent(body);
    const text = `${pretty ? JSON.stringify(seen, undefined, 2) : JSON.stringify(seen)}\n`;
    return { text, headers: { ...common, 'content-type': 'application/json', ...headers } };
  }

  /** The client's own id, or a new one: unique, and nothing more is promised of it. */
  #auditId(given: string | readonly string[] | undefined): string {
    if (typeof given === 'string' && given !== '') return given.slice(0, 64);
    this.#audits += 1;
    return this.#auditPrefix + this.#audits.toString(16).padStart(12, '0');
  }
}

function eventText({ type, object }: WatchEvent, want: Wanted): string {
  const shown: JsonValue = want.metadataOnly && type !== 'ERROR' ? metadataOf(object) : object;
  return `${JSON.stringify({ type, object: shown })}\n`;
}

function requestOf(exchange: Exchange, target: Target, user: UserInfo, body: Buffer): ApiRequest {
  const decoded = decodeBody(body, one(exchange.headers['content-type']) ?? '');
  return {
    method: exchange.method as Method,
    path: target.path,
    query: target.query,
    // A header that may come several times is an array; only cookies do, and nobody reads those.
    headers: exchange.headers as ApiRequest['headers'],
    user,
    ...decoded,
  };
}

/** Requests that `timeout` does not apply to. */
function isLongRunning(method: string, { path, query }: Target): boolean {
  if (method !== 'GET') return false;
  const watch = query['watch'];
  return (watch !== undefined && watch !== 'false' && watch !== '0') || path.includes('/watch/');
}

/** Browsers and command lines get indented JSON, as from kube-apiserver. */
function wantsPretty(query: Target['query'], agent: string | undefined): boolean {
  const asked = query['pretty'];
  if (asked !== undefined) return asked !== 'false' && asked !== '0';
  return agent !== undefined && /^(curl|Wget|Mozilla\/)/.test(agent);
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
