/**
 * Transformations of an answer (`as=`): metadata only, tables.
 *
 * Owns: PartialObjectMetadata and its list, and which transformations apply to which answer (406). Tables are in `../tables/`.
 */
import { isList, isMap } from '../../objects/json.ts';
import { parseApiVersion, type JsonObject, type JsonValue } from '../../objects/object.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { failure } from '../../wire/status.ts';
import { realDate } from '../../clock.ts';
import { tableOf } from '../tables/table.ts';
import type { Wanted } from './negotiate.ts';

/** Returns the body in the requested form, or an error response. */
export function transformed(
  want: Wanted,
  body: JsonValue,
  request: ApiRequest,
  first: boolean,
): { readonly value: JsonValue } | ApiResponse {
  if (!isMap(body) || body['kind'] === 'Status') return { value: body };
  const { items } = body;
  const apiVersion = `meta.k8s.io/${want.version}`;
  switch (want.as) {
    case 'PartialObjectMetadata':
      return isList(items)
        ? refused('PartialObjectMetadata, but the requested object is a list', want, body)
        : { value: partial(body, apiVersion) };
    case 'PartialObjectMetadataList':
      return isList(items)
        ? { value: partialList(body, items, apiVersion) }
        : refused('PartialObjectMetadataList, but the requested object is not a list', want, body);
    case 'Table':
      return table(want, body, request, first, apiVersion);
    case undefined:
    default:
      return { value: body };
  }
}

const INCLUDED = ['Metadata', 'Object', 'None', ''] as const;

function table(
  { route }: Wanted,
  body: JsonObject,
  { query }: ApiRequest,
  headers: boolean,
  apiVersion: string,
): { readonly value: JsonValue } | ApiResponse {
  const { includeObject = '' } = query;
  if (!(INCLUDED as readonly string[]).includes(includeObject))
    return failure(
      400,
      'BadRequest',
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  const row =
    includeObject === 'None'
      ? () => null
      : includeObject === 'Object'
        ? (object: JsonObject) => object
        : (object: JsonObject) => partial(object, apiVersion);
  return { value: tableOf(body, { apiVersion, route, headers, row, now: realDate().getTime() }) };
}

function refused(why: string, want: Wanted, body: JsonObject): ApiResponse {
  return failure(406, 'NotAcceptable', `you requested ${why} (${goTypeOf(want, body)})`);
}

/** Returns the Go type of an answer's object, for messages. */
function goTypeOf({ route }: Wanted, { apiVersion, kind, items }: JsonObject): string {
  if (route?.definition.custom === true) return `*unstructured.Unstructured${isList(items) ? 'List' : ''}`;
  const { group } = parseApiVersion(typeof apiVersion === 'string' ? apiVersion : '');
  const [short = ''] = group.split('.');
  return `*${short === '' ? 'core' : short}.${typeof kind === 'string' ? kind : ''}`;
}

function partialList(list: JsonObject, items: readonly JsonValue[], apiVersion: string): JsonObject {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion,
    metadata: list['metadata'] ?? {},
    // In Go an empty list is nil.
    items: items.length === 0 ? null : items.filter(isMap).map((item) => partial(item, apiVersion)),
  };
}

/** PartialObjectMetadata views by metadata, for each version. A view is created once, so that its text is cached like that of an object. */
const views = { v1: new WeakMap<object, JsonObject>(), v1beta1: new WeakMap<object, JsonObject>() } as const;

/** Returns the metadata of an object as a PartialObjectMetadata. */
export function partial(object: JsonObject, apiVersion: string): JsonObject {
  const { metadata } = object;
  const known = apiVersion === 'meta.k8s.io/v1' ? views.v1 : views.v1beta1;
  let view = isMap(metadata) ? known.get(metadata) : undefined;
  if (view === undefined) {
    view = { kind: 'PartialObjectMetadata', apiVersion, metadata: metadata ?? {} };
    if (isMap(metadata)) known.set(metadata, view);
  }
  return view;
}
