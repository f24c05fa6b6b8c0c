/**
 * Turns a request body into an object that is ready for a strategy: the decode step of every write.
 *
 * Owns: kind and version checks, names against the URL, pruning and defaulting, the query options shared by writes. Answers 400 and 422
 * with kube-apiserver's messages.
 */
import { isList, isMap } from '../objects/json.ts';
import { parseApiVersion, type JsonObject, type JsonValue, type KubeObject } from '../objects/object.ts';
import { fieldManagerErrors } from './apply/field-manager-name.ts';
import { CRDS } from './crd/status.ts';
import { goType, type ResourceDefinition, type ServedVersion } from './definition.ts';
import type { Call } from './call.ts';
import { BuiltInSchema } from './kinds/builtin-schema.ts';
import { goTypeOfKind } from './kinds/go-types.ts';
import { isOddTime, metadataProblem, unknownInMetadata } from './kinds/metadata-decode.ts';
import { decodeMetadata, hadDuplicateOwners, type MutableMeta } from './metadata.ts';
import { cutForMessage, goPrinted } from './patch/go-print.ts';
import { leftOfPatch, STRATEGIC_MERGE_PATCH } from './patch/strategic-merge.ts';
import {
  badRequest,
  fieldForbidden,
  fieldNotSupported,
  invalid,
  Refusal,
  unsupportedMediaType,
  type FieldError,
} from './refusal.ts';
import { isTooLargeToStore, TOO_LARGE_TO_STORE, TooMuchFilledIn } from './weight.ts';

/** An object with canonical metadata that may still be edited. */
export interface Incoming {
  readonly object: JsonObject;
  readonly meta: MutableMeta;
  /** True if an apply has already set `meta.managedFields`. */
  readonly owned?: true;
  /** True if the metadata is the result of an apply and would change on a read-write round trip (`apply/raw-metadata.ts`). */
  readonly raw?: true;
}

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
}

const NONE: readonly FieldError[] = [];
const PLAIN_OPTIONS: WriteOptions = { dryRun: false, fieldValidation: 'Warn' };

/** Returns `?dryRun=` and `?fieldValidation=`, or a refusal. `earlier`: errors in options of this verb, which are listed first. */
export function writeOptions(
  query: { readonly [key: string]: string },
  kind: OptionsKind,
  earlier: readonly FieldError[] = NONE,
): WriteOptions | Refusal {
  const { dryRun, fieldValidation, fieldManager } = query;
  if (dryRun === undefined && fieldValidation === undefined && fieldManager === undefined && earlier.length === 0)
    return PLAIN_OPTIONS;
  const errors = [...earlier, ...fieldManagerErrors(fieldManager ?? '')];
  if (dryRun !== undefined && dryRun !== '' && dryRun !== 'All')
    errors.push(fieldNotSupported('dryRun', [dryRun], ['All']));
  if (fieldValidation !== undefined && !['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation))
    errors.push(fieldNotSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0) return invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: dryRun === 'All',
    fieldValidation: fieldValidation === 'Strict' || fieldValidation === 'Ignore' ? fieldValidation : 'Warn',
  };
}

/** Returns the options of a patch other than an apply. */
export function patchOptions(query: { readonly [key: string]: string }): WriteOptions | Refusal {
  return writeOptions(query, 'PatchOptions', query['force'] === undefined ? NONE : NO_FORCE);
}

const NO_FORCE = [fieldForbidden('force', 'may not be specified for non-apply patch')];

/** The media types of bodies. Protobuf is decoded by the HTTP shell; in process a body is already decoded. */
export const BODY_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const CUSTOM_BODY_TYPES: readonly string[] = ['application/json', 'application/yaml'];

/** Returns the media type of the body. */
export function mediaType({ headers }: Call['request']): string {
  const header = headers['content-type'];
  if (header === undefined || header === 'application/json' || header === '') return 'application/json';
  const [type = '', ...parameters] = header.split(';');
  // A parameter without a value invalidates the whole header.
  if (parameters.some((one) => one.trim() !== '' && !one.includes('='))) return '';
  return type.trim().toLowerCase();
}

/** Returns the accepted media types of a body of this resource. */
export function bodyTypes(definition: ResourceDefinition): readonly string[] {
  return definition.custom ? CUSTOM_BODY_TYPES : BODY_TYPES;
}

/** The Go type that Go decodes first from every body. */
export const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const VERSION_FIRST = "couldn't get version/kind; json parse error: ";

/** Returns the body as a map, or a refusal. Callers check that a custom resource accepts the content type. */
export function bodyMap({ request, route }: Call, kind: string = route.definition.kind): JsonObject | Refusal {
  if (!BODY_TYPES.includes(mediaType(request))) return unsupportedMediaType(BODY_TYPES);
  const { body } = request;
  if (isMap(body)) return body;
  if (body === null) return {};
  return unreadable(request, kind);
}

/** Returns the refusal of a body that is not a map. */
export function unreadable(request: Call['request'], kind: string): Refusal {
  const { body, undecodable, decodeError, decodedAs } = request;
  if (decodedAs !== undefined)
    return badRequest(
      `${decodedAs.kind} in version "${parseApiVersion(decodedAs.apiVersion).version}" cannot be handled as a ${kind}: ${decodeError ?? ''}`,
    );
  const cause =
    undecodable !== undefined
      ? (decodeError ?? `${VERSION_FIRST}invalid character in the body`)
      : body === undefined
        ? `${VERSION_FIRST}unexpected end of JSON input`
        : `${VERSION_FIRST}json: cannot unmarshal ${goType(body)} into Go value of type ${TYPE_META}`;
  const text = undecodable ?? (body === undefined ? '' : JSON.stringify(body));
  return unrecognized(kind, cause, text, mediaType(request) === PROTOBUF);
}

function unrecognized(kind: string, cause: string, text: string, binary = false): Refusal {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${cause} (${summary(text, binary)})`,
  );
}

/** The number of bytes of a body that messages show. */
const SUMMARY_BYTES_MAX = 30;

/** Returns the start of a body: as text when it is a JSON object, in hexadecimal otherwise. `binary`: each character is one byte. */
function summary(text: string, binary: boolean): string {
  if (text === '') return '<empty>';
  const bytes = binary ? Uint8Array.from(text, (char) => char.charCodeAt(0)) : new TextEncoder().encode(text);
  const start = bytes.subarray(0, SUMMARY_BYTES_MAX);
  const more = bytes.length > SUMMARY_BYTES_MAX ? ' ...' : '';
  if (text.startsWith('{')) return new TextDecoder().decode(start) + more;
  let hex = '';
  for (const byte of start) hex += byte.toString(16).padStart(2, '0');
  return hex + more;
}

/** Decodes the main-resource body of POST and PUT. */
export function decodeObject(call: Call, options: WriteOptions): Incoming | Refusal {
  const raw = bodyMap(call);
  if (raw instanceof Refusal) return raw;
  return decodeMap(call, raw, options);
}

/** Decodes a parsed map: the body of a request, or the result of a patch. */
export function decodeMap(
  call: Call,
  raw: JsonObject,
  options: WriteOptions,
  unreadable?: (why: string) => Refusal,
): Incoming | Refusal {
  const { definition, version } = call.route;
  const typed = checkType(definition, version, raw);
  if (typed instanceof Refusal) return typed;
  const strategic = isStrategic(call);
  const refuseBody = (why: string): Refusal =>
    unreadable !== undefined
      ? unreadable(why)
      : call.request.method === 'PATCH'
        ? unusablePatch(strategic ? goPrinted(leftOfPatch(raw)) : cutForMessage(JSON.stringify(sortedKeys(typed))), why)
        : badRequest(
            `${definition.kind} in version "${version.name}" cannot be handled as a ${definition.kind}: ${why}`,
          );
  const words = strategic || unreadable !== undefined ? 'converter' : 'json';
  const meta = decodeMetadata(raw['metadata']);
  if (typeof meta === 'string' || isOddTime(meta.creationTimestamp) || isOddTime(meta.deletionTimestamp)) {
    const problem = metadataProblem(raw['metadata'], definition.kind, definition.custom, words);
    if (problem !== undefined || typeof meta === 'string')
      return refuseBody(earlierProblem(call, typed, words) ?? problem ?? 'json: unusable metadata');
  }
  if (hadDuplicateOwners(raw['metadata'], meta))
    call.warnings.push(
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests',
    );
  const found: string[] | undefined = options.fieldValidation === 'Ignore' ? undefined : [];
  const object = filledIn(() => coerce(definition, version, typed, found, words));
  if (object === undefined || isTooLarge(object, meta, definition)) return TOO_LARGE_TO_STORE;
  if (typeof object === 'string') return refuseBody(object);
  if (found !== undefined) {
    const unknown = withMetadata(call, typed, found, words);
    const { duplicates = [] } = call.request;
    // Go's decoder of built-in kinds does not look into unknown fields, so it does not report duplicates inside them.
    const repeated = definition.custom ? duplicates : duplicates.filter((one) => !isWithin(one, unknown));
    const texts = [...repeated, ...unknown.map((path) => `unknown field "${path}"`)];
    if (!definition.custom && texts.length > STRICT_ERRORS_MAX) texts.length = STRICT_ERRORS_MAX;
    if (texts.length > 0) {
      if (options.fieldValidation === 'Strict') return refuseBody(`strict decoding error: ${texts.join(', ')}`);
      for (const text of texts) call.warnings.push(text);
    }
  }
  return { object, meta };
}

/** Go's decoder of built-in kinds collects at most this many strict errors. */
const STRICT_ERRORS_MAX = 100;

/** Returns the result of `coerce`; undefined when its defaults make it too large to store. */
function filledIn(coerced: () => JsonObject | string): JsonObject | string | undefined {
  try {
    return coerced();
  } catch (error) {
    if (error instanceof TooMuchFilledIn) return undefined;
    throw error;
  }
}

/**
 * Reports whether an object is too large to store. A real server notices only when it stores the object, after work that takes many times
 * the object's size.
 */
function isTooLarge(object: JsonObject | string, meta: MutableMeta, { custom, gr }: ResourceDefinition): boolean {
  // CRDs are stored as JSON, like custom resources.
  return typeof object !== 'string' && isTooLargeToStore(object, custom || gr === CRDS, meta);
}

/** Returns the first error in the fields before the metadata, in document order, which is the error that Go's decoder reports. */
function earlierProblem({ request, route }: Call, typed: KubeObject, words: 'json' | 'converter'): string | undefined {
  const { definition, version } = route;
  if (definition.custom || words !== 'json') return undefined;
  const before: { [key: string]: JsonValue | undefined } = {};
  for (const key of keysAsSent(request, typed)) {
    if (key === 'metadata') break;
    before[key] = typed[key];
  }
  const { apiVersion, kind } = typed;
  const object = coerce(definition, version, { ...before, apiVersion, kind, metadata: {} }, undefined, words);
  return typeof object === 'string' ? object : undefined;
}

/** Returns the unknown fields of the object and of its metadata, in the order of Go's decoders. */
function withMetadata(
  { request, route }: Call,
  typed: KubeObject,
  unknown: readonly string[],
  words: 'json' | 'converter',
): readonly string[] {
  const inMetadata: string[] = [];
  unknownInMetadata(typed['metadata'], inMetadata);
  if (inMetadata.length === 0) return unknown;
  if (route.definition.custom) return [...inMetadata.sort(), ...unknown];
  const keys = keysAsSent(request, typed);
  const metadata = keys.indexOf('metadata');
  // The converter reports the unknown fields of a struct before it descends into the known ones.
  const isBefore = (path: string): boolean =>
    words === 'converter' ? !/[.[]/.test(path) : keys.indexOf(/^[^.[]*/.exec(path)?.[0] ?? '') < metadata;
  const after = unknown.findIndex((path) => !isBefore(path));
  const place = after === -1 ? unknown.length : after;
  return [...unknown.slice(0, place), ...inMetadata, ...unknown.slice(place)];
}

function keysAsSent({ method }: Call['request'], object: JsonObject): readonly string[] {
  const keys = Object.keys(object);
  return method === 'PATCH' ? keys.sort() : keys;
}

/** Sorts the top-level keys, as in patched objects. */
function sortedKeys(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isWithin(duplicate: string, unknown: readonly string[]): boolean {
  const path = /^duplicate field "(.*)"$/.exec(duplicate)?.[1] ?? '';
  return unknown.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
}

const SCALE = new BuiltInSchema('autoscaling/v1', 'Scale');

/** Decodes the body of a /scale request, which is a Scale for every resource. If present, `patched` is decoded instead of the body. */
export function decodeScale(call: Call, patched: JsonObject | undefined, options: WriteOptions): JsonObject | Refusal {
  const { route } = call;
  const definition = { ...route.definition, group: 'autoscaling', kind: 'Scale', custom: false };
  const version = { ...route.version, name: 'v1', apiVersion: 'autoscaling/v1', schema: SCALE };
  const scaled: Call = { ...call, route: { ...route, definition, version } };
  const raw = patched ?? bodyMap(scaled);
  if (raw instanceof Refusal) return raw;
  // For built-in resources, other types of scale are known too; the conversion refuses them.
  const { custom } = route.definition;
  const incoming = decodeMap(scaled, custom ? { ...raw, apiVersion: 'autoscaling/v1', kind: 'Scale' } : raw, options);
  if (incoming instanceof Refusal) return incoming;
  const { apiVersion, kind } = custom ? raw : incoming.object;
  return { ...incoming.object, apiVersion, kind, metadata: { ...incoming.meta } };
}

/**
 * Reports whether the request is a strategic merge patch. kube-apiserver converts its result from a map instead of decoding JSON, so the
 * error messages differ.
 */
function isStrategic({ request }: Call): boolean {
  return request.method === 'PATCH' && request.headers['content-type']?.startsWith(STRATEGIC_MERGE_PATCH) === true;
}

/** Returns a value that should be a string, in the form that messages show. */
function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function checkType(definition: ResourceDefinition, version: ServedVersion, raw: JsonObject): KubeObject | Refusal {
  const { apiVersion, kind } = raw;
  if (apiVersion === version.apiVersion && kind === definition.kind) return raw as KubeObject;
  for (const [key, value] of [
    ['apiVersion', apiVersion],
    ['kind', kind],
  ] as const)
    if (value !== undefined && value !== null && typeof value !== 'string')
      return unrecognized(
        definition.kind,
        `${VERSION_FIRST}json: cannot unmarshal ${goType(value)} into Go struct field .${key} of type string`,
        JSON.stringify(raw),
      );
  if (definition.custom) {
    if (kind === undefined || kind === null || kind === '') {
      const text = JSON.stringify(raw);
      return unrecognized(definition.kind, `Object 'Kind' is missing in '${text}'`, text);
    }
  } else {
    const foreign = checkBuiltInType(definition, version, shown(apiVersion ?? ''), shown(kind ?? ''));
    if (foreign !== undefined) return foreign;
  }
  if (apiVersion !== undefined && apiVersion !== null && apiVersion !== '' && apiVersion !== version.apiVersion)
    return badRequest(
      `the API version in the data (${shown(apiVersion)}) does not match the expected API version (${version.apiVersion})`,
    );
  if (definition.custom && kind !== definition.kind) {
    const wrong = shown(kind ?? '');
    const { metadata } = raw;
    const name = isMap(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
    return invalid({ group: definition.group, kind: wrong }, name, [
      { type: 'Invalid', field: 'kind', value: wrong, detail: `must be ${definition.kind}` },
    ]);
  }
  return { ...raw, apiVersion: version.apiVersion, kind: definition.kind } as KubeObject;
}

/** Refuses a kind that differs from the kind in the URL: an unknown kind, or the kind of another resource. */
function checkBuiltInType(
  definition: ResourceDefinition,
  version: ServedVersion,
  givenVersion: string,
  givenKind: string,
): Refusal | undefined {
  const apiVersion = givenVersion === '' ? version.apiVersion : givenVersion;
  const kind = givenKind === '' ? definition.kind : givenKind;
  const { group, version: short } = parseApiVersion(apiVersion);
  const prefix = `${kind} in version "${short}" cannot be handled as a ${definition.kind}: `;
  if (goTypeOfKind(apiVersion, kind) === undefined)
    return badRequest(
      `${prefix}no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  if (kind === definition.kind && (group === definition.group || kind === 'Event')) return undefined;
  return badRequest(
    `${prefix}converting (${short}.${kind}) to (${internalPackage(definition.group)}.${definition.kind}): unknown conversion`,
  );
}

/** Returns the Go package of a group's internal types: `core`, `apps`, `rbac`. */
function internalPackage(group: string): string {
  if (group === '' || group === 'events.k8s.io') return 'core';
  return group.split('.', 1)[0] ?? '';
}

/** Returns the object without unknown fields, or the error as a text when it cannot be decoded. */
function coerce(
  definition: ResourceDefinition,
  version: ServedVersion,
  typed: KubeObject,
  unknown: string[] | undefined,
  words: 'json' | 'converter',
): JsonObject | string {
  const { schema } = version;
  if (schema === undefined) return stripNulls(typed, true) as JsonObject;
  if (schema.decode !== undefined) return schema.decode(typed, unknown, words);
  if (unknown === undefined) return schema.coerce(typed);
  const found: string[] = [];
  const object = schema.coerce(typed, found);
  // The paths of pruned fields are sorted, and come after those in the metadata.
  for (const path of found.sort()) unknown.push(path);
  return object;
}

/** Returns 422 for a patch with an undecodable result. */
function unusablePatch(shown: string, why: string): Refusal {
  return invalid({ group: '', kind: '' }, '', [{ type: 'Invalid', field: 'patch', value: shown, detail: why }]);
}

/** Removes nulls, which built-in kinds treat as absent. */
function stripNulls(value: JsonValue, root: boolean): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) {
    let copy: JsonValue[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as JsonValue;
      const stripped = stripNulls(item, false);
      if (stripped !== item) (copy ??= [...value])[index] = stripped;
    }
    return copy ?? value;
  }
  const map: JsonObject = value;
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  for (const key in map) {
    const item = map[key];
    if (item === undefined || (root && key === 'metadata')) continue;
    const stripped = item === null ? undefined : stripNulls(item, false);
    if (stripped === item) continue;
    copy ??= { ...map };
    if (stripped === undefined) delete copy[key];
    else copy[key] = stripped;
  }
  return copy ?? map;
}
