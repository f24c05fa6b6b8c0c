/** How a control plane is started. */
import type { UserInfo } from '../../wire/http.ts';
import type { ControlPlaneBinaries } from './binaries.ts';

export interface ControlPlaneOptions {
  /** Default: what {@link findControlPlane} finds. */
  readonly binaries?: ControlPlaneBinaries;
  /** Runs kube-controller-manager too: garbage collection, namespace deletion, workloads. */
  readonly controllerManager?: boolean;
  /** Runs kwok and kube-scheduler too: pods run, without containers, on nodes that are no machines. */
  readonly kwok?: boolean;
  /** `--authorization-mode`, default AlwaysAllow. */
  readonly authorization?: 'AlwaysAllow' | 'RBAC';
  readonly featureGates?: { readonly [name: string]: boolean };
  /** Further flags; a flag given here replaces ours. */
  readonly apiserverArgs?: readonly string[];
  readonly etcdArgs?: readonly string[];
  /** Of kube-controller-manager, as `apiserverArgs`. */
  readonly managerArgs?: readonly string[];
  /** Bearer tokens beside the administrator's. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** How long all of it may take to be ready. */
  readonly timeoutMs?: number;
}
