/**
 * The options of a DELETE: dry run, grace period, propagation, preconditions.
 *
 * Owns: reading options from a body or a query, and refusing contradictory ones. Does not own: their effect (`delete.ts`).
 */
import { isMap, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { BODY_TYPES, mediaType } from '../body.ts';
import { goType } from '../definition.ts';
import type { Call } from '../call.ts';
import { badRequest, fieldNotSupported, invalid, Refusal, unsupportedMediaType, type FieldError } from '../refusal.ts';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly graceSeconds: number | undefined;
  readonly propagation: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

export const NO_OPTIONS: DeleteOptions = {
  dryRun: false,
  graceSeconds: undefined,
  propagation: undefined,
  orphanDependents: undefined,
  uid: undefined,
  resourceVersion: undefined,
};

/** Returns the options of a DELETE: from the body if there is one, otherwise from the query. */
export function deleteOptions(call: Call): DeleteOptions | Refusal {
  // If there is a body, the query is ignored.
  const { body, undecodable, decodeError, query } = call.request;
  if ((body !== undefined || undecodable !== undefined) && !BODY_TYPES.includes(mediaType(call.request)))
    return unsupportedMediaType(BODY_TYPES);
  if (undecodable !== undefined)
    return badRequest(decodeError ?? "couldn't get version/kind; json parse error: invalid character in the body");
  let raw: JsonObject;
  if (isMap(body)) {
    const foreign = foreignOptions(body);
    if (foreign !== undefined) return foreign;
    raw = body;
  } else if (body === null) return NO_OPTIONS;
  else if (body !== undefined)
    return badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(body)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  else {
    const asked = fromQuery(query);
    if (asked instanceof Refusal) return asked;
    raw = asked;
  }

  const preconditions = raw['preconditions'];
  const conditions: JsonObject = isMap(preconditions) ? preconditions : {};
  const parsed: DeleteOptions = {
    dryRun: Array.isArray(raw['dryRun']) && raw['dryRun'].length > 0,
    graceSeconds: graceSecondsOf(raw['gracePeriodSeconds']),
    propagation: textIfAny(raw['propagationPolicy']),
    orphanDependents: typeof raw['orphanDependents'] === 'boolean' ? raw['orphanDependents'] : undefined,
    uid: textIfAny(conditions['uid']),
    resourceVersion: textIfAny(conditions['resourceVersion']),
  };
  const errors = optionErrors(parsed, raw);
  return errors.length === 0 ? parsed : invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

/** Refuses a body of another kind; the kind DeleteOptions exists in every group. */
function foreignOptions({ apiVersion, kind }: JsonObject): Refusal | undefined {
  if (kind === undefined || kind === '' || kind === 'DeleteOptions') return undefined;
  if (typeof kind !== 'string')
    return badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(kind)} into Go struct field .kind of type string`,
    );
  const version = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : 'meta.k8s.io/v1';
  return badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function fromQuery(query: { readonly [key: string]: string }): JsonObject | Refusal {
  const { dryRun, gracePeriodSeconds, propagationPolicy, orphanDependents } = query;
  if (gracePeriodSeconds !== undefined && !/^[-+]?\d+$/.test(gracePeriodSeconds))
    return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(gracePeriodSeconds)}: invalid syntax`);
  return {
    ...(dryRun === undefined || dryRun === '' ? {} : { dryRun: [dryRun] }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents: orphanDependents === 'true' }),
  };
}

/** Returns a grace period in seconds; a negative one counts as one second. */
function graceSecondsOf(seconds: JsonValue | undefined): number | undefined {
  if (typeof seconds !== 'number') return undefined;
  return seconds < 0 ? 1 : seconds;
}

function textIfAny(value: JsonValue | undefined): string | undefined {
  return textOf(value) || undefined;
}

function optionErrors(options: DeleteOptions, raw: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { propagation, orphanDependents } = options;
  if (propagation !== undefined && orphanDependents !== undefined)
    errors.push({
      type: 'Invalid',
      field: 'propagationPolicy',
      value: propagation,
      detail: 'orphanDependents and deletionPropagation cannot be both set',
    });
  if (propagation !== undefined && !['Foreground', 'Background', 'Orphan'].includes(propagation))
    errors.push(fieldNotSupported('propagationPolicy', propagation, ['Foreground', 'Background', 'Orphan', 'nil']));
  const dryRun = raw['dryRun'];
  if (Array.isArray(dryRun) && dryRun.some((one) => one !== 'All'))
    errors.push(fieldNotSupported('dryRun', dryRun as JsonValue, ['All']));
  return errors;
}
