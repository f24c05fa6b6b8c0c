/**
 * Certificates that are created inside a cluster: those that cert-manager would store in Secrets, and those that controller-runtime expects
 * in its default folder.
 *
 * Owns: which Secrets those are. Does not own: whom the API server trusts (`webhooks.ts`). Start at {@link madeSecrets}.
 */
import type { CertificateAuthority } from 'stalemate-apiserver/http';
import { mapOf, textOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { entriesOf, find, type TargetWorkload } from './deployment.ts';
import { neededSecrets } from './mounts.ts';

const CERT_MANAGER = /^cert-manager\.io\//;
const CERTIFICATE = 'tls.crt';

/**
 * Reports whether an object is for cert-manager. The harness does cert-manager's work itself, so the server need not know the object's
 * kind.
 */
export function isForCertManager({ apiVersion, kind }: KubeObject): boolean {
  return CERT_MANAGER.test(apiVersion) && /^(?:Certificate|Issuer|ClusterIssuer)$/.test(kind);
}

/** Returns the entries of a Secret with a certificate for `names`. */
export function certificateEntries(
  authority: CertificateAuthority,
  names: readonly string[],
): { readonly [key: string]: Buffer } {
  const { certificate, key } = authority.issueServer(names);
  return {
    [CERTIFICATE]: Buffer.from(certificate),
    'tls.key': Buffer.from(key),
    'ca.crt': Buffer.from(authority.certificate),
  };
}

/**
 * Returns the Secrets that exist in a cluster without being in the manifests: those that a Certificate requests, and those that the
 * target's pod mounts and could not start without.
 *
 * @param names - The host names of the target's webhooks.
 */
export function madeSecrets(
  workload: TargetWorkload,
  objects: readonly KubeObject[],
  authority: CertificateAuthority,
  names: readonly string[],
): readonly KubeObject[] {
  const made = new Map<string, KubeObject>();
  const make = (namespace: string, name: string, more: readonly string[]): void => {
    if (name === '' || made.has(`${namespace}/${name}`)) return;
    const entries = certificateEntries(authority, [...new Set([...more, ...names])]);
    const data = Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, value.toString('base64')]));
    const metadata = { name, namespace };
    made.set(`${namespace}/${name}`, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data });
  };
  for (const certificate of objects) {
    if (certificate.kind !== 'Certificate' || !isForCertManager(certificate)) continue;
    const spec = mapOf(certificate['spec']);
    const namespace = certificate.metadata.namespace ?? workload.namespace;
    const name = textOf(spec['secretName']);
    const given = entriesOf(find(objects, 'Secret', namespace, name));
    if (given?.[CERTIFICATE] === undefined) make(namespace, name, textsOf(spec['dnsNames']));
  }
  for (const name of neededSecrets(workload))
    if (find(objects, 'Secret', workload.namespace, name) === undefined) make(workload.namespace, name, []);
  return [...made.values()];
}
