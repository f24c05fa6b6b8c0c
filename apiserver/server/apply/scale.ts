/**
 * Owners of a replica count, between an object and its Scale.
 *
 * Owns: k8s.io/apimachinery `util/managedfields/scalehandler.go`: a manager that owns `.spec.replicas` of a Scale owns the replica count of
 * the object behind it. As in Go, an update through the Scale gets a new entry without a time.
 */
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { ResourceDefinition } from '../definition.ts';
import { EMPTY_SET, fieldSetOf } from './field-set.ts';
import { entriesOf, owner, type Managed, type Owner } from './managed.ts';
import { SCALE } from './types.ts';
import type { TypedResource } from './updater.ts';

const API_VERSION = 'autoscaling/v1';
const REPLICAS = fieldSetOf('spec.replicas');
const REPLICAS_PATH = ['f:spec', 'f:replicas'];

export const SCALE_GROUND: TypedResource = {
  apiVersion: API_VERSION,
  typeIn: (apiVersion) => (apiVersion === API_VERSION ? SCALE : undefined),
  convert: (object) => object,
  ignored: () => EMPTY_SET,
};

export const EMPTY_SCALE: KubeObject = {
  apiVersion: API_VERSION,
  kind: 'Scale',
  metadata: {},
  spec: {},
  status: { replicas: 0 },
};

/** Returns the path of the count in each version; undefined in versions without /scale; absent for unknown versions. */
function pathsOf(definition: ResourceDefinition): ReadonlyMap<string, readonly string[] | undefined> {
  return new Map(
    definition.versions.map((version) => [version.apiVersion, version.scale?.specReplicas.map((name) => `f:${name}`)]),
  );
}

/** Converts the owners of an object's replica count to owners of its Scale. */
export function scaleOwners(definition: ResourceDefinition, parent: Managed): Managed {
  const paths = pathsOf(definition);
  const out = new Map<string, Owner>();
  for (const one of parent.values()) {
    const path = paths.get(one.apiVersion);
    if (path === undefined || !one.set.has(path)) continue;
    const mapped = owner(one.manager, one.applied, API_VERSION, one.subresource, REPLICAS, one.time);
    out.set(mapped.id, mapped);
  }
  return out;
}

/** Returns the entries of the object after a write to its Scale, in the version of the request. */
export function parentEntries(
  definition: ResourceDefinition,
  apiVersion: string,
  parent: Managed,
  scale: Managed,
): readonly JsonObject[] | undefined {
  const paths = pathsOf(definition);
  const left = new Map(scale);
  const out: Owner[] = [];
  for (const one of parent.values()) {
    if (!paths.has(one.apiVersion)) continue;
    const path = paths.get(one.apiVersion);
    if (path === undefined || !one.set.has(path)) {
      out.push(one);
      continue;
    }
    if (left.delete(one.id)) {
      out.push(one);
      continue;
    }
    // Another manager owns the count now, or the entry is added again below under its new identity.
    const rest = one.set.difference(fieldSetOf(dotted(path)));
    if (!rest.empty) out.push({ ...one, set: rest });
  }
  const own = paths.get(apiVersion) ?? REPLICAS_PATH;
  for (const one of left.values()) {
    if (!one.set.has(REPLICAS_PATH)) continue;
    const time = parent.get(one.id)?.time;
    out.push({ ...one, apiVersion, set: fieldSetOf(dotted(own)), time });
  }
  return entriesOf(out);
}

function dotted(path: readonly string[]): string {
  return path.map((element) => element.slice(2)).join('.');
}
