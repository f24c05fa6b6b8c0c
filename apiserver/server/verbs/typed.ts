/**
 * Decodes small typed bodies that are not stored: reviews and token requests.
 *
 * Owns: unknown fields, wrong types and missing bodies with the messages of Go's decoder. Stored kinds are decoded in `../body.ts`.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { ApiRequest } from '../../wire/http.ts';
import { BODY_TYPES, mediaType, unreadable, writeOptions } from '../body.ts';
import { goType } from '../definition.ts';
import { badRequest, Refusal, unsupportedMediaType } from '../refusal.ts';

/** A Go struct: its name in messages, and the types of its fields. */
export interface Shape {
  readonly go: string;
  readonly fields: { readonly [name: string]: 'string' | 'strings' | 'int' | 'any' | Shape };
}

export interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: Shape | undefined;
}

/** Returns the body without unknown fields (in `spec` only; metadata is kept). Appends warnings to `warnings`. */
export function decodeTyped(request: ApiRequest, typed: Typed, warnings: string[]): JsonObject | Refusal {
  const options = writeOptions(request.query, 'CreateOptions');
  if (options instanceof Refusal) return options;
  const body = request.body === null ? {} : request.body;
  const { kind } = typed;
  const version = typed.apiVersion.slice(typed.apiVersion.indexOf('/') + 1);
  if (!BODY_TYPES.includes(mediaType(request))) return unsupportedMediaType(BODY_TYPES);
  if (!isMap(body)) return unreadable(request, kind);
  const named = `${kind} in version "${version}" cannot be handled as a ${kind}`;
  if (typeof body['kind'] === 'string' && body['kind'] !== '' && body['kind'] !== kind)
    return badRequest(
      `${body['kind']} in version "${version}" cannot be handled as a ${kind}: no kind "${body['kind']}" is registered for version "${typed.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  const unknown: string[] = [];
  let spec: JsonValue | undefined = body['spec'];
  if (typed.spec !== undefined && spec !== undefined && spec !== null) {
    const decoded = decode(spec, typed.spec, 'spec', unknown);
    if (typeof decoded === 'string') return badRequest(`${named}: json: cannot unmarshal ${decoded}`);
    spec = decoded;
  }
  const texts = unknown.map((path) => `unknown field "${path}"`);
  if (options.fieldValidation === 'Strict' && texts.length > 0)
    return badRequest(`${named}: strict decoding error: ${texts.join(', ')}`);
  if (options.fieldValidation === 'Warn') for (const text of texts) warnings.push(text);
  return { ...body, ...(isMap(spec) ? { spec } : { spec: {} }) };
}

/** Returns the known fields; for a wrong type, the end of Go's message. */
function decode(value: JsonValue, shape: Shape, path: string, unknown: string[]): JsonObject | string {
  if (!isMap(value)) return `${goType(value)} into Go struct field .${path} of type v1.${shape.go}`;
  const known: { [key: string]: JsonValue } = {};
  for (const key in value) {
    const item = value[key];
    const type = shape.fields[key];
    if (item === undefined || item === null) continue;
    if (type === undefined) unknown.push(`${path}.${key}`);
    else if (typeof type === 'object') {
      const inner = decode(item, type, `${path}.${key}`, unknown);
      if (typeof inner === 'string') return inner;
      known[key] = inner;
    } else {
      const wrong = mismatch(item, type);
      if (wrong !== undefined)
        return `${goType(item)} into Go struct field ${shape.go}.${path}.${key} of type ${wrong}`;
      if (item !== '' && !(isList(item) && item.length === 0)) known[key] = item;
    }
  }
  return known;
}

function mismatch(value: JsonValue, type: 'string' | 'strings' | 'int' | 'any'): string | undefined {
  switch (type) {
    case 'any':
      return undefined;
    case 'string':
      return typeof value === 'string' ? undefined : 'string';
    case 'int':
      return typeof value === 'number' ? undefined : 'int64';
    case 'strings':
      return isList(value) && value.every((one) => typeof one === 'string') ? undefined : '[]string';
  }
}
