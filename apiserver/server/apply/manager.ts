/**
 * The field manager: how an update or an apply changes the `managedFields` of an object, as in kube-apiserver's chain of managers.
 *
 * Owns: k8s.io/apimachinery `util/managedfields/internal`: stripped metadata, times, `before-first-apply`, the migration from client-side
 * apply. Does not own: when it is called (`ownership.ts`), the rules of ownership (`updater.ts`).
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { compare } from './compare.ts';
import { fieldSetOf } from './field-set.ts';
import { LAST_APPLIED, withLastApplied } from './last-applied.ts';
import { capped, NO_MANAGERS, owner, owning, type Managed } from './managed.ts';
import { ApplyError, errorsText, fieldSetOfValue, validate, type TypedError } from './typed.ts';
import { applyConfig, Conflicts, updateOwners, type TypedResource } from './updater.ts';
import type { TypeNode } from './types.ts';

/** The writer of a request. */
export interface Writer {
  readonly manager: string;
  readonly subresource: string;
  /** RFC 3339. */
  readonly time: string;
}

/** Metadata fields that never have owners. */
const STRIPPED = fieldSetOf(
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'metadata.creationTimestamp',
  'metadata.selfLink',
  'metadata.uid',
  'metadata.clusterName',
  'metadata.generation',
  'metadata.managedFields',
  'metadata.resourceVersion',
);

const UNNAMED = 'unknown';
const BEFORE_APPLY = 'before-first-apply';
const KUBECTL = 'kubectl';

/** Returns the new owners of fields after an update that turned `from` into `to`. */
export function managedAfterUpdate(
  typedResource: TypedResource,
  from: KubeObject,
  to: KubeObject,
  managed: Managed,
  writer: Writer,
): Managed {
  const update = updateOwners(typedResource, from, to, managed);
  const taken = update.taken.difference(STRIPPED);
  const out = update.managed;
  if (!taken.empty) {
    const self = owner(writer.manager || UNNAMED, false, typedResource.apiVersion, writer.subresource);
    const before = out.get(self.id);
    const set = before === undefined ? taken : before.set.union(taken);
    // Marks the merged set as reconciled with the current type.
    set.fits = typedResource.typeIn(typedResource.apiVersion);
    out.set(self.id, { ...self, set, time: writer.time });
  }
  return capped(out);
}

/** The result of an apply: the new object, and the owners of its fields. */
export interface Applied {
  readonly object: KubeObject;
  readonly managed: Managed;
}

/**
 * Applies `config` to `live`, both in the version of the request. `exists` is false when the apply creates the object.
 *
 * @throws {Conflicts} when other managers own fields that would change, and `force` is not set.
 * @throws {ApplyError} when the config does not fit its type.
 */
export function applied(
  typedResource: TypedResource,
  live: KubeObject,
  empty: KubeObject,
  config: KubeObject,
  managed: Managed,
  writer: Writer,
  force: boolean,
): Applied {
  const type = typedResource.typeIn(typedResource.apiVersion);
  if (type === undefined) throw new ApplyError(`no corresponding type for ${gvkText(config)}`);
  const errors: TypedError[] = [];
  validate(type, config, 'refused', errors);
  if (errors.length > 0)
    throw new ApplyError(`failed to create typed patch object (${objectText(config)}): ${errorsText(errors)}`);
  let owners = managed;
  if (owners.size === 0)
    owners = managedAfterUpdate(typedResource, empty, live, NO_MANAGERS, { ...writer, manager: BEFORE_APPLY });
  const self = owner(writer.manager, true, typedResource.apiVersion, writer.subresource);
  const result = appliedOrTakenOver(type, typedResource, live, config, owners, self, force);
  const out = result.managed;
  const mine = out.get(self.id);
  if (mine !== undefined) {
    const set = mine.set.difference(STRIPPED);
    if (set.empty) out.delete(self.id);
    else out.set(self.id, { ...owning(mine, set), ...(result.object === undefined ? {} : { time: writer.time }) });
  }
  const object = result.object ?? live;
  return { object: writer.manager === KUBECTL ? withLastApplied(object, config) : object, managed: out };
}

/** Applies a config. If the manager is kubectl, fields that it set by client-side apply are taken over instead of being conflicts. */
function appliedOrTakenOver(
  type: TypeNode,
  ...[typedResource, live, config, managed, self, force]: Parameters<typeof applyConfig>
): ReturnType<typeof applyConfig> {
  try {
    return applyConfig(typedResource, live, config, managed, self, force);
  } catch (error) {
    if (!(error instanceof Conflicts) || self.manager !== KUBECTL) throw error;
    const last = lastAppliedObject(live, typedResource.apiVersion);
    if (last === undefined) throw error;
    const errors: TypedError[] = [];
    validate(type, last, 'refused', errors);
    if (errors.length > 0) throw error;
    const { removed, modified, added } = compare(type, last, live);
    const allowed = fieldSetOfValue(type, last).difference(modified).difference(added).difference(removed);
    const rest = error.conflicts.filter(({ path }) => !allowed.has(path));
    if (rest.length > 0) throw new Conflicts(rest);
    return applyConfig(typedResource, live, config, managed, self, true);
  }
}

function lastAppliedObject(live: KubeObject, apiVersion: string): JsonObject | undefined {
  const text = live.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined || text === '') return undefined;
  try {
    const last = JSON.parse(text) as JsonValue;
    return isMap(last) && last['apiVersion'] === apiVersion ? last : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a type in Go's form: `apps/v1, Kind=Deployment`. */
export function gvkText({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** Returns an object's name and type in Go's form: `default/a; apps/v1, Kind=Deployment`. */
export function objectText(object: KubeObject): string {
  const { namespace = '', name = '' } = object.metadata ?? {};
  return `${namespace}/${name}; ${gvkText(object)}`;
}
