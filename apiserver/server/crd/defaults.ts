/**
 * Validates that defaults in a definition's schema match the schema.
 *
 * Mirrors apiextensions-apiserver `apiserver/schema/defaulting/validation.go`.
 */
import { jsonEqual } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';
import { fieldInvalid, type FieldError } from '../refusal.ts';
import { coerceValue } from '../schema/coerce.ts';
import { validateLists } from '../schema/lists.ts';
import { compileNode } from '../schema/node.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { Site } from '../schema/site.ts';
import { validateValue } from '../schema/validate.ts';

/** Appends errors in the defaults of a schema and its descendants. */
export function validateDefaults(schema: JsonObject, at: string, errors: FieldError[]): void {
  walk(compileNode(schema), at, errors);
}

function walk(node: SchemaNode, at: string, errors: FieldError[]): void {
  const { default: value, items } = node;
  if (value !== undefined && value !== null) {
    const where = `${at}.default`;
    // Missing fields may be filled in, unknown ones are errors.
    if (!jsonEqual(coerceValue({ ...node, defaulted: [] }, value, '', undefined), value) && hasUnknown(node, value))
      errors.push(fieldInvalid(where, value, 'must not have unknown fields'));
    const site = new Site(where);
    validateValue(node, value, undefined, '', site);
    for (const error of site.errors) errors.push(error);
    if (site.errors.length === 0) validateLists(node, value, where, errors);
  }
  if (items !== undefined) walk(items, `${at}.items`, errors);
  for (const [name, property] of node.properties) walk(property, `${at}.properties[${name}]`, errors);
}

function hasUnknown(node: SchemaNode, value: Parameters<typeof coerceValue>[1]): boolean {
  const unknown: string[] = [];
  coerceValue(node, value, '', unknown);
  return unknown.length > 0;
}
