/**
 * The /scale subresource: an autoscaling/v1 Scale derived from an object and written back to it.
 *
 * A write without a version cannot conflict; a write with a stale version does. Everything else (generation, validation, no-ops) is an
 * ordinary update of the object.
 */
import { isMap, textOf, valueAt, withValueAt } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { admitSubresource } from '../admission/write-steps.ts';
import { set } from '../apply/ownership.ts';
import { objectText } from '../apply/manager.ts';
import { EMPTY_SCALE, parentEntries, SCALE_GROUND, scaleOwners } from '../apply/scale.ts';
import { decodeScale, patchOptions, writeOptions, type Incoming, type WriteOptions } from '../body.ts';
import { type ScalePaths } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { decodeMetadata } from '../metadata.ts';
import { validateNewMetadata } from '../metadata-rules.ts';
import {
  badRequest,
  conflict,
  fieldInvalid,
  invalid,
  methodNotAllowed,
  notFound,
  rawError,
  Refusal,
  refuse,
} from '../refusal.ts';
import { selectorText } from '../selectors.ts';
import { rowKey } from '../store.ts';
import { storeChanged } from '../write.ts';
import { APPLY_PATCH, applyOptions, claimsOwners, configOf, mergedBy } from './apply.ts';
import { get } from './read.ts';
import { checkName, checkVersion, mediaType, patchedMap, patchType, uidConflict } from './write.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** Returns a body as a Scale, the form in which webhooks receive it. */
function asScale(given: JsonObject): JsonObject {
  const metadata = isMap(given['metadata']) ? given['metadata'] : {};
  return {
    ...given,
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    status: given['status'] ?? { replicas: 0 },
  };
}

/** Handles GET, PUT and PATCH on /scale. */
export function scale(kernel: Kernel, call: Call, paths: ScalePaths): ApiResponse {
  const { definition, version, namespace, name } = call.route;
  const { method } = call.request;
  if (method === 'GET') return read(kernel, call, paths);
  if (method !== 'PUT' && method !== 'PATCH')
    return methodNotAllowed(definition, method === 'POST' ? 'create' : 'delete');
  const applies = method === 'PATCH' && mediaType(call) === APPLY_PATCH;
  const type = method === 'PUT' || applies ? '' : patchType(call);
  if (type instanceof Refusal) return type;
  const options = applies ? applyOptions(call) : scaleOptions(call);
  if (options instanceof Refusal) return options;
  // The body of a PUT is decoded, and its name is checked, before the object is looked up.
  const put = method === 'PUT' ? sentScale(call, options) : undefined;
  if (put instanceof Refusal) return put;
  const old = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (old === undefined) return notFound(definition, name);
  const uid = put === undefined ? '' : textOf(valueAt(put, ['metadata', 'uid']));
  if (uid !== '' && uid !== old.metadata.uid) return uidConflict(call, uid, old.metadata.uid ?? '', options);
  const live = version.fromStorage(old);
  const current = scaleOf(live, paths, definition.custom);
  const unset = definition.custom && valueAt(live, paths.specReplicas) === undefined;
  const merged = applies ? applyScale(kernel, call, current as KubeObject, old) : undefined;
  if (merged instanceof Refusal) return merged;
  const patchable = unset ? { ...current, spec: { replicas: UNSET } } : current;
  const given = merged?.object ?? put ?? patchedScale(call, type, patchable, options);
  if (given instanceof Refusal) return given;
  const misnamed = checkTarget(call, given);
  if (misnamed !== undefined) return misnamed;
  if (unset && valueAt(given, ['spec', 'replicas']) === UNSET)
    return badRequest(`the spec replicas field ".${paths.specReplicas.join('.')}" cannot be empty`);
  const asked = admitSubresource(kernel, call, asScale(given), current, SCALE, options.dryRun, (shown) => ({
    ...shown,
    metadata: { ...(current['metadata'] as JsonObject), ...(shown['metadata'] as JsonObject) },
  }));
  if (asked instanceof Refusal) return asked;
  if (!isMap(asked)) return badRequest('the body of a scale request must be a Scale object');
  const meta = decodeMetadata(asked['metadata']);
  if (typeof meta === 'string') return badRequest(meta);
  const wanted = valueAt(asked, ['spec', 'replicas']);
  const replicas = wanted === undefined ? 0 : wanted;
  // For a custom resource, the replica count is validated together with the object.
  const negative = typeof replicas !== 'number' || (replicas < 0 && !definition.custom);
  const errors = negative ? [fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
  const validated = definition.custom ? errors : validateNewMetadata(meta, 'subdomain', 'core', errors);
  if (validated.length > 0) return invalid({ group: 'autoscaling', kind: 'Scale' }, name, validated);
  if (!definition.custom && (meta.uid ?? old.metadata.uid) !== old.metadata.uid)
    return conflict(
      { ...definition, resource: `${definition.resource}/scale`, gr: definition.gr.replace(/^\w+/, '$&/scale') },
      name,
      `Precondition failed: UID in precondition: ${meta.uid ?? ''}, UID in object meta: ${old.metadata.uid ?? ''}`,
    );
  const outdated = meta.resourceVersion === undefined ? undefined : checkVersion(call, meta, old);
  if (outdated !== undefined) return outdated;
  const counted = withValueAt(live, paths.specReplicas, replicas) as KubeObject;
  // A custom resource is defaulted when it is read, so the new spec gets its defaults.
  const object = definition.custom ? (version.schema?.coerce(counted) ?? counted) : counted;
  const main: Call = { ...call, route: { ...call.route, subresource: '' }, admitted: true, origin: call };
  const scaled: KubeObject = { ...(current as KubeObject), spec: replicasField(replicas) };
  const incoming: Incoming = { object, meta: { ...live.metadata }, owned: true };
  set(incoming.meta, merged?.entries ?? kernel.owners.scaling(call, old, current as KubeObject, scaled));
  const stored = storeChanged(kernel, main, incoming, old, options);
  if (stored instanceof Refusal) return stored;
  return { code: 200, body: scaleOf(version.fromStorage(stored), paths, definition.custom) };
}

function scaleOptions({ request }: Call): WriteOptions | Refusal {
  return request.method === 'PATCH' ? patchOptions(request.query) : writeOptions(request.query, 'UpdateOptions');
}

/** Handles GET. Errors in reading the object come before errors in its replica count. */
function read(kernel: Kernel, call: Call, paths: ScalePaths): ApiResponse {
  const { custom } = call.route.definition;
  const answer = get(kernel, call);
  if (answer.code !== 200) return answer;
  const live = answer.body as KubeObject;
  if (!custom || valueAt(live, paths.specReplicas) !== undefined)
    return { code: 200, body: scaleOf(live, paths, custom) };
  const why = `the spec replicas field ".${paths.specReplicas.join('.')}" does not exist`;
  return refuse(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}

/** The replica count that a patch finds in the Scale if the custom resource has none: the smallest int32, as in kube-apiserver. */
const UNSET = -2_147_483_648;

/** The error of a real server for every undecodable body for built-in kinds, because its decoder knows Scale only for custom resources. */
const NOT_A_SCALE = 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"';

/** Returns the body of a PUT, which must name the object in the URL. */
function sentScale(call: Call, options: WriteOptions): JsonObject | Refusal {
  const { definition } = call.route;
  const { body } = call.request;
  const given = decodeScale(call, undefined, options);
  if (definition.custom && isMap(body)) {
    const { apiVersion = '', kind = '' } = body;
    const mistyped = (kind !== '' && kind !== 'Scale') || (apiVersion !== '' && apiVersion !== 'autoscaling/v1');
    if (mistyped || given instanceof Refusal) return badRequest(NOT_A_SCALE);
  }
  return given instanceof Refusal ? given : (checkTarget(call, given) ?? given);
}

/** Checks that a Scale names the object in the URL. */
function checkTarget(call: Call, given: JsonObject): Refusal | undefined {
  const { namespace, name } = call.route;
  const metadata = given['metadata'];
  const meta = isMap(metadata) ? metadata : {};
  const home = textOf(meta['namespace']);
  if (home !== '' && home !== namespace)
    return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return checkName(textOf(meta['name']), name);
}

const CANNOT_CONVERT = 'to proper version: request to convert CR to an invalid group/version: autoscaling/v1';

/** Returns the Scale after an apply, and the `managedFields` of the object behind it. */
function applyScale(
  kernel: Kernel,
  call: Call,
  current: KubeObject,
  old: KubeObject,
): { readonly object: KubeObject; readonly entries: readonly JsonObject[] } | Refusal {
  const { definition, version } = call.route;
  const config = configOf(call, SCALE_GROUND, 'Scale');
  if (config instanceof Refusal) return config;
  const owners = kernel.owners.of(definition, old);
  const counted = scaleOwners(definition, owners);
  // For custom resources an apply can never change the count: a real server fails in its own conversion.
  if (definition.custom && counted.size === 0)
    return rawError(
      `failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) ${CANNOT_CONVERT}`,
    );
  const claims = claimsOwners(config);
  if (claims !== undefined) return claims;
  const merged = mergedBy(kernel, call, SCALE_GROUND, current, EMPTY_SCALE, config, counted);
  if (merged instanceof Refusal) return merged;
  if (definition.custom && merged.object !== current)
    return rawError(`failed to convert new object (${objectText(config)}) ${CANNOT_CONVERT}`);
  return {
    object: merged.object,
    entries: parentEntries(definition, version.apiVersion, owners, merged.managed) ?? [],
  };
}

/** Returns the Scale after a patch. */
function patchedScale(call: Call, type: string, current: JsonObject, options: WriteOptions): JsonObject | Refusal {
  const patched = patchedMap(call, type, current);
  return patched instanceof Refusal ? patched : decodeScale(call, patched, options);
}

function scaleOf(object: KubeObject, paths: ScalePaths, custom: boolean): JsonObject {
  const { name = '', namespace, uid = '', resourceVersion = '', creationTimestamp = '' } = object.metadata;
  const selector = custom
    ? textOf(valueAt(object, paths.selector))
    : selectorText(valueAt(object, ['spec', 'selector']));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    // A count of zero is omitted from the spec, as by Go's omitempty.
    spec: replicasField(valueAt(object, paths.specReplicas)),
    status: { replicas: count(valueAt(object, paths.statusReplicas)), ...(selector === '' ? {} : { selector }) },
  };
}

function replicasField(value: JsonValue | undefined): JsonObject {
  const replicas = count(value);
  return replicas === 0 ? {} : { replicas };
}

function count(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
