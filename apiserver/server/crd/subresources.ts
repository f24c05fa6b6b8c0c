/** Validates the parts of a version other than its schema: subresources, printer columns, selectable fields, deprecation. */
import { isList, isMap, mapsOf, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { fieldInvalid, fieldRequired, type FieldError } from '../refusal.ts';
import { resolvePath } from './rules.ts';

function validateSimplePath(path: string, at: string, errors: FieldError[]): boolean {
  if (path.startsWith('.')) return true;
  errors.push(fieldInvalid(at, path, 'must be a simple json path starting with .'));
  return false;
}

/** Appends errors in the paths of the scale subresource. */
export function validateSubresources(subresources: JsonValue | undefined, at: string, errors: FieldError[]): void {
  const scale = isMap(subresources) ? subresources['scale'] : undefined;
  if (!isMap(scale)) return;
  for (const [key, under] of [
    ['specReplicasPath', 'spec'],
    ['statusReplicasPath', 'status'],
  ] as const) {
    const path = textOf(scale[key]);
    const where = `${at}.scale.${key}`;
    if (path === '') errors.push(fieldRequired(where, ''));
    else if (validateSimplePath(path, where, errors) && !path.startsWith(`.${under}.`))
      errors.push(fieldInvalid(where, path, `should be a json path under .${under}`));
  }
  const selector = textOf(scale['labelSelectorPath']);
  const where = `${at}.scale.labelSelectorPath`;
  if (selector !== '' && validateSimplePath(selector, where, errors) && !/^\.(spec|status)\./.test(selector))
    errors.push(fieldInvalid(where, selector, 'should be a json path under either .spec or .status'));
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function validateColumns(columns: JsonValue | undefined, at: string, errors: FieldError[]): void {
  for (const [index, column] of mapsOf(columns).entries()) {
    const where = `${at}[${index}]`;
    const [type, format, path] = [textOf(column['type']), textOf(column['format']), textOf(column['jsonPath'])];
    if (textOf(column['name']) === '') errors.push(fieldRequired(`${where}.name`, ''));
    if (type === '') errors.push(fieldRequired(`${where}.type`, `must be one of ${COLUMN_TYPES.join(',')}`));
    else if (!COLUMN_TYPES.includes(type))
      errors.push(fieldInvalid(`${where}.type`, type, `must be one of ${COLUMN_TYPES.join(',')}`));
    if (format !== '' && !COLUMN_FORMATS.includes(format))
      errors.push(fieldInvalid(`${where}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    if (path === '') errors.push(fieldRequired(`${where}.JSONPath`, ''));
    else validateSimplePath(path, `${where}.JSONPath`, errors);
  }
}

/** kube-apiserver's limit on selectable fields per version. */
const SELECTABLE_MAX = 8;

export function validateSelectable(
  fields: JsonValue | undefined,
  schema: JsonObject | undefined,
  at: string,
  errors: FieldError[],
): void {
  if (!isList(fields) || fields.length === 0) return;
  if (schema === undefined) {
    errors.push(fieldInvalid(at, '', 'may only be set when validations.schema is included'));
    return;
  }
  const seen = new Set<string>();
  for (const [index, field] of mapsOf(fields).entries()) {
    const path = textOf(field['jsonPath']);
    const where = `${at}[${index}].jsonPath`;
    if (path === '') {
      errors.push(fieldRequired(where, ''));
      continue;
    }
    const found = path.includes('[') ? undefined : resolvePath(schema, path);
    if (found === undefined) {
      errors.push(fieldInvalid(where, path, `is an invalid path: ${pathFault(path)}`));
      continue;
    }
    if (path.startsWith('.metadata')) errors.push(fieldInvalid(where, path, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(textOf(found['type'])))
      errors.push(
        fieldInvalid(
          where,
          path,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    if (seen.has(path)) errors.push({ type: 'Duplicate', field: where, value: path, detail: '' });
    seen.add(path);
  }
  if (seen.size > SELECTABLE_MAX)
    errors.push({ type: 'TooMany', field: at, value: seen.size, detail: `must have at most ${SELECTABLE_MAX} items` });
}

function pathFault(path: string): string {
  if (path.includes('[')) return 'array notation is not allowed';
  if (!path.startsWith('.')) return `expected [ or . but got: ${path.split('.', 1)[0] ?? ''}`;
  return path.endsWith('.') ? 'unexpected end of JSON path' : 'does not refer to a valid field';
}

export function validateDeprecation(version: JsonObject, at: string, errors: FieldError[]): void {
  const warning = version['deprecationWarning'];
  if (typeof warning !== 'string') return;
  const where = `${at}.deprecationWarning`;
  if (version['deprecated'] !== true)
    errors.push(fieldInvalid(where, warning, 'can only be set for deprecated versions'));
  else if (warning === '') errors.push(fieldInvalid(where, warning, 'must not be an empty string'));
  else if (warning.length > 256) errors.push(fieldInvalid(where, warning, 'must be <= 256 characters long'));
}
