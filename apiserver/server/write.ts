/**
 * The last steps of every write: strategy, validation, no-op detection, store.
 *
 * Owns: the common steps of POST, PUT and PATCH once the object is decoded. PUT and PATCH differ only before that, so status resets,
 * generation rules and finalizer rules are the same for both. Start at {@link storeNew} and {@link storeChanged}.
 */
import { isMap, valueAt, jsonEqual } from '../objects/json.ts';
import type { JsonObject, KubeObject } from '../objects/object.ts';
import { mutateIncoming, validateWrite } from './admission/write-steps.ts';
import { sameButForTimes } from './apply/ownership.ts';
import { isStoredRaw, rememberRaw } from './apply/raw-metadata.ts';
import type { Incoming, WriteOptions } from './body.ts';
import {
  specFinalizers,
  type GenerationPolicy,
  type ResourceDefinition,
  type ServedVersion,
  type Strategy,
  type Stored,
} from './definition.ts';
import type { Kernel } from './kernel.ts';
import type { Call } from './call.ts';
import { withEmptied } from './kinds/emptied.ts';
import { PARTS } from './kinds/subresources.ts';
import type { MutableMeta } from './metadata.ts';
import { validateMetadataUpdate, validateNewMetadata } from './metadata-rules.ts';
import {
  alreadyExists,
  badRequest,
  forbidden,
  invalid,
  nameExhausted,
  notFound,
  OUT_OF_TIME,
  rawError,
  Refusal,
  type FieldError,
} from './refusal.ts';
import { ValidationLimitExceeded } from './schema/site.ts';
import { rowKey } from './store.ts';

/** kube-apiserver truncates the base so that base and suffix fit into a DNS label. */
const GENERATE_NAME_BASE_MAX = 58;
/** kube-apiserver's number of attempts, each with another suffix. */
const GENERATE_NAME_TRIES = 8;

/** The keys that come first in stored objects, in whatever order they were sent. */
const HEAD = { apiVersion: '', kind: '', metadata: {} };

/** Creates an object and returns it in the storage version. */
export function storeNew(kernel: Kernel, call: Call, sent: Incoming, options: WriteOptions): KubeObject | Refusal {
  const { definition, version, namespace } = call.route;
  const place = placeNew(kernel, definition, namespace, sent.meta);
  if (place !== undefined) return place;
  if (call.request.method === 'POST') {
    // Only a POST drops deletion marks. An update or an apply that creates an object keeps them: the new object can be terminating.
    delete sent.meta.deletionTimestamp;
    delete sent.meta.deletionGracePeriodSeconds;
  }
  const admitted = admitNew(kernel, call, sent);
  if (admitted instanceof Refusal) return admitted;
  const incoming = mutateIncoming(kernel, call, admitted, undefined, options);
  if (incoming instanceof Refusal) return incoming;
  const { meta } = incoming;
  const unauthorized = kernel.access.mayCreate(call) ?? kernel.access.escalation(call, incoming, undefined);
  if (unauthorized !== undefined) return unauthorized;

  const { strategy, gr } = definition;
  const asked = meta.resourceVersion;
  const generated = meta.name === undefined && meta.generateName !== undefined;
  // Kinds without generations keep the generation that the client sent.
  if (strategy.generation !== 'none') delete meta.generation;
  delete meta.resourceVersion;
  meta.uid = kernel.newUid();
  meta.creationTimestamp = kernel.timestamp();
  if (strategy.generation !== 'none' && strategy.generation !== 'spec-changes') meta.generation = 1;
  if (incoming.owned !== true) kernel.owners.creating(call, incoming.object, meta);

  for (let tries = 1; ; tries++) {
    if (generated) meta.name = (meta.generateName ?? '').slice(0, GENERATE_NAME_BASE_MAX) + kernel.nameSuffix();
    const named = { ...HEAD, ...incoming.object, metadata: meta } as KubeObject;
    let object = prepareNew(definition, version, call.route.subresource, named, storedFor(kernel, definition));
    const unallocated = refuseUnallocatable(call, object, undefined, options);
    if (unallocated !== undefined) return unallocated;
    const content = validateContent(call, object, undefined);
    if (content instanceof Refusal) return content;
    const errors = validateNewMetadata(object.metadata, strategy.name, strategy.metadataValidation.create, content);
    if (errors.length > 0) return invalid(internally(definition), meta.name ?? '', errors);
    if (tries === 1) warnOfFinalizers(call, object, undefined);
    if (!options.dryRun && isVersion(asked))
      return rawError('resourceVersion should not be set on objects to be created');
    const unwanted = forbidNew(kernel, call, object) ?? validateWrite(kernel, call, object, undefined, options);
    if (unwanted !== undefined) return unwanted;
    const name = meta.name ?? '';
    const existing = kernel.store.get(gr, rowKey(meta.namespace ?? '', name));
    if (existing !== undefined) {
      if (!generated) return alreadyExists(definition, name, existing.metadata.deletionTimestamp !== undefined);
      if (tries < GENERATE_NAME_TRIES) continue;
      return nameExhausted(definition, name);
    }
    object = version.toStorage(object);
    const raw = sent.raw === true || strategy.readsMore?.(named) === true;
    if (!options.dryRun) return committed(kernel, call, object, undefined, raw);
    return asked === undefined ? object : { ...object, metadata: { ...object.metadata, resourceVersion: asked } };
  }
}

/** Returns the function that strategies use to read stored objects, of this resource by default. */
function storedFor(kernel: Kernel, definition: ResourceDefinition): Stored {
  return (gr = definition.gr) => kernel.store.list(gr);
}

/** Runs the admission plugins that come before validating webhooks. */
function forbidNew(kernel: Kernel, call: Call, object: KubeObject): Refusal | undefined {
  const { definition, namespace } = call.route;
  const why = definition.strategy.forbid?.(object, storedFor(kernel, definition), namespace);
  return why === undefined ? undefined : forbidden(definition, object.metadata.name ?? '', why);
}

function forbidChange(kernel: Kernel, call: Call, object: KubeObject, old: KubeObject): Refusal | undefined {
  const { definition, subresource } = call.route;
  if (subresource !== '') return undefined;
  const why = definition.strategy.forbidChange?.(object, old, storedFor(kernel, definition));
  return why === undefined ? undefined : forbidden(definition, object.metadata.name ?? '', why);
}

/** Runs the admission plugins that come before webhooks. The fields that these plugins set have no owner, like fields that webhooks set. */
function admitNew(kernel: Kernel, call: Call, sent: Incoming): Incoming | Refusal {
  const { definition, namespace } = call.route;
  const { admit } = definition.strategy;
  if (admit === undefined) return sent;
  const object = admit(sent.object, storedFor(kernel, definition), namespace);
  if (typeof object === 'string') return forbidden(definition, sent.meta.name ?? '', object);
  if (object === sent.object) return sent;
  if (sent.owned !== true) kernel.owners.creating(call, sent.object, sent.meta);
  const annotations = valueAt(object, ['metadata', 'annotations']);
  if (isMap(annotations)) sent.meta.annotations = annotations as { readonly [key: string]: string };
  return { ...sent, object, owned: true };
}

/**
 * Reports whether the store would refuse the version of a new object. It ignores non-numeric versions. A dry run does not use the store.
 */
function isVersion(asked: string | undefined): boolean {
  return asked !== undefined && /^\d+$/.test(asked) && Number(asked) !== 0;
}

/** Returns the kind for validation messages: events are validated as events of the core group, whichever group was requested. */
function internally(definition: ResourceDefinition): { readonly group: string; readonly kind: string } {
  return definition.group === 'events.k8s.io' ? { group: '', kind: definition.kind } : definition;
}

/** Checks the namespace of a new object and fills in `metadata.namespace`. */
function placeNew(
  kernel: Kernel,
  definition: ResourceDefinition,
  namespace: string,
  meta: MutableMeta,
): Refusal | undefined {
  const misplaced = placeIn(definition, namespace, meta);
  if (misplaced !== undefined) return misplaced;
  const name = meta.name ?? '';
  if (definition.terminating)
    return forbidden(definition, name, 'create not allowed while custom resource definition is terminating');
  if (!definition.namespaced) return undefined;
  const home = kernel.store.get('namespaces', rowKey('', namespace));
  if (home === undefined) return notFound(NAMESPACES, namespace);
  if (home.metadata.deletionTimestamp === undefined) return undefined;
  return forbidden(
    definition,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}

const NAMESPACES = { group: '', resource: 'namespaces', kind: 'Namespace', gr: 'namespaces' };

/** Checks that the body's namespace equals that of the URL. For cluster-scoped kinds the namespace is dropped silently. */
export function placeIn(definition: ResourceDefinition, namespace: string, meta: MutableMeta): Refusal | undefined {
  if (!definition.namespaced) delete meta.namespace;
  else if (meta.namespace === undefined) meta.namespace = namespace;
  else if (meta.namespace !== namespace)
    return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return undefined;
}

function prepareNew(
  definition: ResourceDefinition,
  version: ServedVersion,
  subresource: string,
  object: KubeObject,
  stored: Stored,
): KubeObject {
  const { strategy } = definition;
  let prepared = object;
  if (subresource === 'status' && strategy.onCreateByStatus !== undefined) return strategy.onCreateByStatus(object);
  if (version.subresources.has('status') && strategy.keepsStatus !== true)
    prepared = withField(prepared, 'status', undefined);
  if (strategy.normalise !== undefined) prepared = strategy.normalise(prepared, undefined);
  if (strategy.onCreate !== undefined) prepared = strategy.onCreate(prepared, stored);
  return version.schema?.complete === undefined ? prepared : version.schema.complete(prepared);
}

/** Refuses values that cannot be allocated; only a write to the main resource allocates. */
function refuseUnallocatable(
  { route: { definition, subresource } }: Call,
  object: KubeObject,
  old: KubeObject | undefined,
  { dryRun }: WriteOptions,
): Refusal | undefined {
  if (subresource !== '') return undefined;
  const errors = definition.strategy.unallocatable?.(object, old, dryRun) ?? NONE;
  if (typeof errors === 'string') return rawError(errors);
  return errors.length === 0 ? undefined : invalid(definition, object.metadata.name ?? '', errors);
}

const NONE: readonly FieldError[] = [];

function validateContent(
  { route: { definition, version, subresource }, warnings }: Call,
  object: KubeObject,
  old: KubeObject | undefined,
): readonly FieldError[] | Refusal {
  const { schema } = version;
  if (schema !== undefined && old !== undefined && subresource === 'status' && definition.custom)
    return inTime(() => schema.validateStatus(object, old, warnings));
  const bySchema = schema === undefined ? NONE : inTime(() => schema.validate(object, old, warnings));
  if (bySchema instanceof Refusal) return bySchema;
  const byStrategy = definition.strategy.validate?.(object, old, subresource) ?? NONE;
  return byStrategy.length === 0 ? bySchema : [...bySchema, ...byStrategy];
}

function inTime(validate: () => readonly FieldError[]): readonly FieldError[] | Refusal {
  try {
    return validate();
  } catch (error) {
    if (error instanceof ValidationLimitExceeded) return OUT_OF_TIME;
    throw error;
  }
}

/**
 * Updates an object and returns it in the storage version. `incoming` is in the request's version and already has the live resourceVersion,
 * because the optimistic lock has been checked. (A real server calls mutating webhooks before it checks the lock; only webhooks could
 * notice the difference.)
 */
export function storeChanged(
  kernel: Kernel,
  call: Call,
  sent: Incoming,
  old: KubeObject,
  options: WriteOptions,
): KubeObject | Refusal {
  const { definition, version, subresource } = call.route;
  const before = version.fromStorage(old);
  const incoming = mutateIncoming(kernel, call, sent, before, options);
  if (incoming instanceof Refusal) return incoming;
  const escalates = kernel.access.escalation(call, incoming, before);
  if (escalates !== undefined) return escalates;
  if (incoming.owned !== true) kernel.owners.changing(call, incoming.object, incoming.meta, before);
  const changed = merge(kernel, call.route, incoming, before);
  const unallocated = refuseUnallocatable(call, changed, before, options);
  if (unallocated !== undefined) return unallocated;
  const { metadataValidation } = definition.strategy;
  const validated =
    subresource === 'status' || subresource === 'finalize' ? metadataValidation.status : metadataValidation.update;
  const errors = validateMetadataUpdate(changed.metadata, before.metadata, validated);
  const content = validateContent(call, changed, before);
  if (content instanceof Refusal) return content;
  if (errors.length > 0 || content.length > 0)
    return invalid(internally(definition), changed.metadata.name ?? '', [...errors, ...content]);

  warnOfFinalizers(call, changed, before);
  const unwanted = forbidChange(kernel, call, changed, before) ?? validateWrite(kernel, call, changed, before, options);
  if (unwanted !== undefined) return unwanted;
  const next = version.toStorage(changed);
  if (endsDeletion(definition, next, old)) {
    if (!options.dryRun) kernel.remove(definition, old);
    // Empty lists are kept in the answer: they become null when the object is stored, but nothing was stored.
    return withEmptied(sent.object, next);
  }
  // A write without changes is not stored: the version stays, and there is no event.
  const settled = sent.raw !== true && !isStoredRaw(old);
  if (settled && (jsonEqual(next, old) || sameButForTimes(next, old))) return old;
  return options.dryRun ? next : committed(kernel, call, next, old, sent.raw === true);
}

function committed(
  kernel: Kernel,
  call: Call,
  object: KubeObject,
  old: KubeObject | undefined,
  raw: boolean,
): KubeObject {
  const stored = kernel.commit(call.route.definition, object, old, call);
  if (raw) rememberRaw(stored);
  return stored;
}

/** Returns the strategy's result: merged parts, restored fields, the new generation. */
function merge(
  kernel: Kernel,
  { definition, version, subresource }: Call['route'],
  incoming: Incoming,
  old: KubeObject,
): KubeObject {
  const { strategy, custom } = definition;
  if (subresource === 'status' && custom)
    return withField(withOwners(old, incoming.meta), 'status', incoming.object['status']);

  const meta = incoming.meta;
  restore(meta, old);
  if (subresource === 'status') keepForStatus(meta, old, strategy.statusKeeps);
  let object = { ...incoming.object, metadata: meta } as KubeObject;
  const part = PARTS[subresource];
  if (part !== undefined) object = part(object, old, kernel.timestamp());
  else if (subresource === 'status') {
    object = withField(object, 'spec', old['spec']);
    if (strategy.onStatus !== undefined) object = strategy.onStatus(object, old, kernel.timestamp());
  } else if (version.subresources.has('status')) object = withField(object, 'status', old['status']);
  if (subresource !== 'finalize' && strategy.deletion === 'namespace') object = withField(object, 'spec', old['spec']);
  if (strategy.normalise !== undefined) object = strategy.normalise(object, old);
  if (strategy.onUpdate !== undefined && subresource === '')
    object = strategy.onUpdate(object, old, storedFor(kernel, definition));
  if (version.schema?.complete !== undefined) object = version.schema.complete(object);
  if (subresource === '' && isNewGeneration(strategy.generation, version, object, old))
    return { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
  return object;
}

/** Restores metadata that an update cannot change, before it is validated. */
function restore(meta: MutableMeta, old: KubeObject): void {
  const was = old.metadata;
  if (was.generation === undefined) delete meta.generation;
  else meta.generation = was.generation;
  if (meta.uid === undefined && was.uid !== undefined) meta.uid = was.uid;
  if (was.creationTimestamp !== undefined) meta.creationTimestamp = was.creationTimestamp;
  if (was.deletionTimestamp !== undefined) meta.deletionTimestamp = was.deletionTimestamp;
  if (was.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= was.deletionGracePeriodSeconds;
  meta.resourceVersion = was.resourceVersion ?? '';
}

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Warns of unqualified finalizers of custom resources. */
function warnOfFinalizers(call: Call, object: KubeObject, old: KubeObject | undefined): void {
  const { finalizers } = object.metadata;
  if (finalizers === undefined || !call.route.definition.custom || finalizers === old?.metadata.finalizers) return;
  for (const one of finalizers) {
    if (one.includes('/') || STANDARD_FINALIZERS.includes(one) || old?.metadata.finalizers?.includes(one) === true)
      continue;
    const path = one.includes('.') ? ' including a path (/)' : '';
    call.warnings.push(
      `metadata.finalizers: ${JSON.stringify(one)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}

function keepForStatus(meta: MutableMeta, old: KubeObject, kept: Strategy['statusKeeps']): void {
  if (kept === undefined) return;
  const all = kept === 'metadata' || kept === 'everything';
  const was = old.metadata;
  if (kept === 'everything') keep(meta, 'uid', was.uid);
  if (all || kept === 'labels') keep(meta, 'labels', was.labels);
  if (all || kept === 'ownerReferences') keep(meta, 'ownerReferences', was.ownerReferences);
  if (!all) return;
  keep(meta, 'annotations', was.annotations);
  keep(meta, 'finalizers', was.finalizers);
}

function keep<K extends keyof MutableMeta>(meta: MutableMeta, key: K, value: MutableMeta[K]): void {
  if (value === undefined) delete meta[key];
  else meta[key] = value;
}

function withOwners(object: KubeObject, { managedFields }: MutableMeta): KubeObject {
  if (managedFields === object.metadata.managedFields) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

function withField(object: KubeObject, key: string, value: JsonObject[string]): KubeObject {
  if (object[key] === value) return object;
  const copy: { [key: string]: JsonObject[string] } = { ...object };
  if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy as KubeObject;
}

function isNewGeneration(
  policy: GenerationPolicy,
  version: ServedVersion,
  object: KubeObject,
  old: KubeObject,
): boolean {
  switch (policy) {
    case 'none':
    case 'initial':
      return false;
    case 'spec':
    case 'spec-changes':
      return !jsonEqual(object['spec'], old['spec']);
    case 'spec-or-annotations':
      return (
        !jsonEqual(object['spec'], old['spec']) || !jsonEqual(object.metadata.annotations, old.metadata.annotations)
      );
    case 'content':
    case 'content-or-labels': {
      if (policy === 'content-or-labels' && !jsonEqual(object.metadata.labels, old.metadata.labels)) return true;
      const statusApart = version.subresources.has('status');
      for (const key in object)
        if (key !== 'metadata' && !(statusApart && key === 'status') && !jsonEqual(object[key], old[key])) return true;
      for (const key in old) if (object[key] === undefined && old[key] !== undefined && key !== 'status') return true;
      return !statusApart && object['status'] === undefined && old['status'] !== undefined;
    }
  }
}

/** Reports whether an update completes the deletion of a terminating object, for example by removing its last finalizer. */
function endsDeletion(definition: ResourceDefinition, next: KubeObject, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined || (next.metadata.finalizers?.length ?? 0) > 0) return false;
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  if (definition.strategy.deletion !== 'namespace') return true;
  return specFinalizers(next).length === 0;
}
