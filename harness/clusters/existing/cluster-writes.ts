/**
 * The cluster-scoped objects that a run may create besides the project's own custom resources: kinds and names that the user allowed.
 *
 * Owns: the syntax and its meaning. Start at {@link allowsWrite}.
 */

/** Matches `RESOURCE[.GROUP][/SUBRESOURCE]=NAME`, in which NAME may contain `*`. */
const FORM = /^([a-z0-9]+(?:\.[a-z0-9][-a-z0-9.]*)?(?:\/[a-z]+)?)=([-A-Za-z0-9._:*]+)$/;

/** The expected form, for error messages. */
export const CLUSTER_WRITE_FORM: string =
  'expected KIND=NAME, such as "clusterroles.rbac.authorization.k8s.io=widgets-*": the plural name and group of a kind outside of namespaces, and names, with * for any letters';

/** Reports whether a text has the expected form. Namespaces cannot be allowed, as the run manages its own. */
export function isClusterWrite(text: string): boolean {
  return FORM.test(text) && !/^namespaces[=/]/.test(text);
}

/**
 * Reports whether a cluster-scoped write is allowed by one of `allowed`.
 *
 * @param resource - `clusterroles.rbac.authorization.k8s.io`, followed by `/approval` for a subresource.
 * @param name - Empty if the server generates it, which only a lone `*` allows.
 */
export function allowsWrite(allowed: readonly string[], resource: string, name: string): boolean {
  return allowed.some((text) => {
    const [, kind, names = ''] = FORM.exec(text) ?? [];
    return kind === resource && matches(names, name);
  });
}

/**
 * Reports whether a name matches a pattern. It compares piece by piece, so that patterns with many stars take no longer than those with
 * few.
 */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
