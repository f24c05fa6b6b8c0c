/**
 * PATCH with a strategic merge patch: decoding the patch, applying it, error messages.
 *
 * Built-in kinds only: custom resources have no Go type with merge keys.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';
import { goType } from '../definition.ts';
import type { Call } from '../call.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge.ts';
import { badRequest, rawError, refuse, type Refusal } from '../refusal.ts';
import type { SchemaNode } from '../schema/schema-node.ts';

/** Returns the object after the patch, not yet decoded. */
export function strategicallyPatched({ request }: Call, live: JsonObject, root: SchemaNode): JsonObject | Refusal {
  const { body, undecodable, decodeError } = request;
  if (undecodable !== undefined) return badRequest(bareReason(decodeError) ?? 'invalid character in the patch');
  if (body === undefined) return badRequest('unexpected end of JSON input');
  if (body === null) return live;
  if (!isMap(body))
    return badRequest(`json: cannot unmarshal ${goType(body)} into Go value of type map[string]interface {}`);
  const result = applyStrategicMergePatch(live, body, root);
  if (result.outcome === 'merged') return result.value;
  switch (result.code) {
    case 400:
      return badRequest(result.why);
    case 422:
      return refuse(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
    case 500:
      return rawError(result.why);
  }
}

/** Returns the JSON decoder's message without its context. */
export function bareReason(decodeError: string | undefined): string | undefined {
  return decodeError?.replace(/^couldn't get version\/kind; json parse error: /, '');
}
