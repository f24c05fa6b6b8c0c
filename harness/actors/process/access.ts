/**
 * How a program finds its front: a kubeconfig, or the configuration that a pod gets (the variables of the Service `kubernetes`, and the
 * files of its service account).
 *
 * Only programs that end without the latter get it: kopf, for example, would prefer it, and look for a host of the cluster's DNS.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { kubeconfigOf } from 'stalemate-apiserver/wire/kubeconfig';
import type { MountedFile } from './mounted-files.ts';

/** The token of every front: a front is on loopback and exists for one run only. */
export const TOKEN = 'stalemate';

export interface AccessOptions {
  /** The URL of the front. */
  readonly server: string;
  /** The CA of the front's certificate, in PEM. */
  readonly ca: string;
  /** The namespace of the program's pod. */
  readonly namespace: string;
}

/** Writes the kubeconfig into an incarnation's folder, with a link from its home folder, and returns its path. */
export function writeKubeconfig(folder: string, home: string, options: AccessOptions): string {
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, stringify(kubeconfigOf({ name: 'stalemate', token: TOKEN, ...options })), { mode: 0o600 });
  // Some programs look for a kubeconfig nowhere else.
  mkdirSync(join(home, '.kube'), { recursive: true });
  symlinkSync(path, join(home, '.kube', 'config'));
  return path;
}

/** Where a kubelet mounts the files of the service account, below /var/run. */
export const ACCOUNT = 'secrets/kubernetes.io/serviceaccount';

/** Returns the files of the service account. The target's pod adds the file with its namespace. */
export function accountFiles({ ca }: AccessOptions): readonly MountedFile[] {
  const contents = Object.entries({ token: TOKEN, 'ca.crt': ca });
  return contents.map(([name, text]) => ({ below: 'pod', path: `${ACCOUNT}/${name}`, content: Buffer.from(text) }));
}

/** Returns the variables of the Service `kubernetes`. Without the files of the service account they must not be set. */
export function serviceVariables(host: string, port: string): readonly (readonly [string, string])[] {
  const values = Object.entries({ HOST: host, PORT: port, PORT_HTTPS: port });
  return values.map(([end, value]) => [`KUBERNETES_SERVICE_${end}`, value]);
}
