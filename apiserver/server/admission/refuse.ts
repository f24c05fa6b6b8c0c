/** Refusals of admission: denials of webhooks, and failed calls. */
import { isMap, textOf } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';
import { badRequest, Refusal, refuse } from '../refusal.ts';

export function internalError(message: string): Refusal {
  return refuse(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function failedCalling(webhook: string, why: string): Refusal {
  return internalError(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
}

export function noDryRun(webhook: string): Refusal {
  return badRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);
}

/** Returns a denial: the webhook's own status as a failure. */
export function denied(webhook: string, result: JsonObject | undefined): Refusal {
  const given = result ?? {};
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = textOf(given['message']) || textOf(given['reason']);
  const code = typeof given['code'] === 'number' && given['code'] >= 400 ? given['code'] : 400;
  const { metadata, reason, details } = given;
  return new Refusal(code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: metadata ?? {},
    status: 'Failure',
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    ...(textOf(reason) === '' ? {} : { reason: textOf(reason) }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

/** Returns the reason of a decoding failure, without its prefix. */
export function problemOf(refusal: Refusal): string {
  const message = isMap(refusal.body) ? textOf(refusal.body['message']) : '';
  return message.replace(/^.* cannot be handled as a [^:]+: /, '');
}
