/** Kubeconfigs for one server and one user. Callers that need a file write it as YAML. */

export interface KubeconfigOptions {
  /** The name of cluster, user and context. */
  readonly name: string;
  /** The URL of the server. */
  readonly server: string;
  /** The certificate authority, as PEM; absent without TLS. */
  readonly ca?: string;
  readonly token?: string;
  /** The namespace of the context; default `default`. */
  readonly namespace?: string;
}

/** Returns a kubeconfig. Without TLS it has `insecure-skip-tls-verify`, which client-node requires for plain HTTP. */
export function kubeconfigOf({ name, server, ca, token, namespace = 'default' }: KubeconfigOptions): object {
  const trust =
    ca === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...trust } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  };
}
