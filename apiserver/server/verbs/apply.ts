/**
 * PATCH with `application/apply-patch+yaml`: server-side apply.
 *
 * Owns: the order of checks around an apply, and its failures. Merging is in `../apply`; the last steps are the same as for every write
 * (`../write.ts`): an apply creates an absent object.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { StatusCause } from '../../wire/status.ts';
import { emptyObject, typedResourceOf } from '../apply/ground.ts';
import { encodeManaged, type Managed, type Owner } from '../apply/managed.ts';
import { applied, gvkText, objectText } from '../apply/manager.ts';
import { set } from '../apply/ownership.ts';
import { pathText } from '../apply/path-element.ts';
import { isRaw } from '../apply/raw-metadata.ts';
import { ApplyError, roomAfterOwned } from '../apply/typed.ts';
import { Conflicts, type Conflict, type TypedResource } from '../apply/updater.ts';
import { decodeMap, writeOptions, type Incoming, type WriteOptions } from '../body.ts';
import { goType } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { badRequest, fieldRequired, rawError, Refusal, refuse } from '../refusal.ts';
import { roomBeside, TOO_LARGE_TO_STORE } from '../weight.ts';

export const APPLY_PATCH = 'application/apply-patch+yaml';

export function applyOptions(call: Call): WriteOptions | Refusal {
  const { query } = call.request;
  return writeOptions(query, 'PatchOptions', (query['fieldManager'] ?? '') === '' ? UNNAMED : []);
}

const UNNAMED = [fieldRequired('fieldManager', 'is required for apply patch')];

/** Returns the body of an apply, in the version of the request. */
export function configOf(call: Call, typedResource: TypedResource, kind: string): KubeObject | Refusal {
  const { body, undecodable, decodeError } = call.request;
  if (undecodable !== undefined)
    return badRequest(`error decoding YAML: error converting YAML to JSON: ${decodeError ?? 'yaml: unreadable'}`);
  if (!isMap(body)) {
    if (body === undefined || body === null) return badRequest('invalid object type: /, Kind=');
    return badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goType(body)} into Go value of type map[string]interface {}`,
    );
  }
  const config = body as KubeObject;
  const typed = { apiVersion: textOf(body, 'apiVersion'), kind: textOf(body, 'kind') };
  if (typed.apiVersion !== typedResource.apiVersion || typed.kind !== kind)
    return badRequest(`invalid object type: ${typed.apiVersion === '' ? `/, Kind=${typed.kind}` : gvkText(typed)}`);
  return isMap(body['metadata']) ? config : { ...config, metadata: {} };
}

/** Refuses an applied object with `managedFields`, which the server computes. */
export function claimsOwners({ metadata }: KubeObject): Refusal | undefined {
  return isList(metadata.managedFields) ? badRequest('metadata.managedFields must be nil') : undefined;
}

function textOf(map: JsonObject, key: string): string {
  const value = map[key];
  return typeof value === 'string' ? value : '';
}

/** Returns the result of an apply, ready for the last steps of a write. */
export function applyTo(kernel: Kernel, call: Call, old: KubeObject | undefined): Incoming | Refusal {
  const { definition, version, subresource } = call.route;
  const typedResource = typedResourceOf(definition, version, subresource);
  const config = configOf(call, typedResource, definition.kind);
  if (config instanceof Refusal) return config;
  // The size is checked first: the whole config would be stored, and merging takes many times as long as parsing.
  const room = roomBeside(config, definition.custom);
  const type = room < 0 ? undefined : typedResource.typeIn(typedResource.apiVersion);
  if (room < 0 || (type !== undefined && roomAfterOwned(type, config, room) < 0)) return TOO_LARGE_TO_STORE;
  const claims = claimsOwners(config);
  if (claims !== undefined) return claims;
  const empty = emptyObject(definition, version);
  const live = old === undefined ? empty : withoutOwners(version.fromStorage(old));
  const owners = old === undefined ? undefined : kernel.owners.of(definition, old);
  const result = mergedBy(kernel, call, typedResource, live, empty, config, owners);
  if (result instanceof Refusal) return result;
  const repeated = repeatedKeys(call);
  if (repeated !== undefined) return repeated;
  const lax = { dryRun: false, fieldValidation: 'Ignore' } as const;
  const incoming = decodeMap(
    call,
    result.object,
    lax,
    definition.custom ? undefined : (why) => unconvertible(config, why),
  );
  if (incoming instanceof Refusal) return incoming;
  set(incoming.meta, encodeManaged(result.managed));
  const object = definition.custom ? withNulls(incoming.object, result.object, true) : incoming.object;
  const raw = definition.custom && subresource === '' && isRaw(result.object['metadata']);
  return { object, meta: incoming.meta, owned: true, ...(raw ? { raw: true as const } : {}) };
}

/** Returns the refusal for a merged map that cannot be converted to its Go type. */
function unconvertible(config: KubeObject, why: string): Refusal {
  const type = gvkText(config);
  return rawError(
    `failed to convert new object (${objectText(config)}) to proper version: unable to convert unstructured object to ${type}: ${why}`,
  );
}

/** Reports duplicate keys as an error or as warnings, once the rest of the body has been found valid. */
function repeatedKeys(call: Call): Refusal | undefined {
  const { query, duplicates } = call.request;
  const { fieldValidation } = query;
  if (duplicates === undefined || fieldValidation === 'Ignore') return undefined;
  const [text = ''] = duplicates;
  if (fieldValidation === 'Strict')
    return badRequest(`error strict decoding YAML: error converting YAML to JSON: ${text}`);
  for (const line of text.split('\n  ').slice(1)) call.warnings.push(line);
  return undefined;
}

/**
 * Restores the nulls that decoding a request drops: in an apply, null empties a field, and custom resources are validated with these nulls.
 */
function withNulls(decoded: JsonObject, merged: JsonObject, root: boolean): JsonObject {
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  for (const key in merged) {
    const was = merged[key];
    const is = decoded[key];
    if (was === is || (root && key === 'metadata')) continue;
    if (was === null && is === undefined) (copy ??= { ...decoded })[key] = null;
    else if (isMap(was) && isMap(is)) {
      const kept = withNulls(is, was, false);
      if (kept !== is) (copy ??= { ...decoded })[key] = kept;
    } else if (isList(was) && isList(is)) {
      const kept = is.map((item, index) => {
        const before = was[index];
        return isMap(item) && isMap(before) ? withNulls(item, before, false) : item;
      });
      if (kept.some((item, index) => item !== is[index])) (copy ??= { ...decoded })[key] = kept;
    }
  }
  return copy ?? decoded;
}

/** Returns the live object after the apply, or a refusal. */
export function mergedBy(
  kernel: Kernel,
  call: Call,
  typedResource: TypedResource,
  live: KubeObject,
  empty: KubeObject,
  config: KubeObject,
  owners: Managed | undefined,
): { readonly object: KubeObject; readonly managed: Managed } | Refusal {
  const { query } = call.request;
  const writer = {
    manager: query['fieldManager'] ?? '',
    subresource: call.route.subresource,
    time: kernel.timestamp(),
  };
  const force = query['force'] === 'true' || query['force'] === '1';
  try {
    return applied(typedResource, live, empty, config, owners ?? new Map(), writer, force);
  } catch (error) {
    if (error instanceof Conflicts) return conflictsRefusal(error.conflicts);
    if (error instanceof ApplyError) return rawError(error.message);
    throw error;
  }
}

function withoutOwners(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function ownerText(one: Owner): string {
  let text = JSON.stringify(one.manager);
  if (one.subresource !== '') text += ` with subresource ${JSON.stringify(one.subresource)}`;
  // Messages contain no times, because times are not part of an entry's identity.
  return one.applied ? text : `${text} using ${one.apiVersion}`;
}

function conflictsRefusal(conflicts: readonly Conflict[]): Refusal {
  const causes = conflicts.map(({ owner, path }): StatusCause => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${ownerText(owner)}`,
    field: pathText(path),
  }));
  return refuse(409, 'Conflict', conflictsText(conflicts), { causes });
}

function conflictsText(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${ownerText(first.owner)}: ${pathText(first.path)}`;
  const byOwner = new Map<Owner, (readonly string[])[]>();
  for (const { owner, path } of conflicts) {
    const paths = byOwner.get(owner);
    if (paths === undefined) byOwner.set(owner, [path]);
    else paths.push(path);
  }
  const lines = [...byOwner]
    .sort(([a], [b]) => (a.id < b.id ? -1 : 1))
    .flatMap(([owner, paths]) => [
      `conflicts with ${ownerText(owner)}:`,
      ...paths.map((path) => `- ${pathText(path)}`),
    ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}
