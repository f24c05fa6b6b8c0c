/**
 * Content negotiation.
 *
 * Owns: the choice of media type and transformation (`as=`) of an answer, and the 406 when nothing matches, in the order and with the
 * quirks of kube-apiserver. Does not own: encoding (`encode.ts`), reading bodies (`decode.ts`). Start at {@link negotiate}.
 */
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { failure } from '../../wire/status.ts';
import { isMap } from '../../objects/json.ts';
import type { Route } from '../route.ts';
import { isBuiltIn } from '../routing.ts';

export type Media = 'json' | 'yaml' | 'protobuf';

/** The form of an answer. */
export interface Wanted {
  readonly media: Media;
  /** The kind of meta.k8s.io that the answer is transformed to; undefined for the object itself. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The version of meta.k8s.io in `as`. */
  readonly version: 'v1' | 'v1beta1';
  /** True if the answer is indented for reading. */
  readonly pretty: boolean;
  /** The resource that the path names, if any: tables and protobuf depend on it. */
  readonly route: Route | undefined;
}

export const MEDIA_TYPES: { readonly [media in Media]: string } = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

const MEDIA: readonly Media[] = ['json', 'yaml', 'protobuf'];
const ALL_TYPES: ReadonlySet<string> = new Set(MEDIA.map((media) => MEDIA_TYPES[media]));
/** The media types of streams: not YAML, which has no framing. */
const STREAMED: ReadonlySet<string> = new Set([
  `${MEDIA_TYPES.json};stream=watch`,
  `${MEDIA_TYPES.protobuf};stream=watch`,
]);

/**
 * Returns the form of the answer to `request`, or a 406, before the request is handled. `route`: the resource that its path names, if any.
 */
export function negotiate(request: ApiRequest, route: Route | undefined, watching: boolean): Wanted | ApiResponse {
  const accept = request.headers['accept'] ?? '';
  const pretty = wantsPretty(request);
  // Discovery and unknown resources. Discovery documents with several forms are negotiated by the discovery code.
  if (route === undefined && !(request.method === 'POST' && REVIEWS.test(request.path)))
    return /^\/(?:api|version)/.test(request.path)
      ? negotiateRefusal(request)
      : { media: 'json', version: 'v1', pretty, route };
  if (accept === '' || accept === 'application/json' || accept === '*/*')
    return { media: 'json', version: 'v1', pretty, route };
  const custom = route?.definition.custom === true;
  const clauses = parseAccept(accept);
  // For built-in resources kube-apiserver runs an earlier filter. It ignores parameters and does not accept `application/*`.
  if (!custom && !clauses.some(({ type, bare }) => (type === '*/*' && !bare) || ALL_TYPES.has(type)))
    return notAcceptable(request.method === 'GET' && route?.name === '');
  for (const { type, parameters } of clauses) {
    for (const media of MEDIA) {
      if (type !== '*/*' && type !== 'application/*' && type !== MEDIA_TYPES[media]) continue;
      const wanted = transformed(parameters, media);
      // Custom resources have no protobuf form; their metadata does.
      if (wanted === undefined || (custom && media === 'protobuf' && wanted.as === undefined)) continue;
      if (wanted.as === 'Table' && hasNoTable(route)) continue;
      if (watching && media === 'yaml') return refusal(STREAMED);
      return { ...wanted, media, pretty: pretty || parameters.get('pretty') === '1', route };
    }
  }
  return refusal(ALL_TYPES);
}

/** Reports whether an answer has no table form: reviews, which have no route, and subresources that perform an action. */
function hasNoTable(route: Route | undefined): boolean {
  return route === undefined || NO_TABLES.has(route.subresource);
}

const NO_TABLES: ReadonlySet<string> = new Set('binding ephemeralcontainers eviction finalize resize token'.split(' '));

/** Returns the form of a response that is not negotiated in full: the first accepted media type without a transformation, or JSON. */
export function negotiateRefusal(request: ApiRequest): Wanted {
  const accept = request.headers['accept'] ?? '';
  const plain: Wanted = { media: 'json', version: 'v1', pretty: wantsPretty(request), route: undefined };
  for (const { type, parameters } of parseAccept(accept))
    for (const media of MEDIA) {
      if (type !== '*/*' && type !== 'application/*' && type !== MEDIA_TYPES[media]) continue;
      const wanted = transformed(parameters, media);
      if (wanted !== undefined && wanted.as === undefined) return { ...plain, media };
    }
  return plain;
}

/** Returns a 406 if the client accepts no form in which a discovery document can be sent. */
export function discoveryRefusal(request: ApiRequest, answer: ApiResponse): ApiResponse | undefined {
  const accept = request.headers['accept'] ?? '';
  if (accept === '' || accept === '*/*' || accept === 'application/json') return undefined;
  const { path } = request;
  if (!path.startsWith('/api') || (isMap(answer.body) && answer.body['kind'] === 'APIGroupDiscoveryList'))
    return undefined;
  const clauses = parseAccept(accept);
  const filtered = path === '/api' || path.startsWith('/api/') || isBuiltIn(path.replace(/^\/apis\/|\/+$/g, ''));
  if (filtered && !clauses.some(({ type, bare }) => (type === '*/*' && !bare) || ALL_TYPES.has(type)))
    return notAcceptable(false);
  for (const { type, parameters } of clauses)
    for (const media of MEDIA) {
      if (type !== '*/*' && type !== 'application/*' && type !== MEDIA_TYPES[media]) continue;
      const wanted = transformed(parameters, media);
      if (wanted !== undefined && wanted.as === undefined) return undefined;
    }
  return refusal(ALL_TYPES);
}

/** Reviews are answered without being stored, so they have no route. */
const REVIEWS = /^\/apis\/(authentication|authorization)\.k8s\.io\/v1\/(?:namespaces\/[^/]*\/)?[a-z]+\/*$/;

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
  /** True for `*` alone, which only the second filter accepts. */
  readonly bare: boolean;
}

/** Returns the clauses of an Accept header by preference; malformed ones are skipped. */
function parseAccept(header: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const part of header.split(',')) {
    const [name = '', ...rest] = part.split(';');
    let type = name.trim();
    const bare = type === '*';
    if (bare) type = '*/*';
    const pieces = type.split('/');
    if (pieces.length !== 2 || pieces[1] === '') continue;
    const parameters = new Map<string, string>();
    let quality = 1;
    for (const one of rest) {
      const [key = '', value = '', ...more] = one.split('=');
      if (value === '' || more.length > 0) continue;
      if (key.trim() === 'q') quality = Number.parseFloat(value) || 0;
      else parameters.set(key.trim(), value.trim());
    }
    clauses.push({ type: pieces.map((piece) => piece.trim()).join('/'), parameters, quality, bare });
  }
  return clauses.toSorted((a, b) => b.quality - a.quality || wildcards(a.type) - wildcards(b.type));
}

function wildcards(type: string): number {
  return type === '*/*' ? 2 : type.endsWith('/*') ? 1 : 0;
}

/** Returns the requested transformation; undefined when unsupported. */
function transformed(
  parameters: ReadonlyMap<string, string>,
  media: Media,
): Pick<Wanted, 'as' | 'version'> | undefined {
  const stream = parameters.get('stream');
  if (stream !== undefined && (stream !== 'watch' || media === 'yaml')) return undefined;
  // The only supported server version (`sv`) is v1, that of meta.k8s.io.
  if ((parameters.get('sv') ?? 'v1') !== 'v1') return undefined;
  if (!parameters.has('as') && !parameters.has('g') && !parameters.has('v')) return { version: 'v1' };
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  const as = parameters.get('as');
  if (as === 'Table') return media === 'protobuf' ? undefined : { as, version };
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? { as, version } : undefined;
}

/** Returns the 406 of the first filter; for a collection it also lists the media types of watches. */
function notAcceptable(collection: boolean): ApiResponse {
  const types = [...ALL_TYPES, ...(collection ? STREAMED : [])];
  return failure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {});
}

function refusal(types: ReadonlySet<string>): ApiResponse {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${[...types].join(', ')}`);
}

/** Reports whether to indent JSON. As in kube-apiserver, it is indented for browsers and command-line clients. */
function wantsPretty({ query, headers }: ApiRequest): boolean {
  const { pretty } = query;
  if (pretty !== undefined && pretty !== '') return /^(1|t|T|true|TRUE|True)$/.test(pretty);
  const agent = headers['user-agent'];
  return agent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(agent);
}
