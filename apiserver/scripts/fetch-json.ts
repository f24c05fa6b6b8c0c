/** Requests of the scripts to a running server, over HTTPS. */
import { Agent, request } from 'node:https';

interface Options {
  readonly token: string;
  readonly accept?: string;
  readonly method?: string;
  readonly body?: unknown;
}

// A test server signs its own certificate. Idle connections do not keep the script from ending.
const agent = new Agent({ rejectUnauthorized: false, keepAlive: true });

/** Returns the decoded answer; rejects unless it is a success. */
export function fetchJson<T>(url: string, { token, accept, method = 'GET', body }: Options): Promise<T> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: accept ?? 'application/json',
    'content-type': 'application/json',
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if ((response.statusCode ?? 500) >= 300) reject(new Error(`${url} answered ${response.statusCode}: ${text}`));
        else resolve(JSON.parse(text) as T);
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
