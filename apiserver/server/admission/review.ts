/**
 * `AdmissionReview` requests.
 *
 * Owns: their fields, in the order in which Go writes them, and the options of the operation. Start at {@link reviewOf}.
 */
import { isMap } from '../../objects/json.ts';
import { parseApiVersion, type JsonObject, type JsonValue } from '../../objects/object.ts';
import type { Refusal } from '../refusal.ts';
import { ADMIN } from '../access/attributes.ts';
import { type ServedVersion } from '../definition.ts';
import type { Call } from '../call.ts';
import { userJson } from '../verbs/reviews.ts';
import type { Admitting } from './match.ts';

/** Returns the review without its uid. `version`: the version that the webhook receives. */
export function requestOf(call: Call, what: Admitting, version: ServedVersion): JsonObject {
  const { definition, subresource } = call.route;
  const own = call.route.version;
  const kindIn = (served: ServedVersion): JsonObject =>
    what.kind === undefined
      ? { group: groupOf(served), version: served.name, kind: definition.kind }
      : { group: what.kind.group, version: what.kind.version, kind: what.kind.kind };
  const resourceIn = (served: ServedVersion): JsonObject => ({
    group: groupOf(served),
    version: served.name,
    resource: definition.resource,
  });
  return {
    kind: kindIn(version),
    resource: resourceIn(version),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindIn(own),
    requestResource: resourceIn(own),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(what.name === '' ? {} : { name: what.name }),
    ...(what.namespace === '' ? {} : { namespace: what.namespace }),
    operation: what.operation,
    userInfo: userJson(call.request.user ?? ADMIN),
    object: what.object ?? null,
    oldObject: what.old ?? null,
    dryRun: what.dryRun,
    options: what.options,
  };
}

function groupOf({ apiVersion }: ServedVersion): string {
  return parseApiVersion(apiVersion).group;
}

export function reviewOf(apiVersion: string, uid: string, request: JsonObject): JsonObject {
  return { kind: 'AdmissionReview', apiVersion, request: { uid, ...request } };
}

const DELETE_FIELDS = ['gracePeriodSeconds', 'preconditions', 'orphanDependents', 'propagationPolicy'] as const;

/** Returns the CreateOptions, UpdateOptions or DeleteOptions of a request. A patch is an update. */
export function optionsOf(call: Call, kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions'): JsonObject {
  const { query, body, method } = call.request;
  const options: { [key: string]: JsonValue } = { kind, apiVersion: 'meta.k8s.io/v1' };
  if (kind === 'DeleteOptions') {
    const given = method === 'DELETE' && isMap(body) ? body : {};
    const fromQuery = queryOptions(query);
    for (const field of DELETE_FIELDS) {
      const value = given[field] ?? fromQuery[field];
      if (value !== undefined) options[field] = value;
    }
    if (given['dryRun'] !== undefined) options['dryRun'] = given['dryRun'];
  }
  if ((query['dryRun'] ?? '') !== '') options['dryRun'] = [query['dryRun'] ?? ''];
  if (kind !== 'DeleteOptions')
    for (const field of ['fieldManager', 'fieldValidation']) {
      const value = query[field] ?? '';
      if (value !== '') options[field] = value;
    }
  return options;
}

function queryOptions(query: { readonly [key: string]: string }): JsonObject {
  const { gracePeriodSeconds, orphanDependents, propagationPolicy } = query;
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(orphanDependents === undefined ? {} : { orphanDependents: orphanDependents === 'true' }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
}

/** Turns a patched map into an object of the request's version: decoded and defaulted. */
export type Redecode = (patched: JsonObject) => JsonObject | Refusal;
