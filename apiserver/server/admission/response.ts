/**
 * Parses a webhook's response.
 *
 * Owns: the checks of k8s.io/apiserver `admission/plugin/webhook/request` and of client-go's decoding, with their messages. Start at {@link
 * readAnswer}.
 */
import { isMap, textOf, textsOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { syntaxError } from '../../wire/go-json.ts';
import { goType } from '../definition.ts';
import type { CallOutAnswer } from './call-out.ts';

/** A webhook's response. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** The `status` of a denial. */
  readonly result: JsonObject | undefined;
  readonly warnings: readonly string[];
  /** The decoded patch, if any. */
  readonly patch: string | undefined;
  readonly patchType: string;
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Returns the decoded body of a successful answer, otherwise Go's error. */
export function bodyOf(url: string, answer: CallOutAnswer): JsonObject | string {
  if (answer.outcome === 'failed') return `Post ${JSON.stringify(url)}: ${answer.why}`;
  const { code, body } = answer;
  const parsed = typeof body === 'string' ? parse(body) : body;
  if (code < 200 || code > 206) {
    if (isMap(parsed) && parsed['kind'] === 'Status' && parsed['status'] !== 'Success')
      return textOf(parsed['message']) || 'unknown';
    const type = answer.contentType ?? '';
    // Only text bodies are quoted.
    const detail = type === '' || type.startsWith('text/') ? (typeof body === 'string' ? body.trim() : '') : 'unknown';
    return failureText(code, detail);
  }
  if (body === '')
    return `0-length response with status code: ${code} and content type: ${answer.contentType || 'application/json'}`;
  if (parsed === undefined && typeof body === 'string' && /^[[{"]/.test(body.trim()))
    return `couldn't get version/kind; json parse error: ${syntaxError(body) ?? 'unexpected end of JSON input'}`;
  if (!isMap(parsed))
    return `couldn't get version/kind; json parse error: json: cannot unmarshal ${parsed === undefined ? 'string' : goType(parsed)} into Go value of type ${TYPE_META}`;
  return parsed;
}

function parse(body: string): JsonValue | undefined {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return undefined;
  }
}

const FAILURES: { readonly [code: number]: string } = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

function failureText(code: number, detail: string): string {
  if (code === 403 || code === 415) return detail;
  const known = FAILURES[code];
  if (known !== undefined) return known;
  if (code >= 500)
    return `an error on the server (${JSON.stringify(detail)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

/** Returns the response, or the cause for `failed calling webhook "x": …`. */
export function readAnswer(
  url: string,
  answer: CallOutAnswer,
  version: string,
  uid: string,
  mutating: boolean,
): AdmissionResponse | string {
  const review = bodyOf(url, answer);
  if (typeof review === 'string') return `failed to call webhook: ${review}`;
  const apiVersion = `admission.k8s.io/${version}`;
  const given = { apiVersion: textOf(review['apiVersion']), kind: textOf(review['kind']) };
  // A review without apiVersion or kind is read as the requested type.
  if (given.kind !== '' && given.apiVersion !== '') {
    const known = given.apiVersion === 'admission.k8s.io/v1' || given.apiVersion === 'admission.k8s.io/v1beta1';
    if (!known || given.kind !== 'AdmissionReview')
      return `failed to call webhook: no kind ${JSON.stringify(given.kind)} is registered for version ${JSON.stringify(given.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
    if (given.apiVersion !== apiVersion)
      return `failed to call webhook: converting (${given.apiVersion.slice('admission.k8s.io/'.length)}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`;
  }
  const response = review['response'];
  const patch = isMap(response) ? textOf(response['patch']) : '';
  const decoded = patch === '' ? undefined : fromBase64(patch);
  if (patch !== '' && decoded === undefined) return 'failed to call webhook: illegal base64 data at input byte 0';
  const invalid = (why: string): string => `received invalid webhook response: ${why}`;
  if (!isMap(response)) return invalid('webhook response was absent');
  const patchType = response['patchType'];
  if (version === 'v1') {
    if (response['uid'] !== uid)
      return invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response['uid']))}`);
    if (given.apiVersion !== apiVersion || given.kind !== 'AdmissionReview') {
      const shown = given.apiVersion === '' ? '/' : given.apiVersion;
      return invalid(
        `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${shown}, Kind=${given.kind}`,
      );
    }
    if (mutating) {
      if (patch !== '' && patchType === undefined)
        return invalid('webhook returned response.patch but not response.patchType');
      if (patch === '' && patchType !== undefined)
        return invalid('webhook returned response.patchType but not response.patch');
      if (patchType === '') return invalid('webhook returned invalid response.patchType of ""');
    } else {
      if (patch !== '') return invalid('validating webhook may not return response.patch');
      if (patchType !== undefined) return invalid('validating webhook may not return response.patchType');
    }
  }
  return {
    allowed: response['allowed'] === true,
    result: isMap(response['status']) ? response['status'] : undefined,
    warnings: textsOf(response['warnings']),
    patch: mutating ? decoded : undefined,
    patchType: version === 'v1' ? textOf(patchType) : 'JSONPatch',
  };
}

function fromBase64(encoded: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
