/** What the names of a run's own namespaces may begin with. */

/** A namespace's name is one label of DNS, and more comes behind. */
export const PREFIX: RegExp = /^[a-z0-9](?:[-a-z0-9]{0,18}[a-z0-9])?$/;
export const PREFIX_FORM: string =
  'expected the beginning of a name of a namespace: at most 20 lower-case letters, digits and dashes';
