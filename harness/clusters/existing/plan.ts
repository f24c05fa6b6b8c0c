/**
 * Lists what a run would change on an existing cluster, with read requests only.
 *
 * Start at {@link planFor}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { RemoteOptions } from '../../gate/http/remote.ts';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { ask } from '../real/own-requests.ts';
import type { ExistingAccess } from './access.ts';
import { allowsWrite } from './cluster-writes.ts';
import { differenceOf } from './definition-difference.ts';
import { OWNER_LABEL } from './footprint.ts';
import { othersBoundBy } from './wide-roles.ts';

export interface PlanParts {
  readonly access: ExistingAccess;
  readonly remote: RemoteOptions;
  readonly crds: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
  /** The manifests apart from CRDs. */
  readonly shipped: readonly KubeObject[];
  /** The namespaces, with the names that the sample uses. */
  readonly namespaces: readonly string[];
}

/** Returns one line per change. */
export async function planFor({
  access,
  remote,
  crds,
  samples,
  shipped,
  namespaces,
}: PlanParts): Promise<readonly string[]> {
  const { prefix, run, writes } = access;
  const names = namespaces.map((name) => `${prefix}-${run}-*-${name}`);
  return [
    `would make namespaces ${names.join(', ')}, labelled ${OWNER_LABEL}=${run}: one of each, and one more for each parallel run`,
    ...(await definitions(remote, crds)),
    ...shipped.flatMap((object) => shippedLine(object, `${prefix}-${run}-*-`, namespaces, writes)),
    ...samples.map(({ kind, metadata: { name = '', namespace = '' } }) => {
      const where = namespace === '' ? '' : ` in ${prefix}-${run}-*-${namespace}`;
      return `would make ${kind} "${name}"${where}, again for each run`;
    }),
    'would let the target write in these namespaces, and make custom resources of these definitions outside of namespaces; each is deleted after its run',
    ...writes.map((text) => `would let the target make ${text.replace('=', ' ')} outside of namespaces, as you allow`),
    'would answer 403 to any other write of the target, to reads in other namespaces and to impersonation, and send none of them',
  ];
}

/** Returns the line for one object of the manifests; none for a Namespace. */
function shippedLine(
  object: KubeObject,
  prefix: string,
  namespaces: readonly string[],
  writes: readonly string[],
): readonly string[] {
  const {
    kind,
    metadata: { name = '', namespace = '' },
  } = object;
  if (kind === 'Namespace') return [];
  const isForOthers =
    othersBoundBy(object, (one) => namespaces.includes(one)).length > 0 &&
    !allowsWrite(writes, 'clusterrolebindings.rbac.authorization.k8s.io', name);
  if (isForOthers || kind.endsWith('WebhookConfiguration')) return [`would skip ${kind} "${name}" of the manifests`];
  if (kind.startsWith('ClusterRole')) return [`would make ${kind} "${prefix}${name}", and delete it at the end`];
  return [`would make ${kind} "${name}" in ${prefix}${namespace}, and delete it at the end`];
}

async function definitions(remote: RemoteOptions, crds: readonly KubeObject[]): Promise<readonly string[]> {
  const upstream = remoteUpstream(new RemoteServer(remote));
  try {
    return await Promise.all(
      crds.map(async (crd) => {
        const name = crd.metadata.name ?? '';
        const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
        const { code, body } = await ask(upstream, 'GET', path);
        if (code !== 200) return `would make the definition ${name}, and delete it at the end`;
        const [difference] = differenceOf(crd, body as unknown as KubeObject);
        return difference ?? `would use the definition ${name}, which exists and is identical`;
      }),
    );
  } finally {
    upstream.close();
  }
}
