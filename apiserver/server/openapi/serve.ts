/**
 * `/openapi/v3` and `/openapi/v2`: index, documents, hashes and caching.
 *
 * Owns: the list of documents and their headers. Documents of built-in groups are a real server's; documents of custom resources are
 * created on demand and cached with the registry. Start at {@link openApi}.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../objects/object.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import type { ResourceDefinition, ServedVersion } from '../definition.ts';
import type { Registry } from '../registry.ts';
import { customPart, type CustomPart } from './custom.ts';
import { assembled, builtInHashes, goJson, goJsonMap, openApiV3 } from './data.ts';
import { documentV2 } from './v2.ts';

interface Text {
  readonly text: string;
  readonly hash: string;
}

interface Published {
  /** The parts of custom resources, by path, for example `apis/example.com/v1`. */
  readonly parts: ReadonlyMap<string, readonly CustomPart[]>;
  readonly documents: Map<string, Text>;
  v2: Text | undefined;
}

const published = new WeakMap<Registry, Published>();

function publishedBy(registry: Registry): Published {
  let known = published.get(registry);
  if (known !== undefined) return known;
  const parts = new Map<string, CustomPart[]>();
  for (const definition of registry.definitions) {
    if (!definition.custom) continue;
    for (const version of definition.versions) {
      if (!version.served) continue;
      const path = `apis/${version.apiVersion}`;
      const list = parts.get(path) ?? [];
      list.push(partOf(definition, version));
      parts.set(path, list);
    }
  }
  known = { parts, documents: new Map(), v2: undefined };
  published.set(registry, known);
  return known;
}

/** Parts are cached per version of a definition, because every change of any definition replaces the registry. */
const partsOf = new WeakMap<ServedVersion, CustomPart>();

function partOf(definition: ResourceDefinition, version: ServedVersion): CustomPart {
  let part = partsOf.get(version);
  if (part === undefined) partsOf.set(version, (part = customPart(definition, version, version.published ?? {})));
  return part;
}

/** The built-in documents, which are the same for every registry. */
const builtIn = new Map<string, Text>();

function document(registry: Registry, path: string): Text | undefined {
  const known = builtIn.get(path);
  if (known !== undefined) return known;
  const hash = builtInHashes()[path];
  if (hash !== undefined) {
    const stored = openApiV3().documents[path];
    if (stored === undefined) return undefined;
    const text = { text: goJson(assembled(stored)), hash };
    builtIn.set(path, text);
    return text;
  }
  const { parts, documents } = publishedBy(registry);
  const made = documents.get(path);
  if (made !== undefined) return made;
  const own = parts.get(path);
  if (own === undefined) return undefined;
  const text = hashed(customDocument(own));
  documents.set(path, text);
  return text;
}

function customDocument(parts: readonly CustomPart[]): string {
  const paths = new Map<string, string>();
  const schemas = new Map<string, string>();
  for (const part of parts) {
    for (const path in part.paths) paths.set(path, goJson(part.paths[path]));
    for (const name in part.schemas) schemas.set(name, schemaText(part.schemas[name]));
  }
  const { openapi = '3.0.0', info = {}, components = {} } = parts[0]?.template ?? {};
  const inComponents = Object.entries(components).map(([key, value]) => [key, goJson(value)] as const);
  return goJsonMap([
    ['openapi', goJson(openapi)],
    ['info', goJson(info)],
    ['paths', goJsonMap(inOrder(paths))],
    ['components', goJsonMap([['schemas', goJsonMap(inOrder(schemas))], ...inComponents])],
  ]);
}

function inOrder(map: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

const schemaTexts = new WeakMap<JsonObject, string>();

function schemaText(schema: JsonObject = {}): string {
  let text = schemaTexts.get(schema);
  if (text === undefined) schemaTexts.set(schema, (text = goJson(schema)));
  return text;
}

function hashed(text: string): Text {
  return { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
}

/** Answers a path below `/openapi/`; undefined for other paths. */
export function openApi(registry: Registry, path: string, request: ApiRequest): ApiResponse | undefined {
  if (path === '/openapi/v3') return index(registry, request);
  if (path.startsWith('/openapi/v3/')) return documentAnswer(registry, path.slice(12), request);
  return path === '/openapi/v2' ? documentV2Answer(registry, request) : undefined;
}

function index(registry: Registry, request: ApiRequest): ApiResponse {
  const hashes: { [path: string]: string } = { ...builtInHashes() };
  for (const path of publishedBy(registry).parts.keys()) hashes[path] = document(registry, path)?.hash ?? '';
  const paths: { [path: string]: JsonObject } = {};
  for (const path of Object.keys(hashes).toSorted())
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hashes[path] ?? ''}` };
  const { hash } = hashed(JSON.stringify({ paths }));
  const headers = { etag: `"${hash}"` };
  if (isKnown(request, hash)) return { code: 304, ...NOTHING, headers };
  // A real server sends the index with the content type text/plain.
  return { code: 200, plainText: true, body: { paths }, headers };
}

const NOTHING = { plainText: true, body: '' };

function documentAnswer(registry: Registry, path: string, request: ApiRequest): ApiResponse {
  const found = document(registry, path);
  if (found === undefined) return { code: 404, ...NOTHING };
  if (!acceptsJson(request)) return { code: 406, ...NOTHING, headers: { vary: 'Accept' } };
  const { text, hash } = found;
  const headers = { 'content-type': 'application/json', etag: `"${hash}"`, vary: 'Accept' };
  const asked = request.query['hash'];
  if (asked !== undefined && asked !== '' && asked !== hash)
    return { code: 301, ...NOTHING, headers: { ...headers, location: `/openapi/v3/${path}?hash=${hash}` } };
  const cached = asked === hash ? { 'cache-control': 'public, immutable' } : {};
  if (isKnown(request, hash)) return { code: 304, ...NOTHING, headers: { ...headers, ...cached } };
  return { code: 200, plainText: true, body: text, headers: { ...headers, ...cached } };
}

function documentV2Answer(registry: Registry, request: ApiRequest): ApiResponse {
  const vary = 'Accept-Encoding, Accept';
  if (request.headers['accept']?.includes(V2_PROTOBUF.asked) === true)
    return { code: 200, plainText: true, body: BARE_V2, headers: { 'content-type': V2_PROTOBUF.sent, vary } };
  if (!acceptsJson(request)) return { code: 406, ...NOTHING, headers: { vary } };
  const of = publishedBy(registry);
  of.v2 ??= hashed(documentV2([...of.parts.values()].flat()));
  const { text, hash } = of.v2;
  const headers = { 'content-type': 'application/json', etag: `"${hash}"`, vary };
  if (isKnown(request, hash)) return { code: 304, ...NOTHING, headers };
  return { code: 200, plainText: true, body: text, headers };
}

const V2_PROTOBUF = {
  asked: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  sent: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
} as const;

/**
 * OpenAPI v2 as protobuf, without paths and definitions. kubectl only requests it for a kind that v3 does not have, and then reports that
 * the kind does not exist.
 */
const BARE_V2 = field(1, '2.0') + field(2, field(1, 'Kubernetes') + field(2, 'unversioned'));

/** Encodes a text field of fewer than 128 ASCII characters. */
function field(number: number, text: string): string {
  return String.fromCharCode((number << 3) | 2, text.length) + text;
}

function isKnown(request: ApiRequest, hash: string): boolean {
  const tags = request.headers['if-none-match'];
  return tags !== undefined && tags.split(',').some((tag) => tag.trim() === `"${hash}"`);
}

/** Reports whether the client accepts JSON, the only supported form of documents; a real server also supports protobuf. */
function acceptsJson({ headers }: ApiRequest): boolean {
  const accept = headers['accept'] ?? '';
  return accept === '' || /application\/json|\*\/\*|application\/\*/.test(accept);
}
