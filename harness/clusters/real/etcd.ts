/**
 * Reads and writes the content of an API server in etcd, bypassing the server, over etcd's JSON gateway.
 *
 * An API server watches etcd, because other API servers may write to it. So a state that is restored here is visible to all clients,
 * regardless of finalizers, admission or authorization. Owns: keys and stored values. Does not own: which objects they are
 * (`storage-key.ts`). Start at {@link Etcd}.
 */
import { Agent, request as send } from 'node:https';
import { HarnessError } from '../../model/errors.ts';

/** The prefix of everything that an API server stores. */
const ROOT = '/registry/';
const ROOT_END = '/registry0';
/** The most operations per transaction; etcd allows 128. */
const OPERATIONS_MAX = 100;

/** A stored value, in base64 as in etcd's gateway. */
export interface Stored {
  readonly value: string;
  /** The revision of its last change. */
  readonly revision: number;
}

export interface EtcdWrites {
  /** Values in base64 by key. */
  readonly put: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** The credentials, all in PEM, for an etcd that listens beyond loopback and therefore requires client certificates. */
export interface EtcdIdentity {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

export class Etcd {
  readonly #url: string;
  readonly #agent: Agent | undefined;

  constructor(url: string, identity?: EtcdIdentity) {
    this.#url = url;
    if (identity === undefined) return;
    const { ca, certificate: cert, key } = identity;
    this.#agent = new Agent({ ca, cert, key, keepAlive: true });
  }

  close(): void {
    this.#agent?.destroy();
  }

  /** Resolves with everything that is stored, by key. */
  async all(): Promise<ReadonlyMap<string, Stored>> {
    const { kvs = [] } = await this.#ask<RangeAnswer>('range', range(false));
    return new Map(kvs.map(({ key, value = '', mod_revision }) => [decoded(key), { value, revision: +mod_revision }]));
  }

  /** Resolves with the revision of the last change of each key, and with the revision of the store. */
  async revisions(): Promise<{ readonly byKey: ReadonlyMap<string, number>; readonly revision: number }> {
    const { header, kvs = [] } = await this.#ask<RangeAnswer>('range', range(true));
    return {
      byKey: new Map(kvs.map(({ key, mod_revision }) => [decoded(key), +mod_revision])),
      revision: +header.revision,
    };
  }

  /** Executes all writes; resolves with the resulting revisions by key. */
  async write({ put, remove }: EtcdWrites): Promise<ReadonlyMap<string, number>> {
    const puts = [...put].map(([key, value]) => ({ key, of: { requestPut: { key: encoded(key), value } } }));
    const removals = remove.map((key) => ({ key, of: { requestDeleteRange: { key: encoded(key) } } }));
    const operations = [...puts, ...removals];
    const written = new Map<string, number>();
    for (let at = 0; at < operations.length; at += OPERATIONS_MAX) {
      const part = operations.slice(at, at + OPERATIONS_MAX);
      const { header } = await this.#ask<TransactionAnswer>('txn', { success: part.map((one) => one.of) });
      for (const { key } of part) if (put.has(key)) written.set(key, +header.revision);
    }
    return written;
  }

  async #ask<T>(what: 'range' | 'txn', body: object): Promise<T> {
    const url = `${this.#url}/v3/kv/${what}`;
    const { status, text } = await this.#post(url, JSON.stringify(body)).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new HarnessError('CLUSTER_UNAVAILABLE', `etcd could not be reached at ${url}: ${reason}`, { cause: error });
    });
    if (status !== 200)
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `etcd answered ${status} to ${url}, expected 200: ${text.slice(0, 200)}`,
      );
    return JSON.parse(text) as T;
  }

  async #post(url: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
    const agent = this.#agent;
    if (agent === undefined) {
      const answer = await fetch(url, { method: 'POST', body });
      return { status: answer.status, text: await answer.text() };
    }
    return new Promise((resolve, reject) => {
      const sent = send(url, { method: 'POST', agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        answer.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

interface RangeAnswer {
  readonly header: { readonly revision: string };
  readonly kvs?: readonly { readonly key: string; readonly value?: string; readonly mod_revision: string }[];
}

interface TransactionAnswer {
  readonly header: { readonly revision: string };
}

function range(keysOnly: boolean): object {
  return { key: encoded(ROOT), range_end: encoded(ROOT_END), keys_only: keysOnly };
}

/** Encodes a key or value for etcd's gateway. */
export function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
