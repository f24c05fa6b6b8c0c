/**
 * The order of a merged list: items in the patch keep the patch's order, items that are only on the server keep theirs; both are
 * interleaved.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import { goPrinted, goReflected } from './go-print.ts';

/** A strategic merge patch that cannot be applied; answered with `code`. */
export class SmpError extends Error {
  readonly code: 400 | 422 | 500;

  constructor(code: 400 | 422 | 500, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the error for a value of the wrong type. */
export function badArgument(wanted: string, value: JsonValue | undefined): SmpError {
  return new SmpError(500, `expected a ${wanted}, but received a ${goReflected(value)}`);
}

type List = readonly JsonValue[];

/** Splits a list into the items whose key is also in `by`, and the rest. */
export function partition(list: List, by: List, mergeKey: string): readonly [List, List] {
  const named: JsonValue[] = [];
  const others: JsonValue[] = [];
  const ranks = ranking(by, mergeKey);
  for (const item of list) {
    if (mergeKey !== '') {
      if (!isMap(item)) throw badArgument('map[string]interface {}', item);
      if (item[mergeKey] === undefined)
        throw new SmpError(500, `map: ${goPrinted(item)} does not contain declared merge key: ${mergeKey}`);
    }
    (ranks(item) >= 0 ? named : others).push(item);
  }
  return [named, others];
}

/**
 * Returns a function that looks up the index of an item's key in `list`, or -1 if it is not there. Searching the list for each item would
 * be quadratic.
 */
function ranking(list: List, mergeKey: string): (item: JsonValue) => number {
  const first = new Map<JsonValue | undefined, number>();
  for (const [index, item] of list.entries()) {
    if (mergeKey !== '' && !isMap(item)) continue;
    const key = nameOf(item, mergeKey);
    if (!first.has(key)) first.set(key, index);
  }
  return (item) => first.get(nameOf(item, mergeKey)) ?? -1;
}

function nameOf(item: JsonValue, mergeKey: string): JsonValue | undefined {
  if (mergeKey === '') return item;
  return isMap(item) ? item[mergeKey] : undefined;
}

/** Returns `named` in the order of `order`, interleaved with `others`, which keep the server's order. */
export function normaliseOrder(named: List, others: List, order: List, server: List, mergeKey: string): List {
  const right = sorted(named, order, mergeKey);
  const left = sorted(others, server, mergeKey);
  const inServer = ranking(server, mergeKey);
  const all: JsonValue[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    if (r >= right.length) all.push(left[l++] as JsonValue);
    else if (l >= left.length) all.push(right[r++] as JsonValue);
    else {
      const li = inServer(left[l] as JsonValue);
      const ri = inServer(right[r] as JsonValue);
      if (li >= 0 && ri >= 0 && li < ri) all.push(left[l++] as JsonValue);
      else all.push(right[r++] as JsonValue);
    }
  }
  return all;
}

/** Sorts a list by `order`. The sort is stable; items that are still marked for deletion come last. */
function sorted(list: List, order: List, mergeKey: string): List {
  const inOrder = ranking(order, mergeKey);
  const kept = list.filter((item) => !(isMap(item) && item['$patch'] === 'delete'));
  const deleted = list.filter((item) => isMap(item) && item['$patch'] === 'delete');
  return [...kept.toSorted((a, b) => inOrder(a) - inOrder(b)), ...deleted];
}
