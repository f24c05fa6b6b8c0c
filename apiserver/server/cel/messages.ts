/** The fields of CEL messages by their class, for what goes through values field by field. */
import type { Field } from './shapes.ts';

const messages = new WeakMap<object, ReadonlyMap<string, Field>>();

/** Lets values of a class be compared field by field. */
export function rememberMessage(constructor_: object, fields: ReadonlyMap<string, Field>): void {
  messages.set(constructor_, fields);
}

/** By the names that expressions use; undefined for what is no message. */
export function fieldsOf(value: object): ReadonlyMap<string, Field> | undefined {
  return messages.get(value.constructor);
}
