/**
 * Drops undefined fields, for options whose defaults are set elsewhere: under `exactOptionalPropertyTypes`, an undefined field is not an
 * absent one.
 */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
