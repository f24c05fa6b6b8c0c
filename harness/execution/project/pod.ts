/**
 * What the target would find in its pod, for a process: variables, mounted files, and the certificate of its webhooks, which in a
 * cluster somebody else makes.
 *
 * Start at {@link podFor}.
 */
import { SERVING_CERTS, type MountedFile } from '../../actors/process/mounted-files.ts';
import { CertificateAuthority } from '../../apiserver/http/certificates.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Subject } from '../subject.ts';
import { environmentOf, targetWorkload, type TargetWorkload } from './deployment.ts';
import { mountsOf } from './mounts.ts';
import { asksWebhooks, serviceNames, withAuthority } from './webhooks.ts';

export interface Pod {
  readonly workload: TargetWorkload | undefined;
  readonly env: ProcessTarget['env'];
  readonly files: readonly MountedFile[];
  /** What the server is told, with the authority of the certificate wherever a webhook is named. */
  readonly crds: readonly KubeObject[];
  readonly project: Subject['project'];
  /** Vouches for the certificate of its webhooks; absent where there are none. */
  readonly authority?: CertificateAuthority;
}

/** Pods have it; a process has a temporary folder of its own. */
const POD_TMP = '/tmp/';

export function podFor({ crds, project, namespace }: Pick<Subject, 'crds' | 'project' | 'namespace'>): Pod {
  const workload = project === null ? undefined : targetWorkload(project, namespace);
  const ownNamespace = namespaceFile(workload?.namespace ?? namespace);
  if (project === null || workload === undefined) return { workload, env: {}, files: [ownNamespace], crds, project };
  const { objects } = project;
  const asking = [...crds, ...objects];
  const authority = asksWebhooks(asking) ? new CertificateAuthority() : undefined;
  const { certificate = '', key = '' } = authority?.issueServer(serviceNames(asking)) ?? {};
  const certificates =
    authority === undefined
      ? {}
      : {
          'tls.crt': Buffer.from(certificate),
          'tls.key': Buffer.from(key),
          'ca.crt': Buffer.from(authority.certificate),
        };
  const mounted = mountsOf(workload, objects, certificates);
  const inTmp = mounted
    .filter(({ path }) => path.startsWith(POD_TMP))
    .map((file): MountedFile => ({ ...file, below: 'home', path: file.path.slice(POD_TMP.length) }));
  const byDefault = Object.entries(certificates).map(([name, content]): MountedFile => ({
    below: 'home',
    path: `${SERVING_CERTS}/${name}`,
    content,
  }));
  const trusting = (object: KubeObject): KubeObject =>
    authority === undefined ? object : withAuthority(object, authority.certificate);
  return {
    workload,
    env: environmentOf(workload, objects).values,
    files: [ownNamespace, ...byDefault, ...mounted, ...inTmp],
    crds: crds.map(trusting),
    project: { ...project, objects: objects.map(trusting) },
    ...(authority === undefined ? {} : { authority }),
  };
}

/** Leader election looks here for the namespace of its lock. There is no token beside it: the kubeconfig has it. */
function namespaceFile(namespace: string): MountedFile {
  return { below: 'pod', path: 'secrets/kubernetes.io/serviceaccount/namespace', content: Buffer.from(namespace) };
}
