/**
 * Equality of CEL values, and `+` of lists that are sets or maps.
 *
 * Mirrors `cel/common/valuesunstructured.go`: sets ignore order, maps are compared by key, and adding keeps existing items.
 */
import { Optional, type Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { EqualValues, keyOfValues } from './equal-values.ts';
import { fieldsOf } from './messages.ts';
import { associate, associationOf } from './shapes.ts';

/** Makes values of a type comparable with each other and with `null`, as cel-go does for messages, times and all opaque types. */
export function registerEquality<T>(env: Environment, type: string, equal: (left: T, right: T) => boolean): void {
  env.registerOperator(`${type} == ${type}`, equal);
  registerNullEquality(env, type);
}

/** Makes the comparison of a type with `null` compile, although no value of the type is `null`. */
export function registerNullEquality(env: Environment, type: string): void {
  env.registerOperator(`${type} == null`, () => false);
}

/** Reports whether two values are equal by CEL's `==`. */
export function celEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === 'bigint' || typeof left === 'number')
    // Numbers of different types are equal if they have the same value.
    return (typeof right === 'bigint' || typeof right === 'number') && left == right;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && listsEqual(left, right);
  if (left instanceof Map) return right instanceof Map && mapsEqual(left, right);
  if (left instanceof Optional)
    return (
      right instanceof Optional &&
      left.hasValue() === right.hasValue() &&
      (!left.hasValue() || celEqual(left.value(), right.value()))
    );
  if (left instanceof Date) return right instanceof Date && left.getTime() === right.getTime();
  if (left instanceof Duration)
    return right instanceof Duration && left.seconds === right.seconds && left.nanos === right.nanos;
  if (left instanceof Uint8Array)
    return right instanceof Uint8Array && left.length === right.length && left.every((one, at) => one === right[at]);
  return messagesEqual(left, right);
}

function mapsEqual(left: ReadonlyMap<unknown, unknown>, right: ReadonlyMap<unknown, unknown>): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) if (!right.has(key) || !celEqual(value, right.get(key))) return false;
  return true;
}

function messagesEqual(left: object, right: object): boolean {
  const fields = fieldsOf(left);
  const others = fieldsOf(right);
  if (fields === undefined || others === undefined) return false;
  const names = fields === others ? fields.keys() : new Set([...fields.keys(), ...others.keys()]);
  for (const name of names) {
    const ours = (left as { readonly [name: string]: unknown })[name];
    const theirs = (right as { readonly [name: string]: unknown })[name];
    if (ours === undefined ? theirs !== undefined : theirs === undefined || !celEqual(ours, theirs)) return false;
  }
  return true;
}

function listsEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  const node = associationOf(left) ?? associationOf(right);
  // Lists that are equal as sets usually have the same order.
  const first = left.findIndex((one, at) => !celEqual(one, right[at]));
  if (first < 0 || node === undefined) return first < 0;
  const others = new EqualValues(celEqual, right);
  return left.every((one, at) => at < first || others.find(one) >= 0);
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = fieldsOf(value);
  for (const [name, field] of fields ?? [])
    if (field.key === key) return (value as { readonly [name: string]: unknown })[name];
  return undefined;
}

/** Adds two lists like CEL's `+`: set lists keep each value once; map lists keep their order and overwrite items with equal keys. */
export function celConcat(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const node = associationOf(left);
  if (node === undefined) return [...left, ...right];
  const sum = [...left];
  const { listKeys } = node;
  const known =
    node.listType === 'set'
      ? new EqualValues(celEqual, sum)
      : new EqualValues(
          (one, other) => listKeys.every((key) => celEqual(fieldOf(one, key), fieldOf(other, key))),
          sum,
          (value) => keyOfValues(listKeys.map((key) => fieldOf(value, key))),
        );
  for (const item of right) {
    const at = known.find(item);
    if (at < 0) known.add(item, sum.push(item) - 1);
    else if (node.listType === 'map') sum[at] = item;
  }
  return associate(sum, node);
}

/** Compares numbers, strings, booleans, times or durations. */
export function compare(left: unknown, right: unknown): number {
  if (left instanceof Duration && right instanceof Duration) return Math.sign(left.valueOf() - right.valueOf());
  const [a, b] = [left, right] as [number, number];
  return a < b ? -1 : a > b ? 1 : 0;
}
