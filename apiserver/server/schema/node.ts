/**
 * A structural schema, compiled once for pruning, defaulting and validation.
 *
 * Owns: converting the OpenAPI v3 subset of CustomResourceDefinitions to nodes. Does not own: walking them (`coerce.ts`, `validate.ts`).
 */
import { isList, isMap, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { lazyGoRegExp } from '../../wire/go-regexp.ts';
import type { SchemaNode, ValidationRule } from './schema-node.ts';
import { coerceValue } from './coerce.ts';
import { knownFormat } from './formats.ts';

// Shared by most nodes: a large definition has a hundred thousand of them, and most have none of these keywords.
const NO_PROPERTIES: ReadonlyMap<string, SchemaNode> = new Map();
const NO_DEFAULTS: SchemaNode['defaulted'] = [];
const NO_NODES: readonly SchemaNode[] = [];
const NO_NAMES: readonly string[] = [];

/** Compiles one schema. Any value that is not a map compiles to a schema without constraints. */
export function compileNode(schema: JsonValue | undefined): SchemaNode {
  const raw: JsonObject = isMap(schema) ? schema : {};
  const { properties, defaulted } = compileProperties(raw['properties']);
  const rawAdditional = raw['additionalProperties'];
  const additional =
    typeof rawAdditional === 'boolean' ? rawAdditional : isMap(rawAdditional) ? compileNode(rawAdditional) : undefined;
  const items = isMap(raw['items']) ? compileNode(raw['items']) : undefined;
  const preserve = raw['x-kubernetes-preserve-unknown-fields'] === true;
  const embedded = raw['x-kubernetes-embedded-resource'] === true;
  const pattern = raw['pattern'];
  return {
    type: textOf(raw['type']),
    nullable: raw['nullable'] === true,
    intOrString: raw['x-kubernetes-int-or-string'] === true,
    preserve,
    embedded,
    properties,
    defaulted,
    additional,
    items,
    hasDefault: raw['default'] !== undefined && raw['default'] !== null,
    default: raw['default'],
    required: isList(raw['required']) ? (raw['required'] as readonly string[]) : NO_NAMES,
    enum: isList(raw['enum']) ? raw['enum'] : undefined,
    maximum: number(raw['maximum']),
    minimum: number(raw['minimum']),
    exclusiveMaximum: raw['exclusiveMaximum'] === true,
    exclusiveMinimum: raw['exclusiveMinimum'] === true,
    multipleOf: number(raw['multipleOf']),
    maxLength: number(raw['maxLength']),
    minLength: number(raw['minLength']),
    pattern: typeof pattern === 'string' ? lazyGoRegExp(pattern) : undefined,
    patternText: textOf(pattern),
    format: knownFormat(textOf(raw['type']), textOf(raw['format'])),
    maxItems: number(raw['maxItems']),
    minItems: number(raw['minItems']),
    uniqueItems: raw['uniqueItems'] === true,
    maxProperties: number(raw['maxProperties']),
    minProperties: number(raw['minProperties']),
    allOf: list(raw['allOf']),
    anyOf: list(raw['anyOf']),
    oneOf: list(raw['oneOf']),
    not: isMap(raw['not']) ? compileNode(raw['not']) : undefined,
    listType: textOf(raw['x-kubernetes-list-type']),
    listKeys: isList(raw['x-kubernetes-list-map-keys'])
      ? (raw['x-kubernetes-list-map-keys'] as readonly string[])
      : NO_NAMES,
    open: isOpen(properties, additional, items) || preserve || embedded,
    rules: rules(raw['x-kubernetes-validations']),
    mapType: textOf(raw['x-kubernetes-map-type']),
    patchStrategy: '',
    patchMergeKey: '',
  };
}

function compileProperties(raw: JsonValue | undefined): Pick<SchemaNode, 'properties' | 'defaulted'> {
  if (!isMap(raw)) return { properties: NO_PROPERTIES, defaulted: NO_DEFAULTS };
  const properties = new Map<string, SchemaNode>();
  const defaulted: (readonly [string, JsonValue])[] = [];
  for (const [name, property] of Object.entries(raw)) {
    const node = compileNode(property);
    properties.set(name, node);
    // A default is itself pruned and defaulted, once, when the schema is compiled.
    if (node.default !== undefined && node.default !== null)
      defaulted.push([name, coerceValue(node, node.default, '', undefined)]);
  }
  return { properties, defaulted };
}

function number(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function list(value: JsonValue | undefined): readonly SchemaNode[] {
  return isList(value) && value.length > 0 ? value.map(compileNode) : NO_NODES;
}

function isOpen(
  properties: ReadonlyMap<string, SchemaNode>,
  additional: SchemaNode | boolean | undefined,
  items: SchemaNode | undefined,
): boolean {
  if (additional === true || (typeof additional === 'object' && additional.open) || items?.open === true) return true;
  for (const property of properties.values()) if (property.open) return true;
  return false;
}

const NO_RULES: readonly ValidationRule[] = [];

function rules(value: JsonValue | undefined): readonly ValidationRule[] {
  if (!isList(value) || value.length === 0) return NO_RULES;
  return value.filter(isMap).map((rule) => ({
    rule: textOf(rule['rule']),
    message: textOf(rule['message']),
    messageExpression: textOf(rule['messageExpression']),
    reason: textOf(rule['reason']),
    fieldPath: textOf(rule['fieldPath']),
    optionalOldSelf: rule['optionalOldSelf'] === true,
  }));
}
