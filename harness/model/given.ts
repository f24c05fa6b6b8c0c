/**
 * Drops undefined fields, for options whose defaults are set elsewhere: under `exactOptionalPropertyTypes`, an undefined field is not an
 * absent one.
 */

/** Makes fields that may be undefined optional. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
