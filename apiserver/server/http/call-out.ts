/**
 * Calls to webhooks over HTTPS.
 *
 * Owns: TLS with the configured authority, timeouts, kept-alive connections, and errors in Go's words, because answers quote them. Does not
 * own: requests and the meaning of answers (`admission/`). Start at {@link httpsCallOut}.
 */
import { Agent, request, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { rootCertificates, type ConnectionOptions } from 'node:tls';
import { realClearTimeout, realSetTimeout } from '../../clock.ts';
import type { CallOut, CallOutAnswer, CallOutFunction, ServiceReference } from '../admission/call-out.ts';
import { connectTrusted } from './trust.ts';

export interface CallOutOptions {
  /**
   * Returns the address at which a service can be reached from outside the cluster, such as `127.0.0.1:8443`. Undefined if it is
   * unreachable.
   */
  readonly resolveService?: (service: ServiceReference) => string | undefined;
  /** Connects to a port; if absent, connections use the network. If present, each call has a connection of its own. */
  readonly connect?: (port: number) => Promise<Duplex>;
  /** Runs `then` after a delay, for timeouts; by default with a real timer. The returned function cancels it. */
  readonly after?: (delayMs: number, then: () => void) => () => void;
}

function afterRealTime(delayMs: number, then: () => void): () => void {
  const timer = realSetTimeout(then, delayMs);
  return () => realClearTimeout(timer);
}

/** The maximum bytes of an answer. Go's client reads three times the request size limit. */
const ANSWER_BYTES_MAX = 9 * 1024 * 1024;
/** The maximum number of agents: one for each authority, so that connections are reused. */
const AGENTS_MAX = 100;

/** Calls webhooks as kube-apiserver does. */
export function httpsCallOut(options: CallOutOptions = {}): CallOutFunction {
  const agents = new Map<string, Agent>();
  const agentFor = (authority: string): Agent => {
    let agent = agents.get(authority);
    if (agent === undefined) {
      if (agents.size >= AGENTS_MAX) {
        for (const old of agents.values()) old.destroy();
        agents.clear();
      }
      agents.set(authority, (agent = agentBy(options.connect)));
    }
    return agent;
  };
  return (callOut, answer) => {
    const target = targetOf(callOut, options);
    if (typeof target === 'string') {
      answer({ outcome: 'failed', why: target });
      return () => {};
    }
    return post(
      callOut,
      { ...target, agent: agentFor(callOut.caBundle ?? '') },
      options.after ?? afterRealTime,
      answer,
    );
  };
}

function agentBy(dial: CallOutOptions['connect']): Agent {
  return Object.assign(new Agent({ keepAlive: dial === undefined }), {
    createConnection: (
      target: RequestOptions,
      ready: (error: Error | null, socket?: Duplex) => void,
    ): Duplex | undefined => {
      const options = target as ConnectionOptions;
      if (dial === undefined) return connectTrusted(options);
      dial(Number(target.port)).then(
        (socket) => ready(null, connectTrusted({ ...options, socket })),
        (error: unknown) => ready(error instanceof Error ? error : new Error(String(error))),
      );
      return undefined;
    },
  });
}

/** Returns the address to connect to, or an error. */
function targetOf(callOut: CallOut, options: CallOutOptions): RequestOptions | string {
  const { service, caBundle } = callOut;
  const url = new URL(callOut.url);
  const authority = caBundle === undefined ? '' : Buffer.from(caBundle, 'base64').toString();
  const base: RequestOptions = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 443 : Number(url.port),
    path: url.pathname,
    // Go trusts each certificate of the bundle, even one that is not a CA, such as the server's own certificate, which envtest distributes.
    allowPartialTrustChain: true,
    ...(authority === '' ? { ca: [...rootCertificates] } : { ca: authority }),
  };
  if (service === undefined) return base;
  const name = JSON.stringify(service.name);
  if (!service.exists) return `service ${name} not found`;
  const place = options.resolveService?.(service);
  if (place === undefined) {
    const address = service.clusterIp === '' || service.clusterIp === 'None' ? '' : service.clusterIp;
    if (address === '') return `no endpoints available for service ${name}`;
    return `dial tcp ${address}:${service.port}: connect: no route to host`;
  }
  const colon = place.lastIndexOf(':');
  return {
    ...base,
    host: place.slice(0, colon),
    port: Number(place.slice(colon + 1)),
    servername: `${service.name}.${service.namespace}.svc`,
    headers: { host: url.host },
  };
}

function post(
  callOut: CallOut,
  target: RequestOptions,
  after: NonNullable<CallOutOptions['after']>,
  answer: (given: CallOutAnswer) => void,
): () => void {
  const body = JSON.stringify(callOut.body);
  let settled = false;
  const settle = (given: CallOutAnswer): void => {
    if (settled) return;
    settled = true;
    inTime();
    answer(given);
  };
  const outgoing = request(
    {
      ...target,
      method: 'POST',
      path: `${target.path ?? '/'}?timeout=${callOut.timeoutSeconds}s`,
      headers: {
        ...target.headers,
        'user-agent': 'kube-apiserver-admission',
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    },
    (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= ANSWER_BYTES_MAX) chunks.push(chunk);
        else incoming.destroy();
      });
      incoming.on('error', () => settle({ outcome: 'failed', why: 'unexpected EOF' }));
      incoming.on('end', () =>
        settle({
          outcome: 'answered',
          code: incoming.statusCode ?? 0,
          contentType: incoming.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString(),
        }),
      );
      incoming.on('close', () => settle({ outcome: 'failed', why: 'unexpected EOF' }));
    },
  );
  const inTime = after(callOut.timeoutSeconds * 1000, () => {
    settle({ outcome: 'failed', why: 'context deadline exceeded' });
    outgoing.destroy();
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => settle({ outcome: 'failed', why: goError(error, target) }));
  outgoing.end(body);
  return () => {
    settled = true;
    inTime();
    outgoing.destroy();
  };
}

const UNTRUSTED = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
];

/** Returns the error as Go's HTTP client words it. */
export function goError(error: NodeJS.ErrnoException & { readonly cert?: unknown }, target: RequestOptions): string {
  const { code = '' } = error;
  const host = target.host ?? '';
  const place = `${host.includes(':') ? `[${host}]` : host}:${target.port ?? 443}`;
  const unverified = 'tls: failed to verify certificate: x509: ';
  if (UNTRUSTED.includes(code)) return `${unverified}certificate signed by unknown authority`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${place}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${place}: connect: no route to host`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${host}: no such host`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${unverified}certificate has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${unverified}${altNames(error, target)}`;
    default:
      return error.message;
  }
}

function altNames(error: { readonly cert?: unknown }, target: RequestOptions): string {
  const { subjectaltname } = (error.cert ?? {}) as { readonly subjectaltname?: string };
  const asked = target.servername ?? target.host ?? '';
  const names = (subjectaltname ?? '').split(', ').map((one) => one.replace(/^(DNS|IP Address):/, ''));
  if (subjectaltname === undefined)
    return `cannot validate certificate for ${asked} because it doesn't contain any IP SANs`;
  return `certificate is valid for ${names.join(', ')}, not ${asked}`;
}
