/**
 * Kubernetes objects as plain immutable JSON.
 *
 * Owns: the JSON types, object metadata, keys and names of objects. Does not own: what a server does with them (`apiserver`), their
 * encoding (`wire`). Objects from the API server are frozen by convention: copy, never edit.
 */

/** Any JSON value; integers beyond 2^53 are out of scope. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Absent keys and `undefined` mean the same; `undefined` is never stored. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The parts of `metadata` that the harness reads. Unknown keys are kept. */
export interface ObjectMeta extends JsonObject {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly JsonObject[];
}

/** A Kubernetes object of any kind. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** The collection that an object lives in. `group` is empty for the core group. */
export interface ResourceRef {
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in the path. */
  readonly resource: string;
}

/** A resource with its discovery information. */
export interface ResourceKind extends ResourceRef {
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Returns `pods` or `deployments.apps`: the spelling used in labels, messages and `Status` texts (their "GR"). */
export function groupResource(ref: { readonly group: string; readonly resource: string }): string {
  return ref.group === '' ? ref.resource : `${ref.resource}.${ref.group}`;
}

/** Returns the `apiVersion` of a group and version: `v1` or `apps/v1`. */
export function apiVersionOf(ref: { readonly group: string; readonly version: string }): string {
  return ref.group === '' ? ref.version : `${ref.group}/${ref.version}`;
}

/** Splits an `apiVersion` into group and version: the inverse of {@link apiVersionOf}. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Returns the key of one object: `widgets.example.com/default/a`. Cluster-scoped objects have an empty namespace. */
export function objectKey(gr: string, namespace: string, name: string): string {
  return `${gr}/${namespace}/${name}`;
}

/** Returns `metadata.resourceVersion` as a number: on the supported servers it is a store-wide counter; 0 when absent. */
export function revisionOf(object: { readonly metadata: ObjectMeta }): number {
  return Number(object.metadata.resourceVersion ?? 0);
}

/** Returns the owner reference with `controller: true`, if any. */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/**
 * Returns the owner of an object: its controller, otherwise its only owner, because the Java operator SDK and many scripts set no
 * `controller`. Undefined for several owners without a controller.
 */
export function parentOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  const { ownerReferences = [] } = object.metadata;
  return controllerOf(object) ?? (ownerReferences.length === 1 ? ownerReferences[0] : undefined);
}
