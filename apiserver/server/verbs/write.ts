/**
 * POST, PUT and PATCH on resources and on /status and /finalize.
 *
 * Owns: the order of checks of each verb. The shared last steps are in `../write.ts`, decoding in `../body.ts`.
 */
import { jsonEqual, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { isStoredRaw } from '../apply/raw-metadata.ts';
import {
  BODY_TYPES,
  bodyTypes,
  mediaType as bodyMediaType,
  decodeMap,
  decodeObject,
  patchOptions,
  writeOptions,
  type Incoming,
  type WriteOptions,
} from '../body.ts';
import { goType, type ResourceDefinition } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { nodeOfGoType } from '../kinds/builtin-node.ts';
import type { MutableMeta } from '../metadata.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { STRATEGIC_MERGE_PATCH } from '../patch/strategic-merge.ts';
import {
  badRequest,
  conflict,
  fieldInvalid,
  invalid,
  notFound,
  rawError,
  Refusal,
  refuse,
  unsupportedMediaType,
} from '../refusal.ts';
import { rowKey } from '../store.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { isTooDeep, LEVELS_MAX } from '../weight.ts';
import { placeIn, storeChanged, storeNew } from '../write.ts';
import { APPLY_PATCH, applyOptions, applyTo } from './apply.ts';
import { bareReason, strategicallyPatched } from './strategic.ts';

/** Returns the answer: an object in the requested version, or a refusal. */
function answer(call: Call, code: number, result: KubeObject | Refusal): ApiResponse {
  if (result instanceof Refusal) return result;
  return { code, body: call.route.version.fromStorage(result) };
}

/** Returns the media type of the body. */
export function mediaType(call: Call): string {
  return bodyMediaType(call.request);
}

/** Handles POST on a collection. */
export function create(kernel: Kernel, sent: Call): ApiResponse {
  const { definition, name } = sent.route;
  // For custom resources, a name in the path is ignored.
  const call: Call = name === '' ? sent : { ...sent, route: { ...sent.route, name: '' } };
  const options = writeOptions(call.request.query, 'CreateOptions');
  if (options instanceof Refusal) return options;
  if (!bodyTypes(definition).includes(mediaType(call))) return unsupportedMediaType(BODY_TYPES);
  const incoming = decodeObject(call, options);
  if (incoming instanceof Refusal) return incoming;
  return answer(call, 201, storeNew(kernel, call, incoming, options));
}

const NO_NAME = 'name must be provided';

/** Handles PUT on an object or its subresource. */
export function update(kernel: Kernel, call: Call): ApiResponse {
  const { definition, namespace, name, subresource } = call.route;
  if (name === '') return badRequest(NO_NAME);
  const options = writeOptions(call.request.query, 'UpdateOptions');
  if (options instanceof Refusal) return options;
  if (!bodyTypes(definition).includes(mediaType(call))) return unsupportedMediaType(BODY_TYPES);
  const incoming = decodeObject(call, options);
  if (incoming instanceof Refusal) return incoming;
  const { meta } = incoming;
  const misplaced = placeIn(definition, namespace, meta) ?? checkName(meta.name, name);
  if (misplaced !== undefined) return misplaced;

  const old = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (meta.uid !== undefined && (old !== undefined || createsOnUpdate(definition, subresource))) {
    const live = old?.metadata.uid ?? '';
    if (meta.uid !== live) return uidConflict(call, meta.uid, live, options);
  }
  if (old === undefined) {
    if (!createsOnUpdate(definition, subresource)) return notFound(definition, name);
    return answer(call, 201, createAbsent(kernel, call, incoming, options));
  }
  const refusal = checkVersion(call, meta, old);
  if (refusal !== undefined) return refusal;
  return answer(call, 200, storeChanged(kernel, call, incoming, old, options));
}

function createsOnUpdate({ strategy }: ResourceDefinition, subresource: string): boolean {
  return strategy.createOnUpdate && (subresource === '' || strategy.onCreateByStatus !== undefined);
}

/** Creates the absent object of an update or an apply. The resource version of a deleted object is accepted, but it must be valid. */
function createAbsent(kernel: Kernel, call: Call, incoming: Incoming, options: WriteOptions): KubeObject | Refusal {
  const { resourceVersion = '0' } = incoming.meta;
  if (!NUMBER.test(resourceVersion)) return unparsable(resourceVersion);
  // The version is kept in a dry run: only storing the object would drop it.
  if (!options.dryRun) delete incoming.meta.resourceVersion;
  return storeNew(kernel, call, incoming, options);
}

function unparsable(version: string): Refusal {
  return rawError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
}

/** Checks that the name in a body equals the name in the URL. */
export function checkName(given: string | undefined, name: string): Refusal | undefined {
  if (given === undefined || given === '')
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    return badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  return undefined;
}

/** Resources that a real server stores under a different key. */
const STORED_UNDER: { readonly [gr: string]: string } = {
  endpoints: 'services/endpoints',
  'ingresses.networking.k8s.io': 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

function storedUnder({ custom, group, gr, resource }: ResourceDefinition): string {
  // Aggregated servers store by group and resource; kube-apiserver itself stores by resource.
  if (custom || group === 'apiextensions.k8s.io' || group === 'apiregistration.k8s.io') return `${group}/${resource}`;
  return STORED_UNDER[gr] ?? resource;
}

export function uidConflict(call: Call, asked: string, live: string, { dryRun }: WriteOptions): Refusal {
  const { definition, namespace, name } = call.route;
  // In a dry run the key has no prefix, because only the store adds it.
  const key = `${dryRun ? '' : '/registry'}/${storedUnder(definition)}/${namespace === '' ? '' : `${namespace}/`}${name}`;
  return conflict(
    definition,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${asked}, UID in object meta: ${live}`,
  );
}

const NUMBER = /^\d+$/;

/** Checks the version for optimistic locking. An absent version counts as 0, as in kube-apiserver. */
export function checkVersion(call: Call, meta: MutableMeta, old: KubeObject): Refusal | undefined {
  const { definition, name } = call.route;
  const asked = meta.resourceVersion ?? '0';
  if (asked === old.metadata.resourceVersion) return undefined;
  if (!NUMBER.test(asked)) return unparsable(asked);
  if (Number(asked) !== 0) return conflict(definition, name);
  if (definition.strategy.unconditionalUpdate) return undefined;
  return invalid({ group: definition.group, kind: definition.resource }, name, [
    fieldInvalid('metadata.resourceVersion', 0, 'must be specified for an update'),
  ]);
}

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';

/** kube-apiserver's limit on operations of one JSON patch. */
const JSON_PATCH_OPERATIONS_MAX = 10_000;

const CUSTOM_PATCHES = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];

/** Returns the type of the patch, or a refusal when it is unsupported. */
export function patchType(call: Call): string | Refusal {
  // Patch types are compared without normalisation.
  const type = call.request.headers['content-type']?.split(';', 1)[0] ?? '';
  if (type === JSON_PATCH || type === MERGE_PATCH) return type;
  if (call.route.definition.custom) return unsupportedMediaType(CUSTOM_PATCHES);
  // For built-in kinds, the router refuses the request before it is decoded.
  return type === STRATEGIC_MERGE_PATCH ? type : refuse(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** Handles PATCH on an object or its subresource. It can only conflict if the patch contains a version. */
export function patch(kernel: Kernel, call: Call): ApiResponse {
  const { definition, version, namespace, name } = call.route;
  const { query } = call.request;
  if (name === '') {
    const type = mediaType(call) === APPLY_PATCH ? '' : patchType(call);
    return type instanceof Refusal ? type : badRequest(NO_NAME);
  }
  if (mediaType(call) === APPLY_PATCH) return apply(kernel, call);
  const type = patchType(call);
  if (type instanceof Refusal) return type;
  const options = patchOptions(query);
  if (options instanceof Refusal) return options;
  const old = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (old === undefined) return notFound(definition, name);
  const patched = patchedMap(call, type, version.fromStorage(old));
  if (patched instanceof Refusal) return patched;
  return answer(call, 200, storePatched(kernel, call, patched, old, options));
}

/** Handles server-side apply: creates an absent object under the name in the URL. */
function apply(kernel: Kernel, call: Call): ApiResponse {
  const { definition, namespace, name, subresource } = call.route;
  const options = applyOptions(call);
  if (options instanceof Refusal) return options;
  const old = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (old === undefined && subresource !== '' && !createsOnUpdate(definition, subresource))
    return notFound(definition, name);
  const incoming = applyTo(kernel, call, old);
  if (incoming instanceof Refusal) return incoming;
  const { meta } = incoming;
  if (old === undefined && meta.uid !== undefined) {
    const why = `uid mismatch: the provided object specified uid ${meta.uid}, and no existing object was found`;
    return conflict(definition, name, why);
  }
  const misplaced = placeIn(definition, namespace, meta) ?? checkName(meta.name, name);
  if (misplaced !== undefined) return misplaced;
  if (old === undefined) return answer(call, 201, createAbsent(kernel, call, incoming, options));
  const refusal = checkVersion(call, meta, old);
  return refusal ?? answer(call, 200, storeChanged(kernel, call, incoming, old, options));
}

/** Returns the object after the patch, not yet decoded. */
export function patchedMap(call: Call, type: string, live: JsonObject): JsonObject | Refusal {
  const { request, route } = call;
  if (type === STRATEGIC_MERGE_PATCH) return strategicallyPatched(call, live, schemaFor(route));
  // With field validation, the patch is decoded before it is applied, and the error has this prefix.
  const unread = request.query['fieldValidation'] === 'Ignore' ? '' : 'error decoding patch: ';
  if (request.undecodable !== undefined || request.body === undefined) {
    if (unread === '' && type !== JSON_PATCH) return badRequest('Invalid JSON Patch');
    const end = request.undecodable === undefined;
    const why = end ? 'unexpected end of JSON input' : bareReason(request.decodeError);
    return badRequest(`${unread}${why ?? 'invalid character in the patch'}`);
  }
  // Null decodes as an empty list of operations, but not as a merge patch.
  if (request.body === null) return type === JSON_PATCH ? live : badRequest('Invalid JSON Patch');
  let patched: JsonValue;
  if (type === JSON_PATCH) {
    const { body } = request;
    if (Array.isArray(body) && body.length > JSON_PATCH_OPERATIONS_MAX)
      return refuse(
        413,
        'RequestEntityTooLarge',
        `Request entity too large: The allowed maximum operations in a JSON patch is ${JSON_PATCH_OPERATIONS_MAX}, got ${body.length}`,
      );
    if (!Array.isArray(body) && unread === '')
      return badRequest(`json: cannot unmarshal ${goType(body)} into Go value of type jsonpatch.Patch`);
    const result = applyJsonPatch(live, body);
    if (result.outcome === 'malformed') return badRequest(result.why);
    // Any failed operation, including `test`, is a 422 without details.
    if (result.outcome === 'failed')
      return refuse(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
    patched = result.value;
    // Only a JSON patch can nest the object deeper than both the patch and the object.
    if (isTooDeep(patched)) return badRequest(`the patched object nests deeper than ${LEVELS_MAX} levels`);
  } else {
    if (!isMap(request.body) && unread === '') return badRequest('Invalid JSON Patch');
    if (!isMap(request.body))
      return badRequest(
        `error decoding patch: json: cannot unmarshal ${goType(request.body)} into Go value of type map[string]interface {}`,
      );
    patched = applyMergePatch(live, request.body);
  }
  if (isMap(patched)) return patched;
  return invalid({ group: '', kind: '' }, '', [
    { type: 'Invalid', field: 'patch', value: JSON.stringify(patched), detail: 'the result is not an object' },
  ]);
}

/** Returns the schema with the merge keys for the kind that is patched. */
function schemaFor({ version, subresource }: Call['route']): SchemaNode {
  if (subresource === 'scale' || version.schema === undefined) return nodeOfGoType('autoscaling/v1.Scale');
  return version.schema.root;
}

function storePatched(
  kernel: Kernel,
  call: Call,
  patched: JsonObject,
  old: KubeObject,
  options: WriteOptions,
): KubeObject | Refusal {
  const { definition, namespace, name, version } = call.route;
  const shown = version.fromStorage(old);
  // Defaults that were added when the object was read are stored by the next write, no matter what it changes.
  const filledIn = shown.apiVersion === old.apiVersion && !jsonEqual(shown, old);
  if (
    kernel.admission === undefined &&
    !filledIn &&
    jsonEqual(patched, shown) &&
    old.metadata.deletionTimestamp === undefined &&
    !isStoredRaw(old)
  )
    return old;
  const incoming = decodeMap(call, patched, options);
  if (incoming instanceof Refusal) return incoming;
  const { meta } = incoming;
  // A patch that removes the version requests an unconditional update.
  const refusal = placeIn(definition, namespace, meta) ?? checkName(meta.name, name) ?? checkVersion(call, meta, old);
  if (refusal !== undefined) return refusal;
  return storeChanged(kernel, call, incoming, old, options);
}
