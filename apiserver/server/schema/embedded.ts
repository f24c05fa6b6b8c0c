/**
 * Embedded resources: values with an `apiVersion`, a `kind` and metadata of their own.
 *
 * Mirrors apiextensions-apiserver `schema/objectmeta`.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { decodeMetadata } from '../metadata.ts';
import { validateNewMetadata } from '../metadata-rules.ts';
import { nameErrors } from '../names.ts';
import { fieldInvalid, fieldRequired, type FieldError } from '../refusal.ts';
import type { SchemaNode } from './schema-node.ts';

/** Reports whether `node`, or any node below it, is an embedded resource. */
export function hasEmbedded(node: SchemaNode): boolean {
  if (node.embedded) return true;
  for (const property of node.properties.values()) if (hasEmbedded(property)) return true;
  return (
    (node.items !== undefined && hasEmbedded(node.items)) ||
    (typeof node.additional === 'object' && hasEmbedded(node.additional))
  );
}

/** Appends errors in the type and the metadata of embedded resources. */
export function validateEmbedded(node: SchemaNode, value: JsonValue, path: string, errors: FieldError[]): void {
  if (isList(value)) {
    if (node.items !== undefined)
      for (const [index, item] of value.entries()) validateEmbedded(node.items, item, `${path}[${index}]`, errors);
  } else if (isMap(value)) {
    if (node.embedded) validateResource(value, path, errors);
    for (const key in value) {
      const item = value[key];
      if (item === undefined || item === null || typeof item !== 'object') continue;
      const property = node.properties.get(key);
      if (property !== undefined) validateEmbedded(property, item, path === '' ? key : `${path}.${key}`, errors);
      else if (typeof node.additional === 'object') validateEmbedded(node.additional, item, `${path}[${key}]`, errors);
    }
  }
}

function validateResource(value: JsonObject, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = value;
  if (apiVersion === undefined) errors.push(fieldRequired(`${path}.apiVersion`, ''));
  else if (typeof apiVersion !== 'string')
    errors.push(fieldInvalid(`${path}.apiVersion`, apiVersion, 'must be a string'));
  else if (apiVersion === '') errors.push(fieldInvalid(`${path}.apiVersion`, '', 'must not be empty'));
  else if (apiVersion.split('/').length > 2)
    errors.push(fieldInvalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  if (kind === undefined) errors.push(fieldRequired(`${path}.kind`, ''));
  else if (typeof kind !== 'string') errors.push(fieldInvalid(`${path}.kind`, kind, 'must be a string'));
  else if (kind === '') errors.push(fieldInvalid(`${path}.kind`, '', 'must not be empty'));
  else {
    const wrong = nameErrors('service', kind.toLowerCase(), false);
    if (wrong.length > 0)
      errors.push(
        fieldInvalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${wrong.join(',')}`),
      );
  }
  if (metadata === undefined) return;
  const meta = decodeMetadata(metadata);
  if (typeof meta === 'string') errors.push(fieldInvalid(`${path}.metadata`, metadata, meta));
  else
    // Embedded resources need no name, but a name must be usable in a path.
    for (const error of validateNewMetadata({ ...meta, name: meta.name ?? 'fakename' }, 'path-segment', 'plain', []))
      errors.push({ ...error, field: `${path}.${error.field}` });
}
