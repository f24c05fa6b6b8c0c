/**
 * `Object{…}`, `Object.spec{…}` and `JSONPatch{…}` of mutating admission policies.
 *
 * cel-js has no message literals, so they are rewritten to calls before parsing. Owns: the rewriting, the values, their JSON, and the check
 * that each type name matches its path. Mirrors k8s.io/apiserver `cel/mutation`. Start at {@link withLiteralCalls} and {@link jsonOf}.
 */
import { Optional, type Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { registerNamespace } from './library.ts';

/** The fields of a literal: a map that the expression creates, or a map from its input. */
type Fields = ReadonlyMap<string, unknown> | { readonly [name: string]: unknown };

function entriesOf(fields: Fields): ReadonlyMap<string, unknown> {
  return fields instanceof Map ? fields : new Map(Object.entries(fields));
}

export class ObjectLiteral {
  readonly type: string;
  readonly fields: ReadonlyMap<string, unknown>;

  constructor(type: string, fields: Fields) {
    this.type = type;
    this.fields = entriesOf(fields);
  }
}

class PatchLiteral extends ObjectLiteral {}

const TOKEN =
  /[rR]?"""[^]*?"""|[rR]?'''[^]*?'''|[rR]"[^"]*"|[rR]'[^']*'|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?<![\w.])(?:Object(?:\.\w+)*|JSONPatch)\s*\{|\/\/[^\n]*|[\w]+|\s+|[^]/g;

const CALLS: { readonly [word: string]: string } = { Object: 'Object_', JSONPatch: 'JSONPatch_' };

/** Returns the expression with calls instead of literals: `Object.spec{a: 1}` becomes `Object_("Object.spec", {"a": 1})`. */
export function withLiteralCalls(source: string): string {
  if (!source.includes('{')) return source;
  let result = '';
  // The closing token of each open bracket. `fields`: the bracket contains field names.
  const open: { readonly close: string; readonly fields: boolean }[] = [];
  let atField = false;
  for (const [token] of source.matchAll(TOKEN)) {
    const inFields = open.at(-1)?.fields === true;
    const literal = /^(Object|JSONPatch)[\w.]*\s*\{$/.exec(token);
    if (literal !== null) {
      result += `${CALLS[literal[1] ?? ''] ?? ''}("${token.slice(0, -1).trim()}", {`;
      open.push({ close: '})', fields: true });
      atField = true;
      continue;
    }
    if (token === '{' || token === '[' || token === '(') {
      open.push({ close: token === '{' ? '}' : token === '[' ? ']' : ')', fields: false });
      result += token;
    } else if (token === '}' || token === ']' || token === ')') {
      result += open.pop()?.close ?? token;
      atField = false;
    } else if (inFields && atField && /^\w+$/.test(token)) {
      result += `"${token}"`;
      atField = false;
    } else if (inFields && atField && token === '?') {
      // Drops the `?` of `?name: optional`: the optional value itself shows whether it is set.
    } else {
      result += token;
      if (inFields && token === ',') atField = true;
    }
  }
  return result;
}

export function registerLiterals(env: Environment): void {
  env.registerType('Object', ObjectLiteral);
  env.registerType('JSONPatch', PatchLiteral);
  env.registerFunction(
    'Object_(string, map): Object',
    (type: string, fields: Fields) => new ObjectLiteral(type, fields),
  );
  env.registerFunction(
    'JSONPatch_(string, map): JSONPatch',
    (type: string, fields: Fields) => new PatchLiteral(type, fields),
  );
  const jsonpatch = registerNamespace(env, 'jsonpatch');
  env.registerFunction(`${jsonpatch}.escapeKey(string): string`, (_: unknown, key: string) =>
    key.replaceAll(/[~/]/g, (one) => (one === '~' ? '~0' : '~1')),
  );
}

function isMapValue(value: unknown): value is Fields {
  if (value instanceof Map) return true;
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns errors, in Go's words, for literals whose type name does not match their path. */
export function misplaced(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => misplaced(one, path));
  if (isMapValue(value)) return [...entriesOf(value).values()].flatMap((one) => misplaced(one, path));
  if (!(value instanceof ObjectLiteral)) return [];
  const wrong =
    value.type === path
      ? []
      : [
          `unexpected type name ${JSON.stringify(value.type)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
        ];
  return [...wrong, ...[...value.fields].flatMap(([name, field]) => misplaced(field, `${path}.${name}`))];
}

/** Returns a CEL value as JSON. */
export function jsonOf(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (isMapValue(value)) return objectOf(entriesOf(value));
  if (value instanceof ObjectLiteral) return objectOf(value.fields);
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$/, 'Z');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Duration) return `${Number(value.seconds) + value.nanos / 1e9}s`;
  return null;
}

function objectOf(fields: ReadonlyMap<unknown, unknown>): JsonObject {
  const object: { [key: string]: JsonValue } = {};
  for (const [key, field] of fields) {
    if (field instanceof Optional) {
      if (field.hasValue()) object[String(key)] = jsonOf(field.value());
    } else object[String(key)] = jsonOf(field);
  }
  return object;
}
