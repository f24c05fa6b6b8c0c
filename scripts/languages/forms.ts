/**
 * Normalizes recorded traffic so that two servers' recordings can be compared: replaces everything in requests and answers that depends on
 * time or chance by symbols.
 *
 * Owns: decoding bodies and watches, the form of a request, the facts of an answer. Does not own: what is compared with what
 * (`compare.ts`). Start at {@link formsOf}.
 */
import { gunzipSync } from 'node:zlib';
import { Symbols } from 'stalemate-apiserver/symbols';
import { textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import { decodeProtobuf } from 'stalemate-apiserver/wire/protobuf/envelope';
import type { Passed } from './recorder.ts';

/** How much of an answer is compared: every value, or, for clients whose timing affects what they receive, only which fields exist. */
export type Depth = 'values' | 'fields';

/** By form of request: the facts of all its answers, by status. */
export type Forms = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export function formsOf(recording: readonly Passed[], depth: Depth): Forms {
  const forms = new Map<string, Map<string, Set<string>>>();
  for (const one of recording) {
    // The client disconnected before it was answered.
    if (one.answer.status === 0) continue;
    const request = requestForm(one, depth);
    const answers = forms.get(request) ?? new Map<string, Set<string>>();
    forms.set(request, answers);
    const answer = `${one.answer.status} ${plainType(header(one.answer.headers, 'content-type'))}`;
    const facts = answers.get(answer) ?? new Set<string>();
    answers.set(answer, facts);
    for (const fact of answerFacts(one, depth)) facts.add(fact);
  }
  return forms;
}

function requestForm(one: Passed, depth: Depth): string {
  const url = new URL(one.target, 'https://server');
  const query = [...url.searchParams].map(([name, value]) => `${name}=${symbolicOption(name, value)}`).sort();
  const type = header(one.headers, 'content-type');
  const accept = header(one.headers, 'accept');
  const protocol = one.protocol === 'WebSocket' ? `${one.headers['sec-websocket-protocol'] ?? ''} ` : '';
  const head = `${protocol}${one.method} ${symbolicPath(url.pathname)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const bytes = Buffer.concat(one.body);
  const body = bytes.length === 0 ? undefined : decoded(bytes, type);
  const said =
    body === undefined
      ? ''
      : typeof body === 'string'
        ? ` ${body}`
        : ` ${[...factsOf(symbolic(body), depth)].sort().join(' ')}`;
  return `${head} accept=${accept}${type === '' ? '' : ` type=${type}`}${said}`;
}

function answerFacts(one: Passed, depth: Depth): Iterable<string> {
  const { headers } = one.answer;
  const type = header(headers, 'content-type');
  let bytes = Buffer.concat(one.answer.body);
  if (header(headers, 'content-encoding') === 'gzip') {
    try {
      bytes = gunzipSync(bytes);
    } catch {
      return ['unreadable gzip'];
    }
  }
  if (/[?&]watch=(?:true|1)\b/.test(one.target) && one.answer.status === 200) return watchFacts(bytes, type, depth);
  // OpenAPI documents are compared separately, one by one.
  if (one.target.startsWith('/openapi/')) return [bytes.length === 0 ? 'empty' : 'a document'];
  if (bytes.length === 0) return ['empty'];
  const body = decoded(bytes, type);
  return typeof body === 'string' ? [`text ${symbolicText(body)}`] : factsOf(symbolic(body), depth);
}

/** Returns what is compared of a watch: the order of event types for each object, and the fields of each event's object. */
function watchFacts(bytes: Buffer, type: string, depth: Depth): ReadonlySet<string> {
  const facts = new Set<string>();
  const sequences = new Map<string, string[]>();
  for (const event of eventsOf(bytes, type)) {
    const object = event['object'] as JsonObject;
    const kind = textOf(event['type']);
    const metadata = (object['metadata'] ?? {}) as JsonObject;
    // Bookmarks are periodic, except for the one that ends the initial events.
    const initial = JSON.stringify(metadata).includes('k8s.io/initial-events-end');
    if (kind === 'BOOKMARK' && !initial) continue;
    const name = kind === 'BOOKMARK' ? 'initial events end' : symbolicPath(nameOf(object));
    const sequence = sequences.get(name) ?? [];
    sequences.set(name, sequence);
    if (depth === 'values' || sequence.at(-1) !== kind) sequence.push(kind);
    for (const fact of factsOf(symbolic(object), depth)) facts.add(`${kind} ${name} ${fact}`);
  }
  for (const [name, sequence] of sequences) facts.add(`events of ${name}: ${sequence.join(' ')}`);
  return facts;
}

function nameOf(object: JsonObject): string {
  const rows = object['rows'] as readonly { readonly object?: JsonObject }[] | undefined;
  const metadata = (rows?.[0]?.object?.['metadata'] ?? object['metadata']) as { name?: string } | undefined;
  return metadata?.name ?? '';
}

function eventsOf(bytes: Buffer, type: string): readonly JsonObject[] {
  if (!type.includes('protobuf')) {
    // The last line may be incomplete.
    const lines = bytes.toString().split('\n').slice(0, -1);
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JsonObject);
  }
  const events: JsonObject[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    events.push(watchEvent(bytes.subarray(at + 4, end)));
    at = end;
  }
  return events;
}

/** `WatchEvent`: the type, and a `RawExtension` around the object in its envelope; short enough to decode by hand. */
function watchEvent(frame: Buffer): JsonObject {
  const typeLength = frame[1] ?? 0;
  const type = frame.subarray(2, 2 + typeLength).toString();
  const start = frame.indexOf(MAGIC);
  const object = start < 0 ? 'no object' : decoded(frame.subarray(start), 'application/vnd.kubernetes.protobuf');
  return { type, object };
}

const MAGIC = Buffer.from('k8s\0', 'latin1');

/** Parses a body as JSON, or returns it as text. */
function decoded(bytes: Buffer, type: string): JsonValue {
  if (type.startsWith('application/vnd.kubernetes.protobuf')) {
    const read = decodeProtobuf(bytes, { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' });
    return 'body' in read ? read.body : `undecodable: ${read.error}`;
  }
  const text = bytes.toString();
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** Symbols of each message are independent, because earlier messages depend on timing. */
function symbolic(value: JsonValue): JsonValue {
  return new Symbols().of(value);
}

function factsOf(value: JsonValue, depth: Depth): Set<string> {
  const facts = new Set<string>();
  walk(value, '', depth, facts);
  return facts;
}

const UUID = /\buid-\d+\b|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Fields that identify what an object is; other fields depend on its progress. */
const TELLING = /(?:^|\.)(?:kind|apiVersion|reason|manager|operation|subresource|code)$/;

function walk(value: JsonValue, path: string, depth: Depth, facts: Set<string>): void {
  if (Array.isArray(value)) {
    if (value.length === 0) facts.add(`${path}=[]`);
    const list = value as readonly JsonValue[];
    list.forEach((one) => walk(one, `${path}[${itemKey(one)}]`, depth, facts));
  } else if (value !== null && typeof value === 'object') {
    const object = value as JsonObject;
    const keys = Object.keys(object);
    if (keys.length === 0) facts.add(`${path}={}`);
    for (const key of keys) {
      // Keys of field sets contain values, including uids.
      const step = key.replace(UUID, 'UID');
      walk(object[key] ?? null, path === '' ? step : `${path}.${step}`, depth, facts);
    }
  } else if (depth === 'values' || TELLING.test(path))
    facts.add(
      `${path}=${/^\[\]\.value$/.test(path) && /^\d+$/.test(String(value)) ? 'V' : symbolicText(String(value))}`,
    );
  else facts.add(`${path}:${value === null ? 'null' : typeof value}`);
}

/** Items of a list are matched by name, if they have names. */
function itemKey(item: JsonValue): string {
  if (item === null || typeof item !== 'object') return '';
  const { metadata, object, name, type, group, manager, groupVersion, uid } = item as JsonObject;
  if (object !== undefined) return itemKey(object);
  const named = (metadata as JsonObject | undefined)?.['name'];
  // A discovery entry of a group is identified by its name; its kind is in `responseKind`.
  const key = named ?? name ?? group ?? manager ?? type ?? groupVersion ?? '';
  return typeof key === 'string' ? symbolicPath(key) : uid === undefined ? '' : 'uid';
}

function symbolicOption(name: string, value: string): string {
  if (name === 'resourceVersion') return value === '0' ? '0' : 'V';
  if (name === 'timeoutSeconds' || name === 'hash') return 'N';
  if (name === 'continue') return 'TOKEN';
  // Clients in Go build this by iterating over a map, so the order varies.
  if (name === 'fieldSelector') return symbolicText(value).split(',').sort().join();
  return symbolicText(value);
}

/** Replaces generated names, and names of events, which contain the time. */
function symbolicPath(path: string): string {
  return path
    .replace(/\.[0-9a-f]{15,16}\b/g, '.HEX')
    .replace(/\b([a-z-]+)-(?=[a-z0-9]*\d)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-GEN');
}

/** Also used for what a client prints. */
export function symbolicText(text: string): string {
  return symbolicPath(text)
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'JWT')
    .replace(/\b(resourceVersion"?: )"\d+"/g, '$1V')
    .replace(/\b\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d(?: [+-]\d{4})?/g, 'TIME')
    .replace(/^(?:at-least-)?v\d+(?:-after-v?\d*)?$|^at-least-$/, 'V')
    .replace(UUID, 'UID')
    .replace(/^(?:\d+[smhd])+$|^<invalid>$/, 'AGE')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| ?[+-]\d\d:?\d\d)?/g, 'TIME');
}

function plainType(type: string): string {
  return type.replace(/\s+/g, '');
}

function header(headers: Passed['headers'], name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}
