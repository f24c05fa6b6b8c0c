/**
 * From a request body to an object ready for a strategy: the decode step of every write.
 *
 * Owns: kind and version checks, names against the URL, pruning and defaulting, the query options shared by writes. Answers 400
 * and 422 as kube-apiserver words them.
 */
import { parseApiVersion, type JsonObject, type JsonValue, type KubeObject } from '../model/object.ts';
import { goType, isList, isMap, type ResourceDefinition, type ServedVersion } from './definition.ts';
import type { Call } from './kernel.ts';
import { decodeMetadata, hadDuplicateOwners, type MutableMeta } from './metadata.ts';
import { badRequest, fieldNotSupported, invalid, Refusal, refuse } from './refusal.ts';

/** An object whose metadata is canonical and still ours to change. */
export interface Incoming {
  readonly object: JsonObject;
  readonly meta: MutableMeta;
}

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
}

const PLAIN_OPTIONS: WriteOptions = { dryRun: false, fieldValidation: 'Warn' };

/** `?dryRun=` and `?fieldValidation=`. */
export function writeOptions(query: { readonly [key: string]: string }, kind: OptionsKind): WriteOptions | Refusal {
  const { dryRun, fieldValidation } = query;
  if (dryRun === undefined && fieldValidation === undefined) return PLAIN_OPTIONS;
  const errors = [];
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

/** Protobuf is missing: see DIFFERENCES.md. */
export const BODY_TYPES: readonly string[] = ['application/json', 'application/yaml'];

/** The body as a map, or why it is none. Content types are checked by whoever knows which apply. */
export function bodyMap(call: Call): JsonObject | Refusal {
  const { request, route } = call;
  if (isMap(request.body)) return request.body;
  const { kind } = route.definition;
  const cause =
    request.undecodable !== undefined
      ? "couldn't get version/kind; json parse error: invalid character in the body"
      : request.body === undefined
        ? 'unexpected end of JSON input'
        : `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(request.body)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
  return badRequest(`${kind} in version "${route.version.name}" cannot be handled as a ${kind}: ${cause}`);
}

/** Decodes the main-resource body of POST and PUT. */
export function decodeObject(call: Call, options: WriteOptions): Incoming | Refusal {
  const raw = bodyMap(call);
  if (raw instanceof Refusal) return raw;
  return decodeMap(call, raw, options);
}

/** The same for a map from elsewhere: the result of a patch. */
export function decodeMap(call: Call, raw: JsonObject, options: WriteOptions): Incoming | Refusal {
  const { definition, version } = call.route;
  const typed = checkType(definition, version, raw);
  if (typed instanceof Refusal) return typed;
  const meta = decodeMetadata(raw['metadata']);
  if (typeof meta === 'string')
    return call.request.method === 'PATCH'
      ? unusablePatch(raw, meta)
      : badRequest(
          `${definition.kind} in version "${version.name}" cannot be handled as a ${definition.kind}: ${meta}`,
        );
  if (hadDuplicateOwners(raw['metadata'], meta))
    call.warnings.push(
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests',
    );
  return coerce(call, typed, meta, options);
}

/** A value that should have been a string, in a message. */
function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function checkType(definition: ResourceDefinition, version: ServedVersion, raw: JsonObject): KubeObject | Refusal {
  const { apiVersion, kind } = raw;
  if (apiVersion === version.apiVersion && kind === definition.kind) return raw as KubeObject;
  if (definition.custom && (kind === undefined || kind === ''))
    return badRequest(`Object 'Kind' is missing in '${JSON.stringify(raw)}'`);
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== version.apiVersion)
    return badRequest(
      `the API version in the data (${shown(apiVersion)}) does not match the expected API version (${version.apiVersion})`,
    );
  if (kind !== undefined && kind !== '' && kind !== definition.kind) {
    if (definition.custom)
      return invalid(definition, '', [
        { type: 'Invalid', field: 'kind', value: kind, detail: `must be ${definition.kind}` },
      ]);
    return badRequest(
      `${shown(kind)} in version "${version.name}" cannot be handled as a ${definition.kind}: converting (${version.name}.${shown(kind)}) to (${parseApiVersion(version.apiVersion).group || 'core'}.${definition.kind}): unknown conversion`,
    );
  }
  return { ...raw, apiVersion: version.apiVersion, kind: definition.kind } as KubeObject;
}

function coerce(call: Call, typed: KubeObject, meta: MutableMeta, options: WriteOptions): Incoming | Refusal {
  const { definition, version } = call.route;
  if (version.schema === undefined) return { object: withoutNulls(typed), meta };
  if (options.fieldValidation === 'Ignore') return { object: version.schema.coerce(typed), meta };
  const unknown: string[] = [];
  const object = version.schema.coerce(typed, unknown);
  if (unknown.length > 0) {
    const texts = unknown.map((path) => `unknown field "${path}"`);
    if (options.fieldValidation === 'Strict')
      return call.request.method === 'PATCH'
        ? unusablePatch(typed, `strict decoding error: ${texts.join(', ')}`)
        : refuse(
            400,
            'BadRequest',
            `${definition.kind} in version "${version.name}" cannot be handled as a ${definition.kind}: strict decoding error: ${texts.join(', ')}`,
          );
    call.warnings.push(...texts);
  }
  return { object, meta };
}

/** 422 for a patch whose result cannot be decoded. */
function unusablePatch(result: JsonObject, why: string): Refusal {
  return invalid({ group: '', kind: '' }, '', [
    { type: 'Invalid', field: 'patch', value: JSON.stringify(result), detail: why },
  ]);
}

/** Built-in kinds know no null: a null is the same as nothing. */
export function withoutNulls(object: JsonObject): JsonObject {
  return stripNulls(object, true) as JsonObject;
}

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
