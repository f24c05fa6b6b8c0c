/**
 * Optional parts behind the API server of a control plane, and the flags that connect them to it.
 *
 * Owns: flags. None of the parts listens on a port. Does not own: the binaries (`binaries.ts`). Start at {@link partsOf}.
 */
import type { PartProgram } from './binaries.ts';
import type { ControlPlaneOptions } from './options.ts';

/** Returns the programs, in start order. */
export function partsOf({
  controllerManager = false,
  kwok = false,
}: Pick<ControlPlaneOptions, 'controllerManager' | 'kwok'>): readonly PartProgram[] {
  return [
    ...(controllerManager ? (['kube-controller-manager'] as const) : []),
    ...(kwok ? (['kube-scheduler', 'kwok'] as const) : []),
  ];
}

/** Raises the client-side rate limit: the default of 20 requests a second would cost seconds per run. */
const UNHINDERED = ['--kube-api-qps=500', '--kube-api-burst=1000'];

export interface PartFiles {
  readonly kubeconfig: string;
  readonly serviceAccountKey: string;
  readonly clientCa: string;
  /** kwok's configuration. */
  readonly stages: string;
}

export function partFlags({ kubeconfig, serviceAccountKey, clientCa, stages }: PartFiles): {
  readonly [part in PartProgram]: readonly string[];
} {
  const own = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', ...UNHINDERED];
  return {
    'kube-controller-manager': [
      ...own,
      `--service-account-private-key-file=${serviceAccountKey}`,
      `--root-ca-file=${clientCa}`,
      '--use-service-account-credentials=false',
    ],
    'kube-scheduler': own,
    kwok: [
      `--kubeconfig=${kubeconfig}`,
      `--config=${stages}`,
      '--manage-all-nodes=true',
      '--cidr=10.1.0.0/16',
      '--node-lease-duration-seconds=40',
      '--server-address=',
    ],
  };
}
