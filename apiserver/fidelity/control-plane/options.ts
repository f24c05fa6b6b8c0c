/** Options of a control plane. */
import type { UserInfo } from '../../wire/http.ts';
import type { ControlPlaneBinaries } from './binaries.ts';

export interface ControlPlaneOptions {
  /** Default: the result of {@link findControlPlane}. */
  readonly binaries?: ControlPlaneBinaries;
  /** Runs kube-controller-manager too: garbage collection, namespace deletion, workloads. */
  readonly controllerManager?: boolean;
  /** Runs kwok and kube-scheduler too: pods run, without containers, on fake nodes. */
  readonly kwok?: boolean;
  /** `--authorization-mode`, default AlwaysAllow. */
  readonly authorization?: 'AlwaysAllow' | 'RBAC';
  readonly featureGates?: { readonly [name: string]: boolean };
  /** Extra flags of kube-apiserver; they replace default flags of the same name. */
  readonly apiserverArgs?: readonly string[];
  readonly etcdArgs?: readonly string[];
  /** Extra flags of kube-controller-manager; they replace default flags of the same name. */
  readonly managerArgs?: readonly string[];
  /** Bearer tokens in addition to the administrator's. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** How long to wait until everything is ready. */
  readonly timeoutMs?: number;
}
