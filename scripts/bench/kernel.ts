/** Operations per second of the embedded API server's kernel, in process, one operation after another; prints one line of JSON. */
import { ApiServer } from 'stalemate-apiserver';
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import { realNow } from '../../harness/determinism/real-time.ts';
import { Random } from '../../harness/determinism/random.ts';
import { WIDGET_CRD, WIDGET_SAMPLE } from './thin-target.ts';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const ROUND_MS = 300;
const ROUNDS = 5;

const random = new Random(1);
const server = new ApiServer({
  now: () => 1_767_225_600_000,
  newUid: () => random.uuid(),
  nameSuffix: () => random.suffix(),
});
server.installCrd(WIDGET_CRD);

let answer: ApiResponse | undefined;
function send(
  method: ApiRequest['method'],
  path: string,
  body?: JsonObject,
  query: ApiRequest['query'] = {},
): ApiResponse {
  answer = undefined;
  server.send(
    { method, path, query, headers: { 'content-type': 'application/json' }, ...(body === undefined ? {} : { body }) },
    { answer: (response) => (answer = response), open: () => {}, event: () => {}, end: () => {} },
  );
  if (answer === undefined) throw new Error(`${method} ${path} was not answered`);
  return answer;
}

/** Repeats an operation and returns its rate per second for each round. */
function rates(operation: (n: number) => void): readonly number[] {
  const out: number[] = [];
  let n = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const began = realNow();
    let count = 0;
    while (realNow() - began < ROUND_MS) {
      for (let i = 0; i < 50; i++) operation(n++);
      count += 50;
    }
    if (round > 0) out.push((count / (realNow() - began)) * 1000);
  }
  return out;
}

const clean = server.snapshot();
const create = rates((n) => {
  if (n % 2_000 === 0) server.restore(clean);
  send('POST', WIDGETS, { ...WIDGET_SAMPLE, metadata: { name: `w-${n % 2_000}`, namespace: 'default' } });
});
server.restore(clean);
send('POST', WIDGETS, WIDGET_SAMPLE);
const get = rates(() => send('GET', `${WIDGETS}/a`));
const update = rates((n) => {
  const live = send('GET', `${WIDGETS}/a`).body as JsonObject;
  send('PUT', `${WIDGETS}/a`, { ...live, spec: { replicas: n % 7, image: 'v1' } });
});
const patch = rates((n) => {
  server.send(
    {
      method: 'PATCH',
      path: `${WIDGETS}/a`,
      query: {},
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { replicas: n % 5 } },
    },
    { answer: (response) => (answer = response), open: () => {}, event: () => {}, end: () => {} },
  );
});
const list = rates(() => send('GET', WIDGETS));
process.stdout.write(
  `${JSON.stringify({ create, get, 'get+update': update, 'merge patch': patch, 'list of 1': list })}\n`,
);
