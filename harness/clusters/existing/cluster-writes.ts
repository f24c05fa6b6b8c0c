/**
 * What a run may make outside of namespaces beside the project's own custom resources: kinds and names that the user has allowed.
 *
 * Owns: the form that they are written in, and what it means. Start at {@link allowsWrite}.
 */

/** `RESOURCE[.GROUP][/SUBRESOURCE]=NAME`, with `*` in the name. */
const FORM = /^([a-z0-9]+(?:\.[a-z0-9][-a-z0-9.]*)?(?:\/[a-z]+)?)=([-A-Za-z0-9._:*]+)$/;

/** What is expected of {@link isClusterWrite}. */
export const CLUSTER_WRITE_FORM: string =
  'expected KIND=NAME, such as "clusterroles.rbac.authorization.k8s.io=widgets-*": the plural name and group of a kind outside of namespaces, and names, with * for any letters';

/** Whether a text is one; namespaces are the run's own business. */
export function isClusterWrite(text: string): boolean {
  return FORM.test(text) && !/^namespaces[=/]/.test(text);
}

/**
 * Whether a write outside of namespaces is allowed by one of `allowed`.
 *
 * @param resource `clusterroles.rbac.authorization.k8s.io`, with `/approval` behind it for a subresource.
 * @param name Empty where the server is to choose it, which only `*` alone allows.
 */
export function allowsWrite(allowed: readonly string[], resource: string, name: string): boolean {
  return allowed.some((text) => {
    const [, kind, names = ''] = FORM.exec(text) ?? [];
    return kind === resource && matches(names, name);
  });
}

/** Piece by piece: a pattern with many stars takes no longer than one with few. */
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
