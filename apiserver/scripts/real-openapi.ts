/** Discovery and OpenAPI of a real kube-apiserver, read over HTTPS and prepared for the generated files. */
import { crdManifest, crdVersion } from '../server/crd/manifest.ts';
import { fetchJson } from './fetch-json.ts';

export type Schema = { readonly [key: string]: unknown };

export interface RealServer {
  readonly version: string;
  /** The schemas by name, descriptions included. */
  readonly components: { readonly [name: string]: Schema };
  readonly discovery: string;
  readonly openApiV3: unknown;
  /** The documents of a definition with placeholders for names, and the schemas that they refer to. */
  readonly openApiCustom: unknown;
  readonly openApiV2: unknown;
  /** The hash of each document by its path, from the index. */
  readonly hashes: { readonly [path: string]: string };
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

type Json = Record<string, unknown>;

/** The names of a CRD that is created only to read its documents; in the generated files they are placeholders. */
const TEMPLATE = { group: 'ggggg.example', version: 'v7', kind: 'Kkkkk', plural: 'ppppp', singular: 'kkkkk' };

export async function readServer(url: string, token: string): Promise<RealServer> {
  const get = (path: string, accept = 'application/json'): Promise<Json> =>
    fetchJson<Json>(url + path, { token, accept });
  const index = async (): Promise<Record<string, { readonly serverRelativeURL: string }>> =>
    (await get('/openapi/v3'))['paths'] as Record<string, { readonly serverRelativeURL: string }>;
  const version = (await get('/version'))['gitVersion'] as string;
  const components: Record<string, Schema> = {};
  const documents: Json = {};
  const hashes: Record<string, string> = {};
  for (const [path, { serverRelativeURL }] of Object.entries(await index())) {
    const document = await get(serverRelativeURL);
    hashes[path] = serverRelativeURL.slice(serverRelativeURL.indexOf('hash=') + 5);
    documents[path] = shared(document, components);
  }
  const openApiV2 = await get('/openapi/v2');
  const templates: Json = {};
  const named = new Set<string>();
  for (const scope of ['Namespaced', 'Cluster']) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    await fetchJson<Json>(url + path, { token, method: 'POST', body: definition(scope) });
    const key = `apis/${TEMPLATE.group}/${TEMPLATE.version}`;
    const entry = await until(async () => (await index())[key]);
    const document = shared(await get(entry.serverRelativeURL), components);
    const name = `${TEMPLATE.plural}.${TEMPLATE.group}`;
    const v2 = await until(async () => {
      const { paths } = (await get('/openapi/v2')) as { readonly paths: Json };
      const added = Object.entries(paths).filter(([one]) => one.includes(TEMPLATE.plural));
      return added.length === 0 ? undefined : Object.fromEntries(added);
    });
    templates[scope] = { ...document, v2Paths: v2 };
    for (const schema of (document['schemas'] ?? []) as readonly string[]) named.add(schema);
    await fetchJson<Json>(`${url}${path}/${name}`, { token, method: 'DELETE' });
    await until(async () => ((await index())[key] === undefined ? true : undefined));
  }
  return {
    version,
    components,
    discovery: await discovery(get),
    openApiV3: { components, documents },
    openApiCustom: {
      components: Object.fromEntries(Object.entries(components).filter(([schema]) => named.has(schema))),
      templates,
    },
    openApiV2,
    hashes,
  };
}

/** Returns the document with schema names instead of shared schemas; schemas that differ from the shared ones are kept as `own`. */
function shared(document: Json, components: Record<string, Schema>): Json {
  const { components: parts, ...rest } = document as { readonly components?: Json };
  if (parts === undefined) return rest;
  const { schemas, ...others } = parts as { readonly schemas?: Record<string, Schema> };
  const own: Record<string, Schema> = {};
  for (const [name, schema] of Object.entries(schemas ?? {})) {
    const known = (components[name] ??= schema);
    if (JSON.stringify(known) !== JSON.stringify(schema)) own[name] = schema;
  }
  return { ...rest, components: others, schemas: schemas === undefined ? null : Object.keys(schemas), own };
}

function definition(scope: string): Json {
  const { group, version, kind, plural, singular } = TEMPLATE;
  const counted = { type: 'object', properties: { replicas: { type: 'integer' } } };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const schema = { type: 'object', properties: { spec: counted, status: counted } };
  const versions = [crdVersion(version, schema, { subresources: { status: {}, scale } })];
  return crdManifest(group, { plural, singular, kind, listKind: `${kind}List` }, versions, { scope });
}

/** Polls until `ask` returns a value: documents are updated some seconds after definitions. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error('the server did not follow within half a minute');
}

/** Returns aggregated discovery plus the fields that only the plain form has, one line per resource. */
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
