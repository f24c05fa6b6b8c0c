/**
 * Fills in the variables of templates that users complete with `envsubst`, `clusterctl` or Flux: `${NAME}`, `${COUNT:=3}`.
 *
 * Pure. Start at {@link filledIn}.
 */

/** Matches a variable with its default, if it has one. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::?[-=]([^{}]*))?\}/g;

/** Values for variables without a default, by the last words of their names. */
const USUAL: readonly (readonly [RegExp, string])[] = [
  [/(?:COUNT|REPLICAS|SIZE|NUMBER|PORT)$/i, '1'],
  [/KUBERNETES_VERSION$|K8S_VERSION$/i, 'v1.30.0'],
  [/VERSION$/i, 'v1.0.0'],
  [/(?:BASE64|B64)$/i, 'ZXhhbXBsZQ=='],
  [/(?:NAMESPACE)$/i, 'default'],
  [/(?:CIDR)$/i, '192.0.2.0/24'],
  [/(?:_IP|ADDRESS)$/i, '192.0.2.1'],
  [/(?:URL|ENDPOINT)$/i, 'https://example.com'],
];

/** Returns a text with its variables replaced; undefined if it has none. */
export function filledIn(text: string): string | undefined {
  const filled = text.replaceAll(VARIABLE, (_, name: string, usual: string | undefined) => usual ?? valueFor(name));
  return filled === text ? undefined : filled;
}

function valueFor(name: string): string {
  return USUAL.find(([pattern]) => pattern.test(name))?.[1] ?? 'example';
}
