/** Sends one HTTP or HTTPS request to a program on the loopback interface of an enclosure, for readiness or metrics. */
import { request } from 'node:http';
import { connect as connectTls } from 'node:tls';
import type { Enclosure } from './enclosure.ts';

export interface Answer {
  readonly code: number;
  readonly body: string;
}

/** The most bytes of an answer that are read. */
const BODY_MAX = 8 * 1024 * 1024;

/** Resolves with the answer to a GET. Rejects if nothing listens there, or after the timeout. */
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
    timeout: withinMs,
    createConnection: () => connection,
  });
  asked.end();
  return await new Promise<Answer>((resolve, reject) => {
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
    asked.on('timeout', () => reject(new Error(`no answer within ${withinMs} ms`)));
    asked.on('close', () => reject(new Error('the connection was closed before an answer')));
  }).finally(() => connection.destroy());
}
