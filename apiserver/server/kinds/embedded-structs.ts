/** Marks names of embedded structs: type errors include them, paths of unknown fields do not. */
export const EMBEDDED = '\u0001';
