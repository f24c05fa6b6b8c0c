/** Schemas of types that several formats share. */
import { z } from 'zod';
import { isRecord } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Cause } from '../../model/cause.ts';
import type { Signature } from '../../model/signature.ts';

/**
 * The fields that a schema must have: every key of the type, including optional ones. With `satisfies Shape<Type>`, a field that was added
 * to the model and forgotten here is a type error.
 */
export type Shape<T> = { readonly [key in keyof T]-?: z.ZodType };

/** Free-form JSON. It comes from `JSON.parse` or from an API server, so it is not validated and its key order is kept. */
export const jsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>((value) => value !== undefined);

/** A free-form JSON map, not validated. */
export const jsonObject: z.ZodType<JsonObject> = z
  .custom<JsonObject>(isRecord, 'expected an object')
  .meta({ type: 'object' });

/** A Kubernetes object, not validated. */
export const kubeObject: z.ZodType<KubeObject> = z
  .custom<KubeObject>(isKubeObject, 'expected a Kubernetes object with apiVersion, kind and metadata')
  .meta({
    id: 'KubernetesObject',
    type: 'object',
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } },
    required: ['apiVersion', 'kind', 'metadata'],
  });

export const label: z.ZodType<string> = z.string().min(1).meta({
  id: 'Label',
  description:
    'actor/verb/resource[.group][/subresource]/namespace/name#n with !sent or !answered, or a stream or timer',
});

export const textMap: z.ZodType<{ [key: string]: string }> = z.record(z.string(), z.string());

export const signature: z.ZodType<Signature> = z
  .strictObject({
    property: z.string(),
    class: z.string(),
    actors: z.array(z.string()),
    kind: z.string(),
    field: z.string(),
  } satisfies Shape<Signature>)
  .meta({ id: 'Signature', description: 'How a violation looks: of which property, and where' });

export const cause: z.ZodType<Cause> = z
  .strictObject({
    key: z.string().min(1).meta({ description: 'The same for all symptoms of one bug' }),
    text: z.string(),
  } satisfies Shape<Cause>)
  .meta({
    id: 'Cause',
    description: 'The request that caused it, or the watch that is missing; absent in older files',
  });

function isKubeObject(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return typeof apiVersion === 'string' && typeof kind === 'string' && isRecord(metadata);
}
