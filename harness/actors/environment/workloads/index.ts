/**
 * The workload controllers: from workloads in an API server to running pods, without containers.
 *
 * Owns: which controller processes which object when. Deployments, ReplicaSets, StatefulSets, Jobs, pods, claims, disruption budgets,
 * aggregated cluster roles, and the objects of every namespace (service account `default`, config map `kube-root-ca.crt`). Left out:
 * DaemonSets, CronJobs, ReplicationControllers, endpoints, autoscalers, quotas. Start at {@link Workloads.onChange}.
 */
import { controllerOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { roleOf, WORKLOADS, type ActorId } from '../../../model/actor.ts';
import type { ObservedChange } from '../../../gate/recorder.ts';
import { CLAIMS } from '../claims-of.ts';
import { sender, type Kinds } from '../requests.ts';
import { WorkQueue, type WorkResult } from '../work-queue.ts';
import { Api } from './api.ts';
import { CLUSTER_ROLES, reconcileClusterRole } from './cluster-role.ts';
import { reconcileDeployment } from './deployment.ts';
import { reconcileBudget } from './disruption-budget.ts';
import { reconcileJob } from './job.ts';
import { isOnNode, nextOfPod, node, NODE_NAME, reconcileNode, reconcilePod, unschedulable } from './kubelet.ts';
import { reconcileBalanced } from './load-balancer.ts';
import { LostClaims } from './lost-claims.ts';
import { ReadinessDelays, type PaceOptions } from './pace.ts';
import { reconcileReplicaSet } from './replica-set.ts';
import { reconcileStatefulSet } from './stateful-set.ts';
import { THIN } from './thin.ts';
import { keyOf, View } from './view.ts';
import { reconcileClaim, reconcileVolume, volumeOf } from './volume-claim.ts';

export interface WorkloadsOptions {
  readonly upstream: Upstream;
  readonly kinds: Pick<Kinds, 'kindFor'>;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  /** The CA certificate for pods, in `kube-root-ca.crt`. */
  readonly caPem?: string;
  /** For a run: which objects are managed, and how long their steps take. If absent, all objects are managed, without delay. */
  readonly trial?: TrialRules;
}

/** The rules of the controllers during a run. */
export interface TrialRules extends PaceOptions {
  /** Reports whether an object of this kind, created by `actor`, is managed; dependents of managed objects always are. */
  readonly tends: (resource: string, actor: ActorId) => boolean;
  /** Reports whether objects of this kind are the target's work: these controllers see them, but do not reconcile them. */
  readonly isLeftToTarget: (resource: string) => boolean;
  /** Reports whether any client reads the objects below workloads; if not, only the workload's status is updated. */
  readonly readsPods: () => boolean;
}

type Reconcile = (api: Api, view: View, object: KubeObject) => Promise<WorkResult>;

const RECONCILERS: { readonly [resource: string]: Reconcile } = {
  pods: (api, _, pod) => reconcilePod(api, pod),
  [CLAIMS]: reconcileClaim,
  persistentvolumes: reconcileVolume,
  'replicasets.apps': reconcileReplicaSet,
  'deployments.apps': reconcileDeployment,
  'statefulsets.apps': reconcileStatefulSet,
  'jobs.batch': reconcileJob,
  'poddisruptionbudgets.policy': reconcileBudget,
  [CLUSTER_ROLES]: reconcileClusterRole,
};

/** Reconcilers whose results are reported after a delay, in addition to the reconciler of pods. */
const DELAYED: { readonly [resource: string]: Reconcile } = {
  [CLAIMS]: reconcileClaim,
  services: (api, _, service) => reconcileBalanced(api, service),
  'ingresses.networking.k8s.io': (api, _, ingress) => reconcileBalanced(api, ingress),
};

const NODE_KEY = keyOf('', NODE_NAME);
const NODE = `nodes ${NODE_KEY}`;
const NODE_STATUS = `nodes ${NODE_KEY} status`;

const RESOURCE_OF: { readonly [kind: string]: string } = {
  ReplicaSet: 'replicasets.apps',
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  Job: 'jobs.batch',
};

/** The kinds that adopt objects of a kind without a controller. */
const ADOPTERS: { readonly [resource: string]: readonly string[] } = {
  pods: ['replicasets.apps', 'statefulsets.apps'],
  'replicasets.apps': ['deployments.apps'],
};

export class Workloads {
  readonly actor: ActorId = WORKLOADS;
  readonly #api: Api;
  readonly #caPem: string;
  readonly #rules: TrialRules | undefined;
  readonly #pace: ReadinessDelays | undefined;
  /** Uids of the managed objects of a run, and their kinds and names, which an object that replaces one of them has too. */
  readonly #managed = new Set<string>();
  readonly #managedNames = new Set<string>();
  readonly #lostClaims = new LostClaims();
  readonly #view = new View();
  readonly #queue = new WorkQueue((item) => this.#attempt(item));

  constructor({ upstream, kinds, now, caPem = '', trial }: WorkloadsOptions) {
    this.#api = new Api(sender(upstream, this.actor), kinds, now);
    this.#caPem = caPem;
    this.#rules = trial;
    this.#pace = trial === undefined ? undefined : new ReadinessDelays(trial);
    if (trial === undefined) this.#queue.add(NODE);
  }

  /** Processes a change, in commit order, and queues the objects that it concerns. */
  onChange(change: ObservedChange, actor: ActorId = ''): void {
    const { type, resource, namespace, name, object } = change;
    // A copy of another run's state has its bound pods, and not their node.
    const isBound = resource === 'pods' && type === 'ADDED' && isOnNode(object);
    if (isBound && this.#view.get('nodes', NODE_KEY) === undefined) this.#queue.add(NODE);
    if (resource === CLAIMS) this.#learnOfClaim(change, actor);
    if (this.#rules !== undefined && !this.#manages(this.#rules, change, actor)) return;
    const known =
      RECONCILERS[resource] ?? (this.#rules === undefined ? undefined : (DELAYED[resource] ?? THIN[resource]));
    if (resource !== 'namespaces' && resource !== 'nodes' && known === undefined) return;
    this.#view.learn(change);
    // The volume of a claim that is gone is released.
    if (type === 'DELETED' && resource === CLAIMS) this.#queue.add(`persistentvolumes ${keyOf('', volumeOf(object))}`);
    if (type !== 'DELETED' && resource !== 'nodes') this.#queue.add(`${resource} ${keyOf(namespace, name)}`);
    if (type !== 'DELETED' && resource === 'nodes' && name === NODE_NAME) this.#queue.add(NODE_STATUS);
    const owner = controllerOf(object);
    const owning = owner === undefined ? undefined : RESOURCE_OF[owner.kind];
    if (owner !== undefined && owning !== undefined) this.#queue.add(`${owning} ${keyOf(namespace, owner.name)}`);
    if (owner === undefined && type !== 'DELETED')
      for (const adopter of ADOPTERS[resource] ?? [])
        for (const { metadata } of this.#view.in(adopter, namespace))
          this.#queue.add(`${adopter} ${keyOf(namespace, metadata.name ?? '')}`);
    // Any aggregated role may select this role.
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
    if (this.#rules?.isLeftToTarget(resource) === true) return 'done';
    if (item === NODE) return this.#api.create(node(this.#api.timestamp()), '');
    if (item === NODE_STATUS) return this.#reportNode(item);
    const object = this.#view.get(resource, key);
    if (object === undefined) return 'done';
    const reason = resource === 'pods' ? this.#lostClaims.reasonToWait(object) : undefined;
    if (reason !== undefined && nextOfPod(object) === 'bind')
      return this.#api.report(object, unschedulable(object, reason, this.#api.timestamp()));
    if (this.#rules !== undefined && this.#pace !== undefined)
      return this.#attemptInRun(this.#rules, this.#pace, resource, object, item);
    if (resource === 'namespaces') return this.#createDefaults(object);
    return RECONCILERS[resource]?.(this.#api, this.#view, object) ?? 'done';
  }

  #learnOfClaim(change: ObservedChange, actor: ActorId): void {
    const isByController = this.#rules === undefined || actor === this.actor || roleOf(actor) === 'target';
    if (!this.#lostClaims.learn(change, isByController)) return;
    for (const { metadata } of this.#view.in('pods', change.namespace))
      this.#queue.add(`pods ${keyOf(change.namespace, metadata.name ?? '')}`);
  }

  /**
   * Updates the node's status, in a run after the delay of a kubelet: without a delay, the controllers and a target that sets the same
   * fields would overwrite each other endlessly.
   */
  #reportNode(item: string): WorkResult | Promise<WorkResult> {
    const live = this.#view.get('nodes', NODE_KEY);
    if (live === undefined) return 'done';
    const { uid = '', resourceVersion = '' } = live.metadata;
    const isDue = this.#pace?.has(`nodes status ${uid} ${resourceVersion}`, () => this.#queue.add(item)) ?? true;
    return isDue ? reconcileNode(this.#api, live) : 'done';
  }

  /**
   * Reports whether a change is about an object that is managed in this run. An object that replaces a managed one under its name is managed
   * as well, and so is every terminating pod on the node: a kubelet ends all pods of its node.
   */
  #manages({ tends }: TrialRules, change: ObservedChange, actor: ActorId): boolean {
    const { type, resource, namespace, name, uid, object } = change;
    if (this.#managed.has(uid)) return true;
    const owner = controllerOf(object)?.uid;
    const dependent = actor === this.actor || (owner !== undefined && this.#managed.has(owner));
    const named = `${resource} ${keyOf(namespace, name)}`;
    const isNew = type === 'ADDED' && (dependent || this.#managedNames.has(named) || tends(resource, actor));
    const isEnding = resource === 'pods' && type !== 'DELETED' && isOnNode(object) && nextOfPod(object) === 'stop';
    if (!isNew && !isEnding) return false;
    this.#managed.add(uid);
    if (isNew) this.#managedNames.add(named);
    return true;
  }

  /** Executes one step for an object, once the duration of the step has passed. */
  async #attemptInRun(
    rules: TrialRules,
    pace: ReadinessDelays,
    resource: string,
    object: KubeObject,
    item: string,
  ): Promise<WorkResult> {
    const { uid = '', generation = 0, deletionTimestamp } = object.metadata;
    const elapsed = (step: string): boolean => pace.has(`${resource} ${step} ${uid}`, () => this.#queue.add(item));
    if (resource === 'pods') {
      const next = nextOfPod(object);
      if (next === 'bind' && this.#view.get('nodes', NODE_KEY) === undefined) await this.#attempt(NODE);
      if (next === 'start' || next === 'finish' || next === 'stop')
        return elapsed(next) ? this.#reconcile(resource, object) : 'done';
      return this.#reconcile(resource, object);
    }
    const whole = rules.readsPods() && RECONCILERS[resource] !== undefined;
    const thin = whole ? undefined : THIN[resource];
    if (thin !== undefined) {
      if (deletionTimestamp !== undefined || !elapsed(`ready ${generation}`)) return 'done';
      return thin(this.#api, object);
    }
    const delayed = DELAYED[resource];
    if (delayed === undefined) return this.#reconcile(resource, object);
    return elapsed('ready') ? delayed(this.#api, this.#view, object) : 'done';
  }

  async #reconcile(resource: string, object: KubeObject): Promise<WorkResult> {
    return RECONCILERS[resource]?.(this.#api, this.#view, object) ?? 'done';
  }

  /** Creates the objects of every namespace. */
  async #createDefaults({ metadata }: KubeObject): Promise<WorkResult> {
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

/** Creates workload controllers that act through `upstream` on the changes passed to them. */
export function createWorkloads(options: WorkloadsOptions): Workloads {
  return new Workloads(options);
}
