/**
 * Metadata as Go's decoder sees it: the exact error for a wrong type, and unknown fields.
 *
 * `../metadata.ts` decodes the common case fast. This file is only used when that fails, or when unknown fields are needed.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { decoderOf, StructDecoder } from './go-decode.ts';
import { decoding, type Decoding } from './go-decoding.ts';

let decoder: StructDecoder | undefined;

function metadataDecoder(): StructDecoder {
  if (decoder === undefined) {
    const found = decoderOf('meta/v1.ObjectMeta');
    if (!(found instanceof StructDecoder)) throw new TypeError('metadata is a struct');
    decoder = found;
  }
  return decoder;
}

/**
 * Returns the decoding error of metadata; undefined when it is valid. Custom resources are decoded in two steps, so that the path in the
 * message is relative to their metadata.
 */
export function metadataProblem(
  metadata: JsonValue | undefined,
  kind: string,
  custom: boolean,
  words: Decoding['words'],
): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  const at = decoding(undefined, words);
  if (!custom) {
    at.path.push('metadata');
    at.struct = kind;
  }
  metadataDecoder().decode(metadata, at);
  return at.error;
}

/** Fields whose values have no nested fields. */
const LEAVES: ReadonlySet<string> = new Set([
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation'],
  ...['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'finalizers'],
]);

/** The known fields of list items. These are checked first, because nearly every object that a controller writes has such lists. */
const FIELDS_OF_ITEMS: { readonly [key: string]: ReadonlySet<string> } = {
  ownerReferences: new Set(['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion']),
  managedFields: new Set(['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource']),
};

/** Reports whether metadata has no unknown field, without decoding it. */
function isPlain(metadata: JsonObject): boolean {
  for (const key in metadata) {
    if (LEAVES.has(key)) continue;
    const fields = FIELDS_OF_ITEMS[key];
    const items = metadata[key];
    if (fields === undefined || !isList(items)) return false;
    for (const item of items) {
      if (!isMap(item)) return false;
      for (const field in item) if (!fields.has(field)) return false;
    }
  }
  return true;
}

/** Appends the paths of unknown fields of metadata. */
export function unknownInMetadata(metadata: JsonValue | undefined, unknown: string[]): void {
  if (!isMap(metadata)) return;
  if (isPlain(metadata)) return;
  const map: JsonObject = metadata;
  const at = decoding(unknown);
  at.path.push('metadata');
  metadataDecoder().decodeMap(map, at, false);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The latest timestamp that needed no normalisation, cached because objects that are written at the same moment share it. */
let plain = '';

/** Reports whether a time needs normalisation. */
export function isOddTime(text: string | undefined): boolean {
  if (text === undefined || text === plain) return false;
  if (!TIME.test(text)) return true;
  plain = text;
  return false;
}
