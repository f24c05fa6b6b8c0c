/** The requests of the workload controllers, by object instead of path. */
import { timestampText } from 'stalemate-apiserver/objects/timestamps';
import type { JsonObject, JsonValue, KubeObject, OwnerReference } from 'stalemate-apiserver/objects/object';
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { collectionPath, objectPath } from 'stalemate-apiserver/wire/path';
import { toTry, type Kinds, type Send } from '../requests.ts';
import type { WorkResult } from '../work-queue.ts';

export class Api {
  readonly #send: Send;
  readonly #kinds: Pick<Kinds, 'kindFor'>;
  readonly #now: () => number;

  constructor(send: Send, kinds: Pick<Kinds, 'kindFor'>, now: () => number) {
    this.#send = send;
    this.#kinds = kinds;
    this.#now = now;
  }

  /** Returns the current time in RFC 3339 with whole seconds. */
  timestamp(): string {
    return timestampText(this.#now());
  }

  /** Creates an object; if it already exists, that counts as success. */
  async create(object: JsonObject & Pick<KubeObject, 'apiVersion' | 'kind'>, namespace: string): Promise<WorkResult> {
    const kind = this.#kinds.kindFor(object.apiVersion, object.kind);
    if (kind === undefined) return 'done';
    const { code, body } = await this.#send('POST', collectionPath(kind, namespace), object);
    const exists = code === 409 && (body as { readonly reason?: string }).reason === 'AlreadyExists';
    return exists ? 'done' : toTry({ code, body });
  }

  /** Sends a merge patch for the object, unless it has changed in the meantime. */
  async patch(object: KubeObject, change: JsonObject, subresource?: string): Promise<WorkResult> {
    const path = this.#path(object, subresource);
    if (path === undefined) return 'done';
    const { uid = '', resourceVersion = '' } = object.metadata;
    const metadata: JsonValue = { ...(change['metadata'] as JsonObject | undefined), uid, resourceVersion };
    return toTry(await this.#send('PATCH', path, { ...change, metadata }));
  }

  /** Sets status fields; sends nothing if they are already set. */
  async report(object: KubeObject, status: JsonObject): Promise<WorkResult> {
    const live = (object['status'] ?? {}) as JsonObject;
    const changed = Object.entries(status).filter(([key, value]) => !jsonEqual(live[key], value));
    // A real controller omits counts that are zero.
    const changes = changed.filter(([key, value]) => !(value === 0 && live[key] === undefined));
    if (changes.length === 0) return 'done';
    return this.patch(object, { status: Object.fromEntries(changes) }, 'status');
  }

  async delete(object: KubeObject, gracePeriodSeconds?: number): Promise<WorkResult> {
    const path = this.#path(object);
    if (path === undefined) return 'done';
    const { uid = '' } = object.metadata;
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    return toTry(
      await this.#send('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, ...grace }),
    );
  }

  async bind(pod: KubeObject, node: string): Promise<WorkResult> {
    const path = this.#path(pod, 'binding');
    if (path === undefined) return 'done';
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target };
    return toTry(await this.#send('POST', path, binding));
  }

  #path({ apiVersion, kind, metadata }: KubeObject, subresource?: string): string | undefined {
    const served = this.#kinds.kindFor(apiVersion, kind);
    if (served === undefined) return undefined;
    return objectPath(served, metadata.namespace ?? '', metadata.name ?? '', subresource);
  }
}

/** Returns the controller reference to `owner`. */
export function ownedBy(owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly [key: string]: JsonValue;
}

/** Returns the conditions with one of them set; its lastTransitionTime changes only if its status does. */
export function withCondition(object: KubeObject, condition: Condition, now: string): readonly JsonObject[] {
  return withConditions(object, [condition], now);
}

/** Returns the conditions with some of them set; those of other clients stay. */
export function withConditions(object: KubeObject, set: readonly Condition[], now: string): readonly JsonObject[] {
  const { conditions = [] } = (object['status'] ?? {}) as { readonly conditions?: readonly JsonObject[] };
  const updated = set.map((condition): JsonObject => {
    const before = conditions.find((one) => one['type'] === condition.type);
    const lastTransitionTime = before?.['status'] === condition.status ? (before['lastTransitionTime'] ?? now) : now;
    return { ...before, ...condition, lastTransitionTime };
  });
  const byType = new Map(updated.map((one) => [one['type'], one]));
  const kept = conditions.map((one) => byType.get(one['type']) ?? one);
  return [...kept, ...updated.filter((one) => !conditions.some((before) => before['type'] === one['type']))];
}
