/**
 * Refusals of the API server, as values.
 *
 * Owns: the messages, reasons and details, copied from kube-apiserver. A step of a request returns its result or a {@link Refusal}; nothing
 * is thrown. Field errors (422) are data until {@link invalid} formats them. Start at {@link invalid}.
 */
import type { JsonObject, JsonValue } from '../objects/object.ts';
import type { ApiResponse } from '../wire/http.ts';
import { failureStatus, type StatusCause, type StatusDetails, type StatusReason } from '../wire/status.ts';

/** An answer that reports an error. */
export class Refusal implements ApiResponse {
  readonly code: number;
  readonly body: JsonObject | string;
  readonly headers: { readonly [name: string]: string };
  readonly plainText: boolean;

  constructor(
    code: number,
    body: JsonObject | string,
    headers: { readonly [name: string]: string } = {},
    plainText = false,
  ) {
    this.code = code;
    this.body = body;
    this.headers = headers;
    this.plainText = plainText;
  }
}

/** The refused resource: the part of a definition that messages need. */
export interface Refused {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  /** `pods` or `widgets.example.com`. */
  readonly gr: string;
}

const NO_HEADERS: { readonly [name: string]: string } = {};

/** Returns a refusal with a `Status` body. `retryAfterSeconds` becomes a header too. */
export function refuse(code: number, reason: StatusReason, message: string, details?: StatusDetails): Refusal {
  const retry = details?.retryAfterSeconds;
  return new Refusal(
    code,
    failureStatus(code, reason, message, details),
    retry === undefined ? NO_HEADERS : { 'retry-after': String(retry) },
  );
}

/** `http.NotFound`: the answer to an unknown path. Plain text, no `Status`. */
export const UNKNOWN_PATH: Refusal = new Refusal(404, '404 page not found\n', NO_HEADERS, true);

export function detailsOf(of: Refused, name: string, more?: StatusDetails): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    kind: of.resource,
    ...more,
  };
}

/** Returns a name as Go's `%q` prints it. */
function goQuoted(name: string): string {
  const text = JSON.stringify(name);
  return text.includes('\\u00') ? text.replaceAll('\\u00', '\\x') : text;
}

export function notFound(of: Refused, name: string): Refusal {
  return refuse(404, 'NotFound', `${of.gr} ${goQuoted(name)} not found`, detailsOf(of, name));
}

export function alreadyExists(of: Refused, name: string, terminating: boolean): Refusal {
  const text = `${of.gr} "${name}" already exists`;
  return refuse(409, 'AlreadyExists', terminating ? `object is being deleted: ${text}` : text, detailsOf(of, name));
}

export function nameExhausted(of: Refused, name: string): Refusal {
  return refuse(
    409,
    'AlreadyExists',
    `${of.gr} "${name}" already exists, the server was not able to generate a unique name for the object`,
    detailsOf(of, name, { retryAfterSeconds: 1 }),
  );
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** Returns 409 for a failed optimistic lock; `why` defaults to the standard message. */
export function conflict(of: Refused, name: string, why: string = MODIFIED): Refusal {
  return refuse(409, 'Conflict', `Operation cannot be fulfilled on ${of.gr} "${name}": ${why}`, detailsOf(of, name));
}

export function forbidden(of: Refused, name: string, why: string, causes?: readonly StatusCause[]): Refusal {
  return refuse(
    403,
    'Forbidden',
    `${of.gr} "${name}" is forbidden: ${why}`,
    detailsOf(of, name, causes === undefined ? undefined : { causes }),
  );
}

export function badRequest(message: string): Refusal {
  return refuse(400, 'BadRequest', message);
}

/** Returns the answer for a Go error that is not a `Status`: 500 without a reason. */
export function rawError(message: string): Refusal {
  return refuse(500, '', message);
}

/** 404 under a built-in group. It is a Status, while other unknown paths get plain text. */
export const NO_RESOURCE: Refusal = refuse(404, 'NotFound', 'the server could not find the requested resource', {});

/** The answer of the built-in kinds' router to a method that a path does not support. */
export const NO_METHOD: Refusal = refuse(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);

/** Returns 405. For custom resources the message names the verb. For built-in kinds the router answers, which does not know the verb. */
export function methodNotAllowed(of: Refused & { readonly custom: boolean }, verb: string): Refusal {
  if (!of.custom) return NO_METHOD;
  return refuse(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${of.gr}"`, {
    group: of.group,
    kind: of.resource,
  });
}

export function unsupportedMediaType(accepted: readonly string[]): Refusal {
  return refuse(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

export function expired(message: string): Refusal {
  return refuse(410, 'Expired', message);
}

/** Returns 504 for a resourceVersion in the future. */
export function tooLargeVersion(asked: number, current: number): Refusal {
  return refuse(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** The answer to requests that a real server would time out after 34 s: 504. */
export const OUT_OF_TIME: Refusal = refuse(
  504,
  'Timeout',
  'Timeout: request did not complete within requested timeout - context deadline exceeded',
  {},
);

/** Go's `field.Error`: an error of one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** The invalid value, in the form that the message shows; absent where Go shows none. */
  readonly value?: JsonValue;
  readonly detail: string;
}

export type FieldErrorType =
  | 'Invalid'
  | 'Required'
  | 'NotSupported'
  | 'Forbidden'
  | 'Duplicate'
  | 'TooLong'
  | 'TooMany'
  | 'TypeInvalid'
  | 'NotFound';

const TYPE_TEXT: { readonly [type in FieldErrorType]: string } = {
  Invalid: 'Invalid value',
  Required: 'Required value',
  NotSupported: 'Unsupported value',
  Forbidden: 'Forbidden',
  Duplicate: 'Duplicate value',
  TooLong: 'Too long',
  TooMany: 'Too many',
  TypeInvalid: 'Invalid value',
  NotFound: 'Not found',
};

export function fieldInvalid(field: string, value: JsonValue, detail: string): FieldError {
  return { type: 'Invalid', field, value, detail };
}

export function fieldRequired(field: string, detail: string): FieldError {
  return { type: 'Required', field, detail };
}

export function fieldForbidden(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, detail };
}

export function fieldNotSupported(field: string, value: JsonValue, supported: readonly string[]): FieldError {
  return {
    type: 'NotSupported',
    field,
    value,
    detail: `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
  };
}

/** The maximum length of a value in a message. A real server does not truncate it, and repeats it among the causes. */
const VALUE_MAX = 512 * 1024;

function shownValue(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= VALUE_MAX ? text : `${text.slice(0, VALUE_MAX)}...`;
}

/** Returns a field error without its field: `Invalid value: "x": must be …`. */
export function fieldErrorBody(error: FieldError): string {
  let text = TYPE_TEXT[error.type];
  if (error.value !== undefined && error.type !== 'Required' && error.type !== 'Forbidden' && error.type !== 'TooLong')
    text += `: ${shownValue(error.value)}`;
  return error.detail === '' ? text : `${text}: ${error.detail}`;
}

/** Returns a field error on one line: `spec.x: Invalid value: …`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** Returns several errors as Go's `Aggregate` formats them: a single error unchanged, several errors in brackets; empty without errors. */
export function aggregated(texts: readonly string[]): string {
  return texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
}

/**
 * The maximum total length of the errors in an answer, in characters. A real server lists all errors, and each may quote a value of
 * megabytes.
 */
const TOLD_MAX = 1024 * 1024;

/** Returns 422 for an object of `kind` (`Widget.example.com` in the message). */
export function invalid(
  of: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): Refusal {
  const seen = new Set<string>();
  const causes: StatusCause[] = [];
  let length = 0;
  for (const error of errors) {
    const message = fieldErrorBody(error);
    seen.add(`${error.field}: ${message}`);
    causes.push({ reason: `FieldValue${error.type}`, message, field: error.field });
    length += message.length + error.field.length;
    if (length > TOLD_MAX) break;
  }
  const texts = [...seen];
  if (causes.length < errors.length) texts.push(`and ${errors.length - causes.length} more`);
  const qualified = of.group === '' ? of.kind : `${of.kind}.${of.group}`;
  const all = texts.length === 0 ? '' : `: ${aggregated(texts)}`;
  return refuse(422, 'Invalid', `${qualified} "${name}" is invalid${all}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    ...(causes.length === 0 ? {} : { causes }),
  });
}
