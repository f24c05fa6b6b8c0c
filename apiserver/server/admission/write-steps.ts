/**
 * Admission for the verbs: one step before a write is merged, one before it is stored.
 *
 * Owns: the review attributes of POST, PUT, PATCH, DELETE and the subresources. Costs one comparison when there are no webhooks.
 */
import { isMap, valueAt } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { decodeMap, type Incoming, type WriteOptions } from '../body.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { Refusal } from '../refusal.ts';
import type { Admitting } from './match.ts';
import { optionsOf } from './review.ts';

/** Returns the object after mutating webhooks. `old`: the stored object in the request's version, on updates. */
export function mutateIncoming(
  kernel: Kernel,
  call: Call,
  incoming: Incoming,
  old: KubeObject | undefined,
  options: WriteOptions,
): Incoming | Refusal {
  if (kernel.admission === undefined || call.admitted === true) return incoming;
  // Fields that webhooks set have no owner: `managedFields` are computed before the webhooks are called.
  if (incoming.owned !== true) {
    if (old === undefined) kernel.owners.creating(call, incoming.object, incoming.meta);
    else kernel.owners.changing(call, incoming.object, incoming.meta, old);
  }
  const owned: Incoming = { ...incoming, owned: true };
  const { normalise } = call.route.definition.strategy;
  const sent = { ...incoming.object, metadata: incoming.meta } as KubeObject;
  // Webhooks receive the object with the fields that the server fills in.
  const object = normalise === undefined ? sent : normalise(sent, old);
  const { name = '' } = incoming.meta;
  const what = writing(call, object, old, name, options);
  let last = owned;
  const result = kernel.admission.mutate(kernel, call, what, (patched) => {
    const decoded = decodeMap(call, patched, { ...options, fieldValidation: 'Ignore' });
    if (decoded instanceof Refusal) return decoded;
    last = { ...owned, ...decoded };
    return { ...decoded.object, metadata: decoded.meta };
  });
  return result instanceof Refusal ? result : last;
}

/** Returns a refusal when a webhook denies the write. Both objects are in the request's version. */
export function validateWrite(
  kernel: Kernel,
  call: Call,
  object: KubeObject,
  old: KubeObject | undefined,
  options: WriteOptions,
): Refusal | undefined {
  if (kernel.admission === undefined || call.admitted === true) return undefined;
  return kernel.admission.validate(kernel, call, writing(call, object, old, nameOf(call, object), options));
}

/** Returns the requested name, even if webhooks changed it; if none was requested, a generated one. */
function nameOf({ route, request }: Call, object: KubeObject): string {
  if (route.name !== '') return route.name;
  const asked = valueAt(request.body, ['metadata', 'name']);
  return typeof asked === 'string' && asked !== '' ? asked : (object.metadata.name ?? '');
}

function writing(
  call: Call,
  object: JsonObject,
  old: KubeObject | undefined,
  name: string,
  { dryRun }: WriteOptions,
): Admitting {
  const creates = old === undefined;
  return {
    operation: creates ? 'CREATE' : 'UPDATE',
    name,
    namespace: homeOf(call, name),
    object,
    ...(creates ? {} : { old }),
    options: optionsOf(call, creates ? 'CreateOptions' : 'UpdateOptions'),
    dryRun,
  };
}

/** Returns the namespace of an object; for a Namespace, its own name. */
function homeOf({ route }: Call, name: string): string {
  return route.definition.gr === 'namespaces' ? name : route.namespace;
}

/** Calls the webhooks before a deletion. `named`: false for the items of a collection, which webhooks receive without a name. */
export function admitDelete(
  kernel: Kernel,
  call: Call,
  old: KubeObject,
  dryRun: boolean,
  named: boolean,
): Refusal | undefined {
  const { admission } = kernel;
  if (admission === undefined) return undefined;
  const name = named ? (old.metadata.name ?? '') : '';
  const what: Admitting = {
    operation: 'DELETE',
    name,
    namespace: homeOf(call, name),
    old,
    options: deleteOptionsOf(call, old),
    dryRun,
  };
  const mutated = admission.mutate(kernel, call, what, (patched) => patched);
  return mutated instanceof Refusal ? mutated : admission.validate(kernel, call, what);
}

/** Returns the options of a deletion; for a namespace they always contain a uid precondition. */
function deleteOptionsOf(call: Call, old: KubeObject): JsonObject {
  const options = optionsOf(call, 'DeleteOptions');
  if (call.route.definition.gr !== 'namespaces') return options;
  const given = isMap(options['preconditions']) ? options['preconditions'] : {};
  return { ...options, preconditions: { uid: old.metadata.uid ?? '', ...given } };
}

/** Calls the webhooks on the object of a subresource: a binding, an eviction, a scale. Returns the mutated object. */
export function admitSubresource(
  kernel: Kernel,
  call: Call,
  object: JsonObject,
  old: JsonObject | undefined,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
  dryRun: boolean,
  /** Adds the server's fields before validating webhooks run. */
  completed: (object: JsonObject) => JsonObject = (given) => given,
): JsonObject | Refusal {
  const { admission } = kernel;
  if (admission === undefined) return object;
  const { name, namespace } = call.route;
  const what: Admitting = {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    name,
    namespace,
    object,
    ...(old === undefined ? {} : { old }),
    kind,
    options: optionsOf(call, old === undefined ? 'CreateOptions' : 'UpdateOptions'),
    dryRun,
  };
  const mutated = admission.mutate(kernel, call, what, (patched) => patched);
  if (mutated instanceof Refusal) return mutated;
  const result = mutated ?? object;
  return admission.validate(kernel, call, { ...what, object: completed(result) }) ?? result;
}
