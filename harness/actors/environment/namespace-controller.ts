/**
 * The namespace controller: empties a terminating namespace, then finalizes it.
 *
 * Owns: which kinds of a namespace may still have objects. Without this controller a deleted namespace stays terminating for ever, as on a
 * bare API server.
 */
import { groupResource, type JsonObject, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { collectionPath, objectPath } from 'stalemate-apiserver/wire/path';
import type { ObservedChange } from '../../gate/recorder.ts';
import { sender, toTry } from './requests.ts';
import type { Kinds, Send } from './requests.ts';
import { WorkQueue } from './work-queue.ts';
import type { WorkResult } from './work-queue.ts';

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const FINALIZER = 'kubernetes';

export interface NamespaceControllerOptions {
  readonly upstream: Upstream;
  readonly kinds: Pick<Kinds, 'resourceKinds'>;
}

class NamespaceController {
  readonly actor = 'namespaces';
  readonly #send: Send;
  readonly #kinds: Pick<Kinds, 'resourceKinds'>;
  readonly #queue = new WorkQueue((name) => this.#empty(name));
  /** Terminating namespaces, each with the kinds that may still have objects there. Nothing new can be created in such a namespace. */
  readonly #terminating = new Map<string, Map<string, ResourceKind>>();

  constructor({ upstream, kinds }: NamespaceControllerOptions) {
    this.#send = sender(upstream, this.actor);
    this.#kinds = kinds;
  }

  /** Processes a change, in commit order. */
  onChange({ type, resource, namespace, name, object }: ObservedChange): void {
    if (resource !== 'namespaces') {
      if (type === 'DELETED' && this.#terminating.has(namespace)) this.#queue.add(namespace);
      return;
    }
    if (type === 'DELETED') this.#terminating.delete(name);
    else if (object.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes(FINALIZER)) {
      if (!this.#terminating.has(name)) this.#terminating.set(name, this.#namespacedKinds());
      this.#queue.add(name);
    }
  }

  /** Returns one version of each namespaced kind. */
  #namespacedKinds(): Map<string, ResourceKind> {
    const kinds = new Map<string, ResourceKind>();
    for (const kind of this.#kinds.resourceKinds()) {
      const key = groupResource(kind);
      if (kind.namespaced && !kinds.has(key)) kinds.set(key, kind);
    }
    return kinds;
  }

  async #empty(name: string): Promise<WorkResult> {
    const kinds = this.#terminating.get(name);
    if (kinds === undefined) return 'done';
    for (const [key, kind] of kinds) {
      const path = collectionPath(kind, name);
      let left = await this.#objectsAt(path);
      if (left !== undefined && left.some((object) => object.metadata.deletionTimestamp === undefined)) {
        if (toTry(await this.#send('DELETE', path)) === 'again') return 'again';
        left = await this.#objectsAt(path);
      }
      if (left === undefined) return 'again';
      if (left.length === 0) kinds.delete(key);
    }
    // All remaining objects have finalizers: the next deletion in the namespace queues it again.
    return kinds.size > 0 ? 'done' : this.#finalize(name);
  }

  /** Lists a collection; undefined if the request failed and should be retried. Kinds that cannot be listed have no objects. */
  async #objectsAt(path: string): Promise<readonly KubeObject[] | undefined> {
    const answer = await this.#send('GET', path);
    if (answer.code === 200) return (answer.body as { readonly items?: readonly KubeObject[] }).items ?? [];
    return toTry(answer) === 'again' ? undefined : [];
  }

  async #finalize(name: string): Promise<WorkResult> {
    const path = objectPath(NAMESPACES, '', name);
    const answer = await this.#send('GET', path);
    if (answer.code !== 200) return toTry(answer);
    const namespace = answer.body as KubeObject;
    const spec = { ...(namespace['spec'] as JsonObject), finalizers: [] };
    return toTry(await this.#send('PUT', `${path}/finalize`, { ...namespace, spec }));
  }
}

function finalizersOf(namespace: KubeObject): readonly string[] {
  return (namespace['spec'] as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
}

/** Creates a namespace controller that acts through `upstream` on the changes passed to it. */
export function createNamespaceController(options: NamespaceControllerOptions): NamespaceController {
  return new NamespaceController(options);
}
