/**
 * What a real kube-apiserver says of itself: discovery and OpenAPI, read over HTTPS and put together for the generated files.
 */
import { Agent, request } from 'node:https';

export type Schema = { readonly [key: string]: unknown };

export interface RealServer {
  readonly version: string;
  /** By name, descriptions included. */
  readonly components: { readonly [name: string]: Schema };
  readonly discovery: string;
  readonly openApiV3: unknown;
  readonly openApiV2: unknown;
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

type Json = Record<string, unknown>;

export async function readServer(url: string, token: string): Promise<RealServer> {
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true });
  const get = (path: string, accept = 'application/json'): Promise<Json> => fetchJson(agent, url + path, token, accept);
  try {
    const version = (await get('/version'))['gitVersion'] as string;
    const index = (await get('/openapi/v3'))['paths'] as Record<string, { readonly serverRelativeURL: string }>;
    const components: Record<string, Schema> = {};
    const variants: Record<string, Record<string, Schema>> = {};
    const documents: Json = {};
    for (const [path, { serverRelativeURL }] of Object.entries(index)) {
      const document = await get(serverRelativeURL);
      const { schemas = {}, ...otherComponents } = (document['components'] ?? {}) as Json;
      for (const [name, schema] of Object.entries(schemas as Record<string, Schema>)) {
        const known = (components[name] ??= schema);
        if (JSON.stringify(known) !== JSON.stringify(schema)) (variants[path] ??= {})[name] = schema;
      }
      documents[path] = {
        ...document,
        ...(document['components'] === undefined
          ? {}
          : {
              components: {
                ...otherComponents,
                ...((document['components'] as Json)['schemas'] === undefined
                  ? {}
                  : { schemas: Object.keys(schemas as Json) }),
              },
            }),
        ...(variants[path] === undefined ? {} : { variants: variants[path] }),
      };
    }
    return {
      version,
      components,
      discovery: await discovery(get),
      openApiV3: { components, documents },
      openApiV2: await get('/openapi/v2'),
    };
  } finally {
    agent.destroy();
  }
}

/** Aggregated discovery with what only the plain form says, one line per resource. */
async function discovery(get: (path: string, accept?: string) => Promise<Json>): Promise<string> {
  const groups: string[] = [];
  for (const path of ['/api', '/apis']) {
    const { items } = (await get(path, AGGREGATED)) as { readonly items: readonly Json[] };
    for (const item of items) {
      const name = ((item['metadata'] as Json)['name'] ?? '') as string;
      const versions: string[] = [];
      for (const version of item['versions'] as readonly Json[]) {
        const at = name === '' ? `/api/${String(version['version'])}` : `/apis/${name}/${String(version['version'])}`;
        const plain = (await get(at))['resources'] as readonly Json[];
        const resources = (version['resources'] as readonly Json[]).map((resource) => {
          const hash = plain.find((one) => one['name'] === resource['resource'])?.['storageVersionHash'];
          return JSON.stringify({ ...resource, ...(hash === undefined ? {} : { storageVersionHash: hash }) });
        });
        versions.push(`{"version":${JSON.stringify(version['version'])},"resources":[\n${resources.join(',\n')}\n]}`);
      }
      groups.push(`{"group":${JSON.stringify(name)},"versions":[${versions.join(',')}]}`);
    }
  }
  return `[\n${groups.join(',\n')}\n]\n`;
}

function fetchJson(agent: Agent, url: string, token: string, accept: string): Promise<Json> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${token}`, accept } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${String(response.statusCode)}: ${text}`));
        else resolve(JSON.parse(text) as Json);
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
