/**
 * The /scale subresource: an autoscaling/v1 Scale read off an object and written back to it.
 *
 * A write without a version cannot conflict; one with a stale version does. Everything else (generation, rules, no-ops) is an
 * ordinary update of the object.
 */
import { isMap, textOf, valueAt, withValueAt } from '../../model/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { admitSubresource } from '../admission/write-steps.ts';
import { set } from '../apply/ownership.ts';
import { objectText } from '../apply/manager.ts';
import { EMPTY_SCALE, parentEntries, SCALE_GROUND, scaleOwners } from '../apply/scale.ts';
import { decodeScale, patchOptions, writeOptions, type Incoming, type WriteOptions } from '../body.ts';
import { type ScalePaths } from '../definition.ts';
import type { Call, Kernel } from '../kernel.ts';
import { decodeMetadata, type MutableMeta } from '../metadata.ts';
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
import { APPLY_PATCH, applyOptions, configOf, mergedBy } from './apply.ts';
import { mediaType, patchedMap, patchType, uidConflict } from './write.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** What was sent, as webhooks see it. */
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

/** GET, PUT and PATCH on /scale. */
export function scale(kernel: Kernel, call: Call, paths: ScalePaths): ApiResponse {
  const { definition, version, namespace, name } = call.route;
  const old = kernel.store.get(definition.gr, rowKey(namespace, name));
  const { method } = call.request;
  if (method !== 'GET' && method !== 'PUT' && method !== 'PATCH')
    return methodNotAllowed(definition, method === 'POST' ? 'create' : 'delete');
  const applies = method === 'PATCH' && mediaType(call) === APPLY_PATCH;
  const options = applies ? applyOptions(call) : scaleOptions(call);
  if (options instanceof Refusal) return options;
  if (old === undefined) return absent(call, options);
  const live = version.fromStorage(old);
  const current = scaleOf(live, paths, definition.custom);
  if (method === 'GET') {
    if (definition.custom && valueAt(live, paths.specReplicas) === undefined) {
      const why = `the spec replicas field ".${paths.specReplicas.join('.')}" does not exist`;
      return refuse(500, 'InternalError', `Internal error occurred: ${why}`, {
        causes: [{ reason: '', message: why }],
      });
    }
    return { code: 200, body: current };
  }
  const merged = applies ? applyScale(kernel, call, current as KubeObject, old) : undefined;
  if (merged instanceof Refusal) return merged;
  const given = merged === undefined ? sentScale(call, current, options) : merged.object;
  if (given instanceof Refusal) return given;
  const asked = isMap(given)
    ? admitSubresource(kernel, call, asScale(given), current, SCALE, options.dryRun, (shown) => ({
        ...shown,
        metadata: { ...(current['metadata'] as JsonObject), ...(shown['metadata'] as JsonObject) },
      }))
    : given;
  if (asked instanceof Refusal) return asked;
  if (!isMap(asked)) return badRequest('the body of a scale request must be a Scale object');
  const meta = decodeMetadata(asked['metadata']);
  if (typeof meta === 'string') return badRequest(meta);
  const wanted = valueAt(asked, ['spec', 'replicas']);
  const replicas = wanted === undefined ? 0 : wanted;
  const misdirected = method === 'PUT' ? checkTarget(call, asked, meta, old, options) : undefined;
  if (misdirected !== undefined) return misdirected;
  // Counts of custom resources are judged with the object they become part of.
  if (typeof replicas !== 'number' || (replicas < 0 && !definition.custom))
    return invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  const sent = meta.resourceVersion;
  if (sent !== undefined && sent !== '0' && sent !== old.metadata.resourceVersion) return conflict(definition, name);
  const counted = withValueAt(live, paths.specReplicas, replicas) as KubeObject;
  // Objects are defaulted when they are read: a spec that is new comes with its defaults.
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

/** Nothing to scale; what was sent is read before anybody looks. */
function absent(call: Call, options: WriteOptions): Refusal {
  const { definition, name } = call.route;
  const sent = call.request.method === 'PUT' ? decodeScale(call, undefined, options) : undefined;
  return sent instanceof Refusal ? sent : notFound(definition, name);
}

/** A real server's decoder knows no other kind on the scales of custom resources, and says it in its own way. */
const NOT_A_SCALE = 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"';

/** A Scale that is sent must name the object of the URL. */
function checkTarget(
  call: Call,
  asked: JsonObject,
  meta: MutableMeta,
  old: KubeObject,
  options: WriteOptions,
): Refusal | undefined {
  const { definition, namespace, name } = call.route;
  const body = isMap(call.request.body) ? call.request.body : asked;
  const { apiVersion = '', kind = '' } = body;
  const replicas = valueAt(asked, ['spec', 'replicas']);
  const mistyped = (kind !== '' && kind !== 'Scale') || (apiVersion !== '' && apiVersion !== 'autoscaling/v1');
  if (definition.custom && (mistyped || (replicas !== undefined && typeof replicas !== 'number')))
    return badRequest(NOT_A_SCALE);
  if (meta.name === undefined)
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (meta.name !== name)
    return badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${name})`);
  if (meta.namespace !== undefined && meta.namespace !== namespace)
    return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const live = old.metadata.uid ?? '';
  return meta.uid === undefined || meta.uid === live ? undefined : uidConflict(call, meta.uid, live, options);
}

const CANNOT_CONVERT = 'to proper version: request to convert CR to an invalid group/version: autoscaling/v1';

/** The Scale after an apply, and the `managedFields` of the object behind it. */
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
  // With custom resources the real server trips over its own conversions: nothing can ever be applied that changes the count.
  if (definition.custom && counted.size === 0)
    return rawError(
      `failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) ${CANNOT_CONVERT}`,
    );
  const merged = mergedBy(kernel, call, SCALE_GROUND, current, EMPTY_SCALE, config, counted);
  if (merged instanceof Refusal) return merged;
  if (definition.custom && merged.object !== current)
    return rawError(`failed to convert new object (${objectText(config)}) ${CANNOT_CONVERT}`);
  return {
    object: merged.object,
    entries: parentEntries(definition, version.apiVersion, owners, merged.managed) ?? [],
  };
}

/** What PUT or PATCH make of the scale. */
function sentScale(call: Call, current: JsonObject, options: WriteOptions): JsonObject | Refusal {
  if (call.request.method === 'PUT') return decodeScale(call, undefined, options);
  const type = patchType(call);
  const patched = type instanceof Refusal ? type : patchedMap(call, type, current);
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
    // Zero is left out of the spec, as Go's omitempty does.
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
