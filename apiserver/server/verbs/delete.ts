/**
 * DELETE of one object and of collections.
 *
 * Owns: preconditions, propagation finalizers, graceful deletion of pods, the two steps of namespaces. Mirrors
 * k8s.io/apiserver `registry/rest/delete.go` and `registry/generic/registry/store.go`. Does not own: reading the options
 * (`delete-options.ts`).
 */
import { jsonEqual, mapOf, textOf } from '../../objects/json.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { Suspended } from '../admission/call-out.ts';
import { admitDelete } from '../admission/write-steps.ts';
import { emptyObject } from '../apply/ground.ts';
import { markedForDeletion } from '../crd/status.ts';
import { specFinalizers, type ResourceDefinition } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import { timestampText } from '../../objects/timestamps.ts';
import type { Call } from '../call.ts';
import { conflict, methodNotAllowed, notFound, Refusal, refuse } from '../refusal.ts';
import { rowKey } from '../store.ts';
import { deleteOptions, NO_OPTIONS, type DeleteOptions } from './delete-options.ts';
import { list, listRefusal, selection } from './read.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** The outcome for one object: deleted, or still stored with this content. */
interface Deleted {
  readonly gone: boolean;
  readonly object: KubeObject;
  /** True if the object was deleted because it lost its last finalizer. */
  readonly freed?: boolean;
}

/** Handles DELETE on one object. */
export function remove(kernel: Kernel, call: Call): ApiResponse {
  const { definition, version, namespace, name, subresource } = call.route;
  if (name === '' || subresource !== '') return methodNotAllowed(definition, 'delete');
  const options = deleteOptions(call);
  if (options instanceof Refusal) return options;
  warnOfPods(call, options);
  const object = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (object === undefined) return notFound(definition, name);
  const unwanted =
    (definition.strategy.deletion === 'namespace' ? undefined : preconditionRefusal(definition, object, options)) ??
    admitDelete(kernel, call, version.fromStorage(object), options.dryRun, true);
  if (unwanted !== undefined) return unwanted;
  const result = deleteObject(kernel, definition, object, options);
  if (result instanceof Refusal) return result;
  // Here a real server returns the object that its update fills in. In a dry run it fills in nothing, so the answer is an empty object.
  if (options.dryRun && result.freed === true) {
    const { metadata, ...bare } = emptyObject(definition, version);
    return { code: 200, body: definition.custom ? bare : { ...bare, metadata } };
  }
  if (!result.gone || definition.strategy.returnsDeleted) {
    // The code 202 informs old clients that dependents are not deleted yet.
    const code = !result.gone && options.orphanDependents === false ? 202 : 200;
    return { code, body: version.fromStorage(result.object) };
  }
  return { code: 200, body: deletedStatus(definition, result.object) };
}

const JOB_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Warns when a Job is deleted without a propagation policy for its pods. */
function warnOfPods({ route, warnings }: Call, { propagation, orphanDependents }: DeleteOptions): void {
  if (route.definition.gr === 'jobs.batch' && propagation === undefined && orphanDependents === undefined)
    warnings.push(JOB_WARNING);
}

function deletedStatus(definition: ResourceDefinition, object: KubeObject): JsonObject {
  const { name = '', uid = '' } = object.metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(definition.group === '' ? {} : { group: definition.group }),
      kind: definition.resource,
      uid,
    },
  };
}

/** Handles DELETE on a collection: deletes all selected objects one by one, not atomically. */
export function removeCollection(kernel: Kernel, call: Call): ApiResponse {
  const { definition, version, namespace } = call.route;
  if (definition.gr === 'namespaces' || (definition.namespaced && namespace === ''))
    return methodNotAllowed(definition, 'deletecollection');
  const options = deleteOptions(call);
  if (options instanceof Refusal) return options;
  const picked = listRefusal(call) ?? selection(call);
  if (picked instanceof Refusal) return picked;
  warnOfPods(call, options);
  const listed = list(kernel, call);
  if (listed.code !== 200) return listed;
  const body = listed.body as JsonObject & { readonly items: readonly KubeObject[] };
  const objects = body.items.flatMap(({ metadata: { namespace: home = '', name = '' } }) => {
    const stored = kernel.store.get(definition.gr, rowKey(home, name));
    return stored === undefined ? [] : [stored];
  });
  // Webhooks are called for all objects before the first one is deleted: a run that waits for an answer must have no effects.
  const unwanted = new Map<KubeObject, Refusal>();
  for (const object of kernel.admission === undefined ? [] : objects) {
    const refusal = admitDelete(kernel, call, version.fromStorage(object), options.dryRun, false);
    if (refusal instanceof Suspended) return refusal;
    if (refusal !== undefined) unwanted.set(object, refusal);
  }
  for (const object of objects) {
    const refusal = unwanted.get(object);
    if (refusal !== undefined) return refusal;
    const result = deleteObject(kernel, definition, object, options);
    if (result instanceof Refusal && result.code !== 404) return result;
  }
  return { code: 200, body };
}

/** Deletes one object, as far as its finalizers and grace period allow. */
export function deleteObject(
  kernel: Kernel,
  definition: ResourceDefinition,
  object: KubeObject,
  options: DeleteOptions = NO_OPTIONS,
): Deleted | Refusal {
  const { strategy } = definition;
  if (strategy.deletion === 'namespace') {
    const refusal = namespaceRefusal(definition, object, options);
    if (refusal !== undefined) return refusal;
    const step = deleteNamespace(kernel, definition, object, options);
    if (step !== undefined) return step;
  }
  const mismatch = preconditionRefusal(definition, object, options);
  if (mismatch !== undefined) return mismatch;
  if (strategy.deletion === 'definition') {
    if (object.metadata.deletionTimestamp !== undefined) return { gone: false, object };
    const marked = markedForDeletion(kernel, object);
    return { gone: false, object: options.dryRun ? marked : kernel.commit(definition, marked, object) };
  }

  const grace = strategy.deletion === 'pod' ? podGrace(kernel, object, options) : NOT_GRACEFUL;
  if (grace.pending) return { gone: false, object };
  const finalizers = finalizersFor(definition, object, options);
  const marked = marks(kernel, grace, object, finalizers);
  const stays = finalizers.length > 0 || (grace.meta !== undefined && grace.seconds > 0);
  let current = object;
  if (marked !== undefined && (stays || grace.meta !== undefined) && !jsonEqual(marked, object))
    current = options.dryRun ? marked : kernel.commit(definition, marked, object);
  if (stays) return { gone: false, object: current };
  // The answer has the revision of the deletion.
  if (!options.dryRun) current = kernel.remove(definition, current).object;
  return { gone: true, object: current, freed: finalizers !== (object.metadata.finalizers ?? NO_FINALIZERS) };
}

/** Deletes the Endpoints of a deleted service, even if another client created them. */
export function deleteEndpoints(
  kernel: Kernel,
  definition: ResourceDefinition | undefined,
  { metadata: { namespace = '', name = '' } }: KubeObject,
): void {
  const endpoints = definition && kernel.store.get(definition.gr, rowKey(namespace, name));
  if (definition !== undefined && endpoints !== undefined) deleteObject(kernel, definition, endpoints);
}

/** Returns 409 when a precondition fails. */
export function preconditionRefusal(
  definition: ResourceDefinition,
  object: KubeObject,
  options: DeleteOptions,
): Refusal | undefined {
  const { name = '', uid = '', resourceVersion = '' } = object.metadata;
  // Only this message names the kind; other conflicts name the resource.
  const of = {
    ...definition,
    resource: definition.kind,
    gr: definition.group === '' ? definition.kind : `${definition.kind}.${definition.group}`,
  };
  if (options.uid !== undefined && options.uid !== uid)
    return conflict(
      of,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion)
    return conflict(
      of,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  return undefined;
}

interface Grace {
  /** True if there is nothing to do: the object is terminating and its grace period would not get shorter. */
  readonly pending: boolean;
  readonly seconds: number;
  /** The metadata for graceful deletion; undefined for immediate deletion. */
  readonly meta: ObjectMeta | undefined;
}

const NOT_GRACEFUL: Grace = { pending: false, seconds: 0, meta: undefined };
const DEFAULT_GRACE_SECONDS = 30;

function podGrace(kernel: Kernel, pod: KubeObject, options: DeleteOptions): Grace {
  const meta = pod.metadata;
  if (meta.deletionTimestamp !== undefined) {
    const was = meta.deletionGracePeriodSeconds;
    if (was === undefined || was === 0) return NOT_GRACEFUL;
    const period = options.graceSeconds;
    // A later delete may only shorten the grace period.
    if (period === undefined || period >= was) return { ...NOT_GRACEFUL, pending: true };
    const nowSeconds = Date.parse(kernel.timestamp()) / 1000;
    // The deletion time is moved back by the old period and forward by the new one, but never into the past.
    const ends = Math.max(nowSeconds, Date.parse(meta.deletionTimestamp) / 1000 - was + period);
    return {
      pending: false,
      seconds: period,
      meta: {
        ...meta,
        deletionTimestamp: timestampText(ends * 1000),
        deletionGracePeriodSeconds: period,
      },
    };
  }
  const spec = mapOf(pod['spec']);
  const status = mapOf(pod['status']);
  const { terminationGracePeriodSeconds: own } = spec;
  let seconds = options.graceSeconds ?? (typeof own === 'number' ? own : DEFAULT_GRACE_SECONDS);
  // The pod is unscheduled or finished, so it is deleted without a grace period.
  if (textOf(spec['nodeName']) === '' || status['phase'] === 'Failed' || status['phase'] === 'Succeeded') seconds = 0;
  if (seconds < 0) seconds = 1;
  return {
    pending: false,
    seconds,
    meta: {
      ...meta,
      ...(meta.generation === undefined ? {} : { generation: meta.generation + 1 }),
      deletionTimestamp: kernel.timestamp(seconds),
      deletionGracePeriodSeconds: seconds,
    },
  };
}

/** Returns the object with deletion marks and garbage-collection finalizers; undefined when it needs neither. */
function marks(
  kernel: Kernel,
  grace: Grace,
  object: KubeObject,
  finalizers: readonly string[],
): KubeObject | undefined {
  const meta = grace.meta ?? (finalizers.length > 0 ? markedMeta(kernel, object.metadata) : undefined);
  if (meta === undefined) return undefined;
  const { finalizers: _, ...rest } = meta;
  return { ...object, metadata: finalizers.length > 0 ? { ...rest, finalizers } : rest };
}

function markedMeta(kernel: Kernel, meta: ObjectMeta): ObjectMeta {
  if (meta.deletionTimestamp !== undefined)
    return meta.deletionGracePeriodSeconds === 0 ? meta : { ...meta, deletionGracePeriodSeconds: 0 };
  return {
    ...meta,
    ...(meta.generation === undefined ? {} : { generation: meta.generation + 1 }),
    deletionTimestamp: kernel.timestamp(),
    deletionGracePeriodSeconds: 0,
  };
}

const NO_FINALIZERS: readonly string[] = [];

/** Returns the finalizers after applying the propagation policy. */
function finalizersFor(definition: ResourceDefinition, object: KubeObject, options: DeleteOptions): readonly string[] {
  const present = object.metadata.finalizers ?? NO_FINALIZERS;
  const orphan = wants(definition, present, options, ORPHAN);
  const foreground = wants(definition, present, options, FOREGROUND);
  if (orphan === present.includes(ORPHAN) && foreground === present.includes(FOREGROUND)) return present;
  return [
    ...present.filter((one) => one !== ORPHAN && one !== FOREGROUND),
    ...(orphan ? [ORPHAN] : []),
    ...(foreground ? [FOREGROUND] : []),
  ];
}

function wants(
  definition: ResourceDefinition,
  present: readonly string[],
  options: DeleteOptions,
  which: typeof ORPHAN | typeof FOREGROUND,
): boolean {
  if (definition.strategy.dependents === 'unsupported') return false;
  // orphanDependents=false means Foreground for namespaces only.
  if (options.orphanDependents === false) return which === FOREGROUND && definition.strategy.deletion === 'namespace';
  if (options.orphanDependents === true) return which === ORPHAN;
  if (options.propagation !== undefined) return options.propagation === (which === ORPHAN ? 'Orphan' : 'Foreground');
  if (which === ORPHAN && definition.strategy.dependents === 'orphan' && !present.includes(FOREGROUND)) return true;
  return present.includes(which);
}

const PROTECTED = ['default', 'kube-system', 'kube-public'];

function namespaceRefusal(
  definition: ResourceDefinition,
  object: KubeObject,
  options: DeleteOptions,
): Refusal | undefined {
  const { name = '', uid = '', resourceVersion = '' } = object.metadata;
  if (PROTECTED.includes(name))
    return refuse(403, 'Forbidden', `namespaces "${name}" is forbidden: this namespace may not be deleted`, {
      name,
      kind: 'namespaces',
    });
  if (options.uid !== undefined && options.uid !== uid)
    return conflict(
      definition,
      name,
      `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uid}`,
    );
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion)
    return conflict(
      definition,
      name,
      `Precondition failed: ResourceVersion in precondition: ${options.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    );
  return undefined;
}

/**
 * Marks a namespace as Terminating at the first DELETE; later ones change nothing until spec.finalizers is empty. Undefined: delete as
 * usual.
 */
function deleteNamespace(
  kernel: Kernel,
  definition: ResourceDefinition,
  object: KubeObject,
  options: DeleteOptions,
): Deleted | undefined {
  if (object.metadata.deletionTimestamp !== undefined)
    return specFinalizers(object).length > 0 ? { gone: false, object } : undefined;
  const finalizers = finalizersFor(definition, object, options);
  const { finalizers: _, ...meta } = object.metadata;
  const next: KubeObject = {
    ...object,
    metadata: {
      ...meta,
      deletionTimestamp: kernel.timestamp(),
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
    status: { ...(object['status'] as JsonObject | undefined), phase: 'Terminating' },
  };
  return { gone: false, object: options.dryRun ? next : kernel.commit(definition, next, object) };
}
