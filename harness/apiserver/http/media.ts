/**
 * Content negotiation: what a request body is, and what its Accept header wants back.
 *
 * Owns: decoding JSON and YAML, choosing the answer's media type. Protobuf is not decoded yet (see DIFFERENCES.md).
 */
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../../model/object.ts';
import { isList, isMap } from '../definition.ts';

/** A decoded body; `undecodable` holds the text that could not be read. */
export interface DecodedBody {
  readonly body?: JsonValue;
  readonly undecodable?: string;
}

export function decodeBody(bytes: Buffer, contentType: string): DecodedBody {
  if (bytes.length === 0) return {};
  const type = contentType.split(';', 1)[0]?.trim() ?? '';
  const text = bytes.toString('utf8');
  try {
    if (type === '' || type.endsWith('json')) return { body: JSON.parse(text) as JsonValue };
    if (type.endsWith('yaml')) return { body: parse(text) as JsonValue };
  } catch {
    return { undecodable: text };
  }
  return { undecodable: text };
}

/** How an answer is to look. */
export interface Wanted {
  /** Only `metadata`: PartialObjectMetadata. */
  readonly metadataOnly: boolean;
}

const PLAIN: Wanted = { metadataOnly: false };

/** What the Accept header wants; undefined when nothing of it can be made (406). */
export function wanted(accept: string): Wanted | undefined {
  if (accept.trim() === '') return PLAIN;
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((one) => one.trim());
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const as = parameters.find((one) => one.startsWith('as='))?.slice(3);
    if (as === undefined || as === 'APIGroupDiscoveryList') return PLAIN;
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return { metadataOnly: true };
    // A Table is not made here: kubectl prints NAME and AGE from plain lists.
    if (as === 'Table') return PLAIN;
  }
  return undefined;
}

/** The metadata of an object or of a list's items. */
export function metadataOf(body: JsonValue): JsonValue {
  if (!isMap(body) || body['kind'] === 'Status') return body;
  const { items, metadata } = body;
  if (isList(items))
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: items.map((item): JsonObject => partial(isMap(item) ? item['metadata'] : undefined)),
    };
  return metadata === undefined ? body : partial(metadata);
}

function partial(metadata: JsonValue | undefined): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
