/**
 * Relays calls from a real server to the target's webhooks: a relay is a server on this machine that forwards each call to the target.
 *
 * A server outside the target's network cannot reach the target, and without a pod network it cannot use services either, so the
 * configurations contain this relay's URL instead. Owns: the URLs, and the response if the target never answers a call. Does not own:
 * calling the target (`webhook-calls.ts`), whom the server trusts (`project/webhooks.ts`). Start at {@link openRelay}.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CallOutFunction } from 'stalemate-apiserver';
import type { CertificateAuthority } from 'stalemate-apiserver/http';
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { HostPlace } from '../../clusters/kind/way-in.ts';
import type { NamedService } from '../project/webhooks.ts';

export interface RelayOptions {
  /** The CA of the target's certificate, which issues the relay's certificate too. */
  readonly authority: CertificateAuthority;
  /** The address of this machine as seen by the server; loopback by default. */
  readonly place?: HostPlace;
  readonly ask: CallOutFunction;
}

export interface Relay {
  /** Returns the relay's URL for the webhook of a service. */
  readonly urlOf: (service: NamedService, path: string) => string;
}

const LOOPBACK = '127.0.0.1';
/** The default time-out of a webhook in kube-apiserver, in s. */
const TIMEOUT_SECONDS = 10;
const BAD_GATEWAY = 502;

/** Opens a relay that listens as long as this process lives. */
export async function openRelay(options: RelayOptions): Promise<Relay> {
  const { authority, place: { address, listen } = { address: LOOPBACK, listen: LOOPBACK } } = options;
  const identity = authority.issueServer([address]);
  const server = createServer({ cert: identity.certificate, key: identity.key }, (incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (piece: string) => (text += piece));
    incoming.on('end', () => relay(options, incoming, text, response));
    incoming.on('error', () => response.destroy());
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, listen, () => resolve((server.address() as AddressInfo).port));
  });
  server.unref();
  return {
    urlOf: ({ namespace, name, port: ofService }, path) =>
      `https://${address}:${port}/${namespace}/${name}/${ofService}/${path.replace(/^\//, '')}`,
  };
}

function relay(
  { ask, authority }: RelayOptions,
  { url = '' }: IncomingMessage,
  text: string,
  response: ServerResponse,
): void {
  const asked = new URL(url, `https://${LOOPBACK}`);
  const [, namespace = '', name = '', port = '', ...path] = asked.pathname.split('/');
  const body = bodyOf(text);
  if (body === undefined || !/^\d+$/.test(port)) {
    response.writeHead(BAD_GATEWAY).end('the request is not a valid webhook call');
    return;
  }
  const seconds = Number.parseInt(asked.searchParams.get('timeout') ?? '', 10);
  const giveUp = ask(
    {
      url: `https://${name}.${namespace}.svc:${port}/${path.join('/')}`,
      service: { namespace, name, port: Number(port), exists: true, clusterIp: '' },
      caBundle: Buffer.from(authority.certificate).toString('base64'),
      timeoutSeconds: Number.isNaN(seconds) ? TIMEOUT_SECONDS : seconds,
      body,
    },
    (given) => {
      if (given.outcome === 'failed') {
        response.writeHead(BAD_GATEWAY).end(given.why);
        return;
      }
      const type = given.contentType === undefined || given.contentType === '' ? 'application/json' : given.contentType;
      const answered = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
      response.writeHead(given.code, { 'content-type': type }).end(answered);
    },
  );
  response.on('close', () => {
    if (!response.writableFinished) giveUp();
  });
}

function bodyOf(text: string): JsonObject | undefined {
  try {
    const body = JSON.parse(text) as JsonValue;
    return isMap(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
