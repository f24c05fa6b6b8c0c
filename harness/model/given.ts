/**
 * The fields that are there, for options whose defaults are set elsewhere: where optional fields are exact, one that is undefined is not
 * absent.
 */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
