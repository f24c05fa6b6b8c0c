/** Validates the name prefix of a run's namespaces. */

/** Matches a valid prefix: a namespace's name is one DNS label, and the prefix leaves room for the rest of the name. */
export const PREFIX: RegExp = /^[a-z0-9](?:[-a-z0-9]{0,18}[a-z0-9])?$/;
export const PREFIX_FORM: string =
  'expected the beginning of a name of a namespace: at most 20 lower-case letters, digits and dashes';
