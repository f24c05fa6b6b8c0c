/**
 * Compares two answers to the same malformed request and names the difference.
 *
 * Owns: ignoring values that always differ (uids, versions, times, ports), and grouping by cause. Start at {@link compareReplies}.
 */
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { differences, plain, type DifferenceAt } from '../differential/compare.ts';
import type { FuzzRequest, RawReply } from './client.ts';

export interface HttpDifference extends DifferenceAt {
  /** The same for all differences with the same cause. */
  readonly key: string;
  readonly request: FuzzRequest;
  readonly ours: JsonValue | undefined;
  readonly real: JsonValue | undefined;
  readonly oursReply: RawReply;
  readonly realReply: RawReply;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /20(?:2[1-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
/** Headers that may differ between the two servers. */
const IGNORED: ReadonlySet<string> = new Set([
  'date',
  'audit-id',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'etag',
  'last-modified',
]);
const MESSAGE_SHOWN = 160;

/** Returns the differences between the answers; empty when they are equal. */
export function compareReplies(request: FuzzRequest, ours: RawReply, real: RawReply): readonly HttpDifference[] {
  const [a, b] = [shapeOf(ours, request), shapeOf(real, request)];
  const note = (place: DifferenceAt): HttpDifference => ({
    ...place,
    key: `${request.area.split(' ', 1)[0]} · ${answerOf(real)}${answerOf(ours) === answerOf(real) ? '' : `, ours ${answerOf(ours)}`} · ${place.path} · ${worded(place.real)} / ${worded(place.ours)}`,
    request,
    oursReply: ours,
    realReply: real,
  });
  if (answerOf(ours) !== answerOf(real)) return [note({ path: 'answer', ours: messageOf(a), real: messageOf(b) })];
  return differences(a, b).map(note);
}

/** Returns the outcome of an answer: `404 NotFound`. */
export function answerOf(reply: RawReply): string {
  const { code } = reply;
  const body = bodyOf(reply);
  return isObject(body) && typeof body['reason'] === 'string' ? `${code} ${body['reason']}` : String(code);
}

function messageOf(shape: JsonObject): JsonValue {
  const { body } = shape;
  return isObject(body) && body['message'] !== undefined
    ? body['message']
    : typeof body === 'string'
      ? body.slice(0, 200)
      : (body ?? null);
}

function shapeOf(reply: RawReply, request: FuzzRequest): JsonObject {
  const headers: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(reply.headers))
    if (!IGNORED.has(name) && !name.startsWith('x-kubernetes-pf') && value !== undefined) headers[name] = masked(value);
  let body = bodyOf(reply);
  if (isObject(body) && Array.isArray(body['items']) && !request.target.includes('/namespaces/'))
    body = { ...body, items: null };
  if (isObject(body) && Array.isArray(body['rows'])) body = { ...body, rows: null };
  // Of discovery documents only the type is compared, because the servers may serve different versions of a group.
  if (
    reply.code === 200 &&
    isObject(body) &&
    (request.area.startsWith('path') || /discovery/i.test(plain(body['kind']))) &&
    !request.target.includes('/namespaces/')
  )
    body = { kind: body['kind'] ?? null, apiVersion: body['apiVersion'] ?? null };
  if (reply.code === 200 && typeof body === 'string' && body.length > 300) body = 'long text';
  return { code: reply.code, open: reply.open, headers, body: masked(body) };
}

function masked(value: JsonValue, key = ''): JsonValue {
  if (typeof value === 'string') {
    if (key === 'resourceVersion' && value !== '') return 'V';
    if (key === 'continue' && value !== '') return 'TOKEN';
    const text = value
      .replace(TIME, 'TIME')
      .replace(/192\.0\.2\.\d+:\d+/g, 'ADDRESS')
      .replace(UUID, 'UID')
      .replace(/\b10\.0\.0\.\d+\b/g, 'IP')
      .replace(/127\.0\.0\.1:\d+/g, 'ADDRESS');
    return /resource version/i.test(text) ? text.replace(/current: \d+/g, 'current: N') : text;
  }
  if (Array.isArray(value)) return value.map((one) => masked(one as JsonValue, key));
  if (!isObject(value)) return value;
  const copy: { [key: string]: JsonValue } = {};
  for (const [name, one] of Object.entries(value)) if (one !== undefined) copy[name] = masked(one, name);
  const causes = isObject(copy['details']) ? copy['details']['causes'] : undefined;
  if (copy['kind'] === 'Status' && Array.isArray(causes) && causes.length > 1) {
    const lines = causes.map((one) => JSON.stringify(one)).sort();
    return {
      ...copy,
      message: plain(copy['message']).replace(/: \[.*\]$/s, ': [causes]'),
      details: { ...(copy['details'] as JsonObject), causes: lines.map((one) => JSON.parse(one) as JsonValue) },
    };
  }
  return copy;
}

/** Returns a value as text for a key: quoted parts, long parentheses, digits and non-ASCII characters are replaced. */
function worded(value: JsonValue | undefined): string {
  return plain(value)
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/'[^']*'/g, "'…'")
    .replace(/\([^()]{12,}\)/g, '(…)')
    .replace(/\d+/g, 'N')
    .replace(/[^\x20-\x7e]+/g, '?')
    .slice(0, MESSAGE_SHOWN);
}

/** Returns the body as JSON; YAML is parsed, because the servers fold long strings at different positions. */
function bodyOf({ headers, text }: RawReply): JsonValue {
  if (headers['content-type'] !== 'application/yaml') return parsed(text);
  try {
    return parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function parsed(text: string): JsonValue {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
