/** The printer of one kind, and cells that most kinds share. */
import type { JsonValue, KubeObject } from '../../objects/object.ts';
import { since } from './age.ts';
import { at, type Cell } from './reading.ts';

/** Returns all cells of a row, wide columns included. `now` is in epoch milliseconds. */
export type Printer = (object: KubeObject, now: number) => readonly Cell[];

export function name(object: KubeObject): string {
  return object.metadata.name ?? '';
}

export function age(object: KubeObject, now: number): string {
  return since(object.metadata.creationTimestamp, now);
}

export function spec(object: KubeObject, ...path: readonly string[]): JsonValue | undefined {
  return at(object, 'spec', ...path);
}

export function between(cells: (object: KubeObject) => readonly Cell[]): Printer {
  return (object, now) => [name(object), ...cells(object), age(object, now)];
}

/** Returns the name, with `(default)` when one of these annotations marks the object. */
export function annotated(object: KubeObject, ...keys: readonly string[]): string {
  return keys.some((key) => object.metadata.annotations?.[key] === 'true') ? `${name(object)} (default)` : name(object);
}
