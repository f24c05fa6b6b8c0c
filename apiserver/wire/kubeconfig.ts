/** Kubeconfigs: the file that leads a client to one server, as one user. Writing it as YAML is left to whoever has a file. */

export interface KubeconfigOptions {
  /** Of cluster, user and context. */
  readonly name: string;
  /** URL. */
  readonly server: string;
  /** PEM of what the client has to trust; absent without TLS. */
  readonly ca?: string;
  readonly token?: string;
  /** Default `default`. */
  readonly namespace?: string;
}

/** `insecure-skip-tls-verify` without TLS, because client-node asks for it before it talks plain HTTP. */
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
