/**
 * Removes the finalizers with which an API server protects volumes and claims that are in use: without this controller, a deleted claim
 * stays terminating for ever, as on a bare API server.
 *
 * Mirrors the pvc-protection and pv-protection controllers of Kubernetes: a claim is in use while a pod that is on a node names it, a
 * volume while it is bound. Sends no requests as long as no claim and no volume is deleted.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { objectPath } from 'stalemate-apiserver/wire/path';
import type { ObservedChange } from '../../gate/recorder.ts';
import { CLAIMS, claimsOf } from './claims-of.ts';
import { dropFinalizer, sender, type Send } from './requests.ts';
import { WorkQueue, type WorkResult } from './work-queue.ts';

const FINALIZERS: { readonly [resource: string]: string } = {
  [CLAIMS]: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
};

class StorageProtection {
  readonly actor = 'storage-protection';
  readonly #send: Send;
  readonly #except: ReadonlySet<string>;
  readonly #queue = new WorkQueue((key) => this.#attempt(key));
  /** Terminating claims and volumes by resource, namespace and name. */
  readonly #terminating = new Map<string, KubeObject>();
  /** The claims that each pod on a node uses, by the pod's uid. */
  readonly #used = new Map<string, readonly string[]>();

  constructor(upstream: Upstream, except: ReadonlySet<string>) {
    this.#send = sender(upstream, this.actor);
    this.#except = except;
  }

  /** Processes a change, in commit order, and queues the objects that it concerns. */
  onChange({ type, resource, namespace, name, uid, object }: ObservedChange): void {
    if (resource === 'pods') {
      const before = this.#used.get(uid) ?? [];
      const now = type === 'DELETED' ? [] : claimsUsedBy(object).map((claim) => keyOf(CLAIMS, namespace, claim));
      if (now.length === 0) this.#used.delete(uid);
      else this.#used.set(uid, now);
      for (const key of before) if (!now.includes(key) && this.#terminating.has(key)) this.#queue.add(key);
      return;
    }
    const finalizer = FINALIZERS[resource];
    if (finalizer === undefined || this.#except.has(resource)) return;
    const key = keyOf(resource, namespace, name);
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (type === 'DELETED' || deletionTimestamp === undefined || !finalizers.includes(finalizer)) {
      this.#terminating.delete(key);
      return;
    }
    this.#terminating.set(key, object);
    this.#queue.add(key);
  }

  async #attempt(key: string): Promise<WorkResult> {
    const object = this.#terminating.get(key);
    if (object === undefined || this.#isInUse(key, object)) return 'done';
    const [resource = ''] = key.split(' ');
    const { name = '', namespace = '' } = object.metadata;
    const path = objectPath({ group: '', version: 'v1', resource }, namespace, name);
    return dropFinalizer(this.#send, path, object, FINALIZERS[resource] ?? '');
  }

  #isInUse(key: string, object: KubeObject): boolean {
    if (!key.startsWith(`${CLAIMS} `)) return (object['status'] as JsonObject | undefined)?.['phase'] === 'Bound';
    return [...this.#used.values()].some((claims) => claims.includes(key));
  }
}

function keyOf(resource: string, namespace: string, name: string): string {
  return `${resource} ${namespace}/${name}`;
}

/** Returns the names of the claims that a pod on a node uses; those that are made for it only until it is shut down. */
function claimsUsedBy(pod: KubeObject): readonly string[] {
  const { nodeName = '' } = (pod.spec ?? {}) as { readonly nodeName?: string };
  if (nodeName === '') return [];
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const isShutDown = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  const { named, ephemeral } = claimsOf(pod);
  return isShutDown ? named : [...named, ...ephemeral];
}

/**
 * Creates a storage protection controller that acts through `upstream` on the changes passed to it.
 *
 * @param except - The resources that are left to the target.
 */
export function createStorageProtection(upstream: Upstream, except: ReadonlySet<string>): StorageProtection {
  return new StorageProtection(upstream, except);
}
