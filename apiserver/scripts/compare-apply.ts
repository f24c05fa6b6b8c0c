/**
 * Compares server-side apply with a real kube-apiserver: `node apiserver/scripts/compare-apply.ts URL TOKEN [KIND] [STEPS] [SEED]`.
 *
 * Random applies, updates, patches and scalings by three managers go to both servers; the answers, `managedFields` included, must be equal
 * except for times, uids and versions. KIND is one of things, blobs, configmaps, deployments, services. Exit code 1 when something differs.
 * Writes to the namespace `default` of the real server, under names that start with `apply-`.
 */
import { Agent, request as httpsRequest } from 'node:https';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import * as bodies from '../server/apply/testing.ts';
import { ApiServer } from '../server/server.ts';
import { realDate, realSetTimeout } from '../clock.ts';
import type { JsonObject, JsonValue, KubeObject } from '../objects/object.ts';
import type { Method } from '../wire/http.ts';

interface Answer {
  readonly code: number;
  readonly body: JsonValue;
}

type Send = (method: Method, path: string, body?: JsonObject, type?: string) => Promise<Answer>;

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

const KINDS: {
  readonly [kind: string]: {
    readonly body: fc.Arbitrary<JsonObject>;
    readonly plural: string;
    readonly scales: boolean;
  };
} = {
  things: { body: bodies.thingBody, plural: 'things', scales: true },
  blobs: { body: bodies.blobBody, plural: 'blobs', scales: false },
  configmaps: { body: bodies.configMapBody, plural: 'configmaps', scales: false },
  deployments: { body: bodies.deploymentBody, plural: 'deployments', scales: true },
  services: { body: bodies.serviceBody, plural: 'services', scales: false },
};

const OPERATIONS = [
  'apply',
  'apply',
  'apply',
  'force',
  'put',
  'merge',
  'create',
  'applyStatus',
  'mergeStatus',
  'scale',
  'applyScale',
  'delete',
] as const;

function real(url: string, token: string): Send {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': type };
      const sent = httpsRequest(url + path, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const given = Buffer.concat(chunks).toString('utf8');
          resolve({
            code: response.statusCode ?? 0,
            body: given.startsWith('{') ? (JSON.parse(given) as JsonValue) : given,
          });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
}

function embedded(server: ApiServer): Send {
  return (method, path, body, type = 'application/json') => {
    const [bare = '', search = ''] = path.split('?', 2);
    const query = Object.fromEntries(new URLSearchParams(search));
    const headers = { 'content-type': type };
    let answer: Answer = { code: 0, body: '' };
    server.send(
      { method, path: bare, query, headers, ...(body === undefined ? {} : { body }) },
      {
        answer: (given) => (answer = { code: given.code, body: JSON.parse(JSON.stringify(given.body)) as JsonValue }),
        open: () => {},
        event: () => {},
        end: () => {},
      },
    );
    return Promise.resolve(answer);
  };
}

/** Fields that differ between any two servers. */
const DROPPED: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'clusterIP',
  'clusterIPs',
]);

/** Returns an answer without values that always differ; maps, causes, `managedFields` and the lines of messages are sorted. */
function normal(value: JsonValue | undefined, key = ''): JsonValue {
  if (value === undefined || value === null || typeof value !== 'object')
    return key === 'time'
      ? 'time'
      : key === 'message'
        ? String(value).replaceAll(/[[\]]/g, '').split(/\n|, /).sort().join('\n')
        : (value ?? null);
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).map((item) => normal(item));
    if (key !== 'managedFields' && key !== 'causes') return items;
    return [...new Set(items.map((item) => JSON.stringify(item)))].sort();
  }
  const map = value as JsonObject;
  const out: { [key: string]: JsonValue } = {};
  for (const name of Object.keys(map).sort())
    if (map[name] !== undefined && (!DROPPED.has(name) || key === 'ownerReferences'))
      out[name] = normal(map[name], name);
  return out;
}

function text(answer: Answer): string {
  return `${answer.code} ${JSON.stringify(normal(answer.body))}`;
}

const { positionals } = parseArgs({ allowPositionals: true });
const [url = '', token = '', kindName = 'things', steps = '500', seed = '1'] = positionals;
const kind = KINDS[kindName];
if (url === '' || kind === undefined) {
  console.error(`usage: compare-apply.ts URL TOKEN [${Object.keys(KINDS).join('|')}] [STEPS] [SEED]`);
  process.exit(2);
}
const run = realDate().getTime().toString(36);
let ids = 0;
const server = new ApiServer({
  now: () => realDate().getTime(),
  newUid: () => `uid-${++ids}`,
  nameSuffix: () => 'abcde',
  fieldManagement: 'eager',
});
const sides = [real(url, token), embedded(server)] as const;

function collection(apiVersion: string, plural: string): string {
  return `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/namespaces/default/${plural}`;
}

for (const crd of [bodies.THINGS, bodies.BLOBS]) {
  server.installCrd(crd);
  await sides[0]('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
}
for (let tries = 0; tries < 100; tries++) {
  const { code } = await sides[0]('GET', collection('apply.example.com/v1', 'blobs'));
  if (code === 200) break;
  await new Promise((resolve) => realSetTimeout(() => resolve(undefined), 100));
}

const sample = fc.sample(
  fc.record({
    body: kind.body,
    manager: fc.constantFrom('m1', 'm2', 'm3'),
    name: fc.constantFrom('a', 'b'),
    operation: fc.constantFrom(...OPERATIONS),
  }),
  { numRuns: Number(steps), seed: Number(seed) },
);

let different = 0;
let compared = 0;
for (const { body, manager, name: suffix, operation } of sample) {
  const name = `apply-${run}-${suffix}`;
  const object = { ...body, metadata: { ...(body['metadata'] as JsonObject), name } } as KubeObject;
  const { apiVersion: _, kind: __, ...fields } = object;
  const at = `${collection(object.apiVersion, kind.plural)}/${name}`;
  const query = `?fieldManager=${manager}`;
  const replicas = (object['spec'] as JsonObject | undefined)?.['replicas'] ?? 1;
  const status = kindName === 'deployments' ? { replicas: 1, observedGeneration: 1 } : (object['status'] ?? {});
  const send = async (side: Send): Promise<Answer | undefined> => {
    switch (operation) {
      case 'apply':
        return side('PATCH', at + query, object, APPLY);
      case 'force':
        return side('PATCH', `${at}${query}&force=true`, object, APPLY);
      case 'create':
        return side('POST', at.slice(0, at.lastIndexOf('/')) + query, object);
      case 'merge':
        return side('PATCH', at + query, fields, MERGE);
      case 'put': {
        const live = await side('GET', at);
        if (live.code !== 200) return undefined;
        const was = live.body as KubeObject;
        return side('PUT', at + query, {
          ...was,
          ...fields,
          metadata: was.metadata,
          spec: { ...(was['spec'] as JsonObject), ...(object['spec'] as JsonObject) },
        });
      }
      case 'applyStatus':
        return kind.scales ? side('PATCH', `${at}/status${query}`, { ...object, status }, APPLY) : undefined;
      case 'mergeStatus':
        return kind.scales ? side('PATCH', `${at}/status${query}`, { status }, MERGE) : undefined;
      case 'scale':
        return kind.scales ? side('PATCH', `${at}/scale${query}`, { spec: { replicas } }, MERGE) : undefined;
      case 'applyScale': {
        const config = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec: { replicas } };
        return kind.scales ? side('PATCH', `${at}/scale${query}`, config, APPLY) : undefined;
      }
      case 'delete':
        return side('DELETE', at);
    }
  };
  const [theirs, ours] = [await send(sides[0]), await send(sides[1])];
  if (theirs === undefined || ours === undefined) continue;
  compared++;
  if (text(theirs) === text(ours)) continue;
  different++;
  console.log(
    `${operation} by ${manager}: ${JSON.stringify(object)}\n  real     ${text(theirs)}\n  embedded ${text(ours)}`,
  );
  // The object is deleted on both servers, so that one difference does not cause more.
  for (const side of sides) {
    await side('PATCH', at, { metadata: { finalizers: null } }, MERGE);
    await side('DELETE', at);
  }
}
console.log(`${kindName}: ${compared} answers compared, ${different} differ (seed ${seed})`);
process.exit(different === 0 ? 0 : 1);
