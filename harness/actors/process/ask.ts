/** Sends one HTTP or HTTPS request to a program on the loopback interface of an enclosure, for readiness or metrics. */
import { request } from 'node:http';
import { connect as connectTls } from 'node:tls';
import { realClearTimeout, realSetTimeout } from '../../determinism/real-time.ts';
import type { Enclosure } from './enclosure.ts';

export interface Answer {
  readonly code: number;
  readonly body: string;
}

/** A program that accepted a request and did not answer it in time. */
export class NoAnswer extends Error {}

/** The most bytes of an answer that are read. */
const BODY_MAX = 8 * 1024 * 1024;

/**
 * Resolves with the answer to a GET.
 *
 * @throws {NoAnswer} if the whole answer has not arrived within this much real time.
 * @throws if nothing listens there, or the connection is closed.
 */
export async function ask(
  { protocol, port, pathname, search, host }: URL,
  enclosure: Pick<Enclosure, 'connect'>,
  withinMs: number,
): Promise<Answer> {
  const secure = protocol === 'https:';
  const socket = await enclosure.connect(Number(port) || (secure ? 443 : 80));
  // The certificate is self-signed.
  const connection = secure ? connectTls({ socket, rejectUnauthorized: false }) : socket;
  const asked = request({
    path: pathname + search,
    headers: { host, connection: 'close' },
    createConnection: () => connection,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  asked.on('response', (response) => {
    let body = '';
    const done = (): void => resolve({ code: response.statusCode ?? 0, body });
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      body += piece;
      if (body.length > BODY_MAX) done();
    });
    response.on('end', done);
  });
  asked.on('error', reject);
  asked.on('close', () => reject(new Error('the connection was closed before an answer')));
  asked.end();
  // The `timeout` of a request does not apply to a connection that exists already.
  const deadline = realSetTimeout(() => reject(new NoAnswer(`no answer within ${withinMs} ms`)), withinMs);
  return await promise.finally(() => {
    realClearTimeout(deadline);
    connection.destroy();
  });
}
