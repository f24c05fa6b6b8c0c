/**
 * Reads and changes objects of a real server with requests of the harness itself, bypassing the gate.
 *
 * Owns: the requests. A rejected write is not an error here; the caller reads again. Start at {@link Objects}.
 */
import { apiVersionOf, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import type { ApiResponse, Upstream } from 'stalemate-apiserver/wire/http';
import { collectionPath, objectPath } from 'stalemate-apiserver/wire/path';
import { HarnessError } from '../../model/errors.ts';
import { ask } from './own-requests.ts';

export interface Listing {
  readonly kind: ResourceKind;
  readonly items: readonly KubeObject[];
  readonly revision: number;
}

/** A part of a collection. */
export interface ListScope {
  readonly namespace?: string;
  readonly name?: string;
}

export class Objects {
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** Lists all objects of a kind from etcd; nothing for a kind that is not served. */
  async list(kind: ResourceKind, places: readonly ListScope[]): Promise<Listing> {
    const parts = await Promise.all(places.map((place) => this.#part(kind, place)));
    return {
      kind,
      items: parts.flatMap(({ items }) => items),
      revision: Math.max(0, ...parts.map(({ revision }) => revision)),
    };
  }

  async #part(kind: ResourceKind, { namespace = '', name }: ListScope): Promise<Omit<Listing, 'kind'>> {
    const path = collectionPath(kind, namespace);
    const query = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
    const { code, body } = await ask(this.#upstream, 'GET', path, undefined, query);
    if (code !== 200 && code !== 404 && code !== 405)
      throw new HarnessError('CLUSTER_UNAVAILABLE', `the API server answered ${code} to GET ${path}, expected 200`);
    const { items = [], metadata } = (code === 200 ? body : {}) as {
      readonly items?: readonly KubeObject[];
      readonly metadata?: { readonly resourceVersion?: string };
    };
    const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    return { items: items.map((item) => ({ ...type, ...item })), revision: Number(metadata?.resourceVersion ?? 0) };
  }

  async get(kind: ResourceKind, { metadata }: KubeObject): Promise<KubeObject | undefined> {
    return objectOf(await ask(this.#upstream, 'GET', objectPath(kind, metadata.namespace ?? '', metadata.name ?? '')));
  }

  /** Creates an object with its status; resolves with its last version. */
  async create(kind: ResourceKind, object: KubeObject, hasStatus: boolean): Promise<KubeObject | undefined> {
    const made = objectOf(
      await ask(this.#upstream, 'POST', collectionPath(kind, object.metadata.namespace ?? ''), object),
    );
    if (made === undefined || !hasStatus || object['status'] === undefined) return made;
    const { resourceVersion = '' } = made.metadata;
    return (await this.#put(kind, versioned(object, resourceVersion), 'status')) ?? made;
  }

  /**
   * Gives `now` the content of `wanted`. Resolves with false if the server rejects the content, but with true if the object is gone or
   * another write came first (404, 409).
   */
  async update(kind: ResourceKind, wanted: KubeObject, now: KubeObject, hasStatus: boolean): Promise<boolean> {
    const { uid = '', resourceVersion = '' } = now.metadata;
    const body = versioned(wanted, resourceVersion);
    const given = { ...body, metadata: { ...body.metadata, uid } };
    const path = objectPath(kind, wanted.metadata.namespace ?? '', wanted.metadata.name ?? '');
    const answer = await ask(this.#upstream, 'PUT', path, given);
    const updated = objectOf(answer);
    if (updated === undefined) return answer.code === 409 || answer.code === 404;
    if (hasStatus && wanted['status'] !== undefined)
      await this.#put(kind, versioned(given, updated.metadata.resourceVersion ?? ''), 'status');
    return true;
  }

  async remove(kind: ResourceKind, { metadata }: KubeObject): Promise<void> {
    const path = objectPath(kind, metadata.namespace ?? '', metadata.name ?? '');
    const options = { gracePeriodSeconds: 0, propagationPolicy: 'Background' };
    await ask(this.#upstream, 'DELETE', path, {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...options,
      ...(metadata.uid === undefined ? {} : { preconditions: { uid: metadata.uid } }),
    });
  }

  async withoutFinalizers(kind: ResourceKind, { metadata }: KubeObject): Promise<void> {
    const path = objectPath(kind, metadata.namespace ?? '', metadata.name ?? '');
    const { uid = '' } = metadata;
    await ask(this.#upstream, 'PATCH', path, { metadata: { uid, finalizers: null } });
  }

  /** Finalizes a namespace, as the namespace controller does once it is empty. */
  async finalizeNamespace(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${encodeURIComponent(name)}`;
    const now = objectOf(await ask(this.#upstream, 'GET', path));
    if (now?.metadata.deletionTimestamp === undefined) return;
    await ask(this.#upstream, 'PUT', `${path}/finalize`, { ...now, spec: { finalizers: [] } });
  }

  async #put(kind: ResourceKind, object: KubeObject, subresource: string): Promise<KubeObject | undefined> {
    const { namespace = '', name = '' } = object.metadata;
    return objectOf(await ask(this.#upstream, 'PUT', objectPath(kind, namespace, name, subresource), object));
  }
}

function objectOf({ code, body }: ApiResponse): KubeObject | undefined {
  return code < 300 ? (body as KubeObject) : undefined;
}

/** Returns the object with a resourceVersion and without managed fields, which the server would read as a claim to ownership. */
function versioned({ metadata, ...rest }: KubeObject, resourceVersion: string): KubeObject {
  const { managedFields: _, ...kept } = metadata;
  return { ...rest, metadata: { ...kept, resourceVersion } };
}
