/**
 * Validates the fields that /scale reads and writes: replica counts and a selector.
 *
 * Mirrors `ValidateScaleSpec` and `ValidateScaleStatus` of apiextensions-apiserver `registry/customresource/validator.go`.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonValue, KubeObject } from '../../objects/object.ts';
import { type ScalePaths } from '../definition.ts';
import { fieldInvalid, type FieldError } from '../refusal.ts';

const INT32_MAX = 2 ** 31 - 1;

/** Appends errors in the replica counts and the selector. `spec`: also checks spec.replicas. */
export function validateScale(paths: ScalePaths, object: KubeObject, errors: FieldError[], spec: boolean): void {
  if (spec) validateReplicas(paths.specReplicas, object, errors);
  validateReplicas(paths.statusReplicas, object, errors);
  if (paths.selector.length === 0) return;
  const found = nested(object, paths.selector, 'string');
  if (found.why !== undefined) errors.push(fieldInvalid(fieldOf(paths.selector), '', found.why));
}

function fieldOf(path: readonly string[]): string {
  return `.${path.join('.')}`;
}

function validateReplicas(path: readonly string[], object: KubeObject, errors: FieldError[]): void {
  const { value, why } = nested(object, path, 'int64');
  const field = fieldOf(path);
  if (why !== undefined) errors.push(fieldInvalid(field, 0, why));
  else if (typeof value !== 'number') return;
  else if (value < 0) errors.push(fieldInvalid(field, value, 'should be a non-negative integer'));
  else if (value > INT32_MAX) errors.push(fieldInvalid(field, value, `should be less than or equal to ${INT32_MAX}`));
}

/** Reads a field as `unstructured.NestedInt64` and `NestedString` do: its value, or an error. */
function nested(
  object: KubeObject,
  path: readonly string[],
  type: 'int64' | 'string',
): { readonly value?: JsonValue; readonly why?: string } {
  let value: JsonValue | undefined = object;
  for (const [index, key] of path.entries()) {
    if (value === undefined || value === null) return {};
    if (!isMap(value)) return { why: accessor(path.slice(0, index + 1), value, 'map[string]interface{}') };
    value = value[key];
    if (value === undefined) return {};
  }
  if (type === 'string' ? typeof value === 'string' : typeof value === 'number' && Number.isInteger(value))
    return { value: value };
  return { why: accessor(path, value, type) };
}

function accessor(path: readonly string[], value: JsonValue, expected: string): string {
  return `.${path.join('.')} accessor error: ${goValue(value)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

function goTypeOf(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'object' ? 'map[string]interface {}' : typeof value === 'boolean' ? 'bool' : 'string';
}

/** Returns a value as Go's `%v` prints it. */
function goValue(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (isMap(value))
    return `map[${Object.keys(value)
      .toSorted()
      .map((key) => `${key}:${goValue(value[key] ?? null)}`)
      .join(' ')}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
