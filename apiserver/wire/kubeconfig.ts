/** Kubeconfigs for one server and one user. Callers with a file write it as YAML. */

export interface KubeconfigOptions {
  /** The name of cluster, user and context. */
  readonly name: string;
  /** URL. */
  readonly server: string;
  /** PEM of the certificate authority; absent without TLS. */
  readonly ca?: string;
  readonly token?: string;
  /** Default `default`. */
  readonly namespace?: string;
}

/** `insecure-skip-tls-verify` without TLS, because client-node requires it for plain HTTP. */
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
