/** The fields of CEL messages by class, for field-by-field comparison. */
import type { Field } from './shapes.ts';

const messages = new WeakMap<object, ReadonlyMap<string, Field>>();

/** Registers the fields of a class. */
export function rememberMessage(constructor_: object, fields: ReadonlyMap<string, Field>): void {
  messages.set(constructor_, fields);
}

/** Returns the escaped field names; undefined for values that are not messages. */
export function fieldsOf(value: object): ReadonlyMap<string, Field> | undefined {
  return messages.get(value.constructor);
}
