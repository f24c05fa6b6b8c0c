/**
 * The workload controllers: what stands between an API server and pods that run, without containers.
 *
 * Owns: which controller looks at which object when. Deployments, ReplicaSets, StatefulSets, Jobs, pods, claims, disruption budgets,
 * aggregated cluster roles, and what every namespace gets (service account `default`, config map `kube-root-ca.crt`). Left out: DaemonSets, CronJobs,
 * ReplicationControllers, endpoints, autoscalers, quotas. Start at {@link Workloads.onChange}.
 */
import type { ObservedChange } from '../../../gate/recorder.ts';
import { controllerOf, type KubeObject } from '../../../model/object.ts';
import type { Upstream } from '../../../wire/http.ts';
import { sender, type Kinds } from '../requests.ts';
import { WorkQueue, type WorkResult } from '../work-queue.ts';
import { Api } from './api.ts';
import { CLUSTER_ROLES, reconcileClusterRole } from './cluster-role.ts';
import { reconcileDeployment } from './deployment.ts';
import { reconcileBudget } from './disruption-budget.ts';
import { reconcileJob } from './job.ts';
import { node, NODE_NAME, reconcilePod } from './kubelet.ts';
import { reconcileReplicaSet } from './replica-set.ts';
import { reconcileStatefulSet } from './stateful-set.ts';
import { keyOf, View } from './view.ts';
import { reconcileClaim } from './volume-claim.ts';

export interface WorkloadsOptions {
  readonly upstream: Upstream;
  readonly kinds: Pick<Kinds, 'kindFor'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The certificate that pods are to trust, for `kube-root-ca.crt`. */
  readonly caPem?: string;
}

type Reconcile = (api: Api, view: View, object: KubeObject) => Promise<WorkResult>;

const RECONCILERS: { readonly [resource: string]: Reconcile } = {
  pods: (api, _, pod) => reconcilePod(api, pod),
  persistentvolumeclaims: reconcileClaim,
  'replicasets.apps': reconcileReplicaSet,
  'deployments.apps': reconcileDeployment,
  'statefulsets.apps': reconcileStatefulSet,
  'jobs.batch': reconcileJob,
  'poddisruptionbudgets.policy': reconcileBudget,
  [CLUSTER_ROLES]: reconcileClusterRole,
};

const RESOURCE_OF: { readonly [kind: string]: string } = {
  ReplicaSet: 'replicasets.apps',
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  Job: 'jobs.batch',
};

export class Workloads {
  readonly actor = 'workloads';
  readonly #api: Api;
  readonly #caPem: string;
  readonly #view = new View();
  readonly #queue = new WorkQueue((item) => this.#attempt(item));

  constructor({ upstream, kinds, now, caPem = '' }: WorkloadsOptions) {
    this.#api = new Api(sender(upstream, this.actor), kinds, now);
    this.#caPem = caPem;
    this.#queue.add(`nodes ${keyOf('', NODE_NAME)}`);
  }

  /** Learns of a change, in the order of commits, and queues whoever it concerns. */
  onChange(change: ObservedChange): void {
    const { type, resource, namespace, name, object } = change;
    if (resource !== 'namespaces' && resource !== 'persistentvolumes' && RECONCILERS[resource] === undefined) return;
    this.#view.learn(change);
    if (type !== 'DELETED') this.#queue.add(`${resource} ${keyOf(namespace, name)}`);
    const owner = controllerOf(object);
    const owning = owner === undefined ? undefined : RESOURCE_OF[owner.kind];
    if (owner !== undefined && owning !== undefined) this.#queue.add(`${owning} ${keyOf(namespace, owner.name)}`);
    // A role may be part of any aggregated one.
    if (resource === CLUSTER_ROLES)
      for (const role of this.#view.all(CLUSTER_ROLES))
        if (role['aggregationRule'] !== undefined)
          this.#queue.add(`${CLUSTER_ROLES} ${keyOf('', role.metadata.name ?? '')}`);
    if (resource === 'pods')
      for (const budget of this.#view.in('poddisruptionbudgets.policy', namespace))
        this.#queue.add(`poddisruptionbudgets.policy ${keyOf(namespace, budget.metadata.name ?? '')}`);
  }

  async #attempt(item: string): Promise<WorkResult> {
    const [resource = '', key = ''] = item.split(' ');
    if (resource === 'nodes') return this.#api.create(node(this.#api.timestamp()), '');
    const object = this.#view.get(resource, key);
    if (object === undefined) return 'done';
    if (resource === 'namespaces') return this.#furnish(object);
    return RECONCILERS[resource]?.(this.#api, this.#view, object) ?? 'done';
  }

  /** What every namespace gets. */
  async #furnish({ metadata }: KubeObject): Promise<WorkResult> {
    const { name = '', deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return 'done';
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } };
    if ((await this.#api.create(account, name)) === 'again') return 'again';
    const trusted = { name: 'kube-root-ca.crt', namespace: name };
    return this.#api.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: trusted, data: { 'ca.crt': this.#caPem } },
      name,
    );
  }
}

/** Workload controllers that act through `upstream` on the changes that they are told of. */
export function createWorkloads(options: WorkloadsOptions): Workloads {
  return new Workloads(options);
}
