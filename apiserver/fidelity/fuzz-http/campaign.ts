/**
 * Sends the same malformed requests to both servers until the budget is spent.
 *
 * Owns: batches with a namespace of their own, counting, the shortest example of each class. Start at {@link runFuzz}.
 */
import * as fc from 'fast-check';
import { realNow } from '../../clock.ts';
import type { JsonObject } from '../../objects/object.ts';
import { startBoth } from '../differential/servers.ts';
import { bodyRequests } from './bodies.ts';
import { RawClient, type FuzzRequest, type RawReply } from './client.ts';
import { compareReplies, type HttpDifference } from './compare.ts';
import { BASES } from './documents.ts';
import { isKnown } from './known.ts';
import { pathRequests } from './paths.ts';
import { queryRequests } from './queries.ts';

export interface FuzzOptions {
  readonly budgetMs: number;
  readonly seed: number;
  /** The areas to fuzz, `path`, `query`, `body`; all of them when absent. */
  readonly only?: readonly string[];
  readonly progress: (line: string) => void;
}

export interface FuzzResult {
  readonly requests: number;
  readonly known: number;
  readonly seconds: number;
  /** One difference of each class with its count; most frequent first. */
  readonly classes: readonly (HttpDifference & { readonly count: number })[];
  /** The number of answers of the real server, by code. */
  readonly codes: { readonly [code: string]: number };
}

const AREAS: { readonly [area: string]: fc.Arbitrary<FuzzRequest> } = {
  path: pathRequests,
  query: queryRequests,
  body: bodyRequests,
};
const BATCH = 150;

export async function runFuzz({ budgetMs, seed, only, progress }: FuzzOptions): Promise<FuzzResult> {
  const { ours, real, stop } = await startBoth();
  const clients = [new RawClient(ours.client.endpoint), new RawClient(real.client.endpoint)] as const;
  const classes = new Map<string, HttpDifference & { count: number }>();
  const codes: { [code: string]: number } = {};
  let requests = 0;
  let known = 0;
  const start = realNow();
  const arbitrary = fc.oneof(
    ...Object.entries(AREAS).flatMap(([area, one]) => (only === undefined || only.includes(area) ? [one] : [])),
  );
  try {
    for (let batch = 0; realNow() - start < budgetMs; batch++) {
      const namespace = `f${batch}`;
      await prepare(clients, namespace);
      for (const made of fc.sample(arbitrary, { seed: seed + batch, numRuns: BATCH })) {
        if (realNow() - start >= budgetMs) break;
        const request = inNamespace(made, namespace);
        const [mine, theirs] = (await Promise.all(clients.map((client) => client.send(request)))) as [
          RawReply,
          RawReply,
        ];
        requests++;
        codes[theirs.code] = (codes[theirs.code] ?? 0) + 1;
        const found = compareReplies(request, mine, theirs);
        for (const difference of found) {
          if (isKnown(difference)) {
            known++;
            continue;
          }
          const before = classes.get(difference.key);
          const shorter = before === undefined || size(request) < size(before.request);
          classes.set(difference.key, { ...(shorter ? difference : before), count: (before?.count ?? 0) + 1 });
        }
        // When one server accepted a write that the other refused, the rest of the batch would only repeat that difference.
        if (mine.code < 300 !== theirs.code < 300 && request.method !== 'GET') break;
      }
      if (batch % 10 === 9) progress(`${requests} requests, ${classes.size} classes`);
    }
  } finally {
    for (const client of clients) client.close();
    await stop();
  }
  return {
    requests,
    known,
    seconds: (realNow() - start) / 1000,
    classes: [...classes.values()].sort((a, b) => b.count - a.count),
    codes,
  };
}

function size({ target, body }: FuzzRequest): number {
  return target.length + (body?.length ?? 0);
}

function inNamespace(request: FuzzRequest, namespace: string): FuzzRequest {
  const { target, body } = request;
  const text = body?.toString('latin1');
  return {
    ...request,
    target: target.replaceAll('NS', namespace),
    ...(text?.includes('NS') === true ? { body: Buffer.from(text.replaceAll('NS', namespace), 'latin1') } : {}),
  };
}

/** Creates a namespace with one object of each kind that requests use. */
async function prepare(clients: readonly RawClient[], namespace: string): Promise<void> {
  const create = async (target: string, object: JsonObject): Promise<void> => {
    const request = {
      area: '',
      method: 'POST',
      target,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(object)),
    };
    await Promise.all(clients.map((client) => client.send(inNamespace(request, namespace))));
  };
  await create('/api/v1/namespaces', { metadata: { name: namespace } });
  await create('/api/v1/namespaces/NS/serviceaccounts', { metadata: { name: 's' } });
  for (const { collection, name, sub, object } of BASES)
    if (name !== '' && sub === undefined && !name.startsWith('NS')) await create(collection, object);
}
