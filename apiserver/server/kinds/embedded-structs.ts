/** Marks the names of embedded structs in paths: type errors print these names, paths of unknown fields omit them. */
export const EMBEDDED = '\u0001';
