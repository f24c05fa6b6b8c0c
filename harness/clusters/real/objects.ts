/**
 * Objects of a real server, read and changed by plain requests of the harness's own, past the gate.
 *
 * Owns: the requests. What the server refuses is no error here: whoever asked looks again. Start at {@link Objects}.
 */
import { HarnessError } from '../../model/errors.ts';
import { apiVersionOf, type JsonObject, type KubeObject, type ResourceKind } from '../../model/object.ts';
import { call } from '../../wire/call.ts';
import type { ApiRequest, ApiResponse, Method, Upstream } from '../../wire/http.ts';
import { collectionPath, objectPath } from '../../wire/path.ts';

export interface Listing {
  readonly kind: ResourceKind;
  readonly items: readonly KubeObject[];
  readonly revision: number;
}

/** A part of a collection. */
export interface Place {
  readonly namespace?: string;
  readonly name?: string;
}

const AGENT = 'stalemate';

export class Objects {
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** All of a kind, as it is now; nothing of a kind that is not served. */
  async list(kind: ResourceKind, places: readonly Place[]): Promise<Listing> {
    const parts = await Promise.all(places.map((place) => this.#part(kind, place)));
    return {
      kind,
      items: parts.flatMap(({ items }) => items),
      revision: Math.max(0, ...parts.map(({ revision }) => revision)),
    };
  }

  async #part(kind: ResourceKind, { namespace = '', name }: Place): Promise<Omit<Listing, 'kind'>> {
    const path = collectionPath(kind, namespace);
    const query = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
    const { code, body } = await this.#ask('GET', path, undefined, query);
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
    return objectOf(await this.#ask('GET', objectPath(kind, metadata.namespace ?? '', metadata.name ?? '')));
  }

  /** The last version of what it made, its status included. */
  async create(kind: ResourceKind, object: KubeObject, hasStatus: boolean): Promise<KubeObject | undefined> {
    const made = objectOf(await this.#ask('POST', collectionPath(kind, object.metadata.namespace ?? ''), object));
    if (made === undefined || !hasStatus || object['status'] === undefined) return made;
    const { resourceVersion = '' } = made.metadata;
    return (await this.#put(kind, versioned(object, resourceVersion), 'status')) ?? made;
  }

  /** Gives `now` the content of `wanted`; whether the server took it, or somebody came between. */
  async update(kind: ResourceKind, wanted: KubeObject, now: KubeObject, hasStatus: boolean): Promise<boolean> {
    const { uid = '', resourceVersion = '' } = now.metadata;
    const body = versioned(wanted, resourceVersion);
    const given = { ...body, metadata: { ...body.metadata, uid } };
    const path = objectPath(kind, wanted.metadata.namespace ?? '', wanted.metadata.name ?? '');
    const answer = await this.#ask('PUT', path, given);
    const updated = objectOf(answer);
    if (updated === undefined) return answer.code === 409 || answer.code === 404;
    if (hasStatus && wanted['status'] !== undefined)
      await this.#put(kind, versioned(given, updated.metadata.resourceVersion ?? ''), 'status');
    return true;
  }

  async remove(kind: ResourceKind, { metadata }: KubeObject): Promise<void> {
    const path = objectPath(kind, metadata.namespace ?? '', metadata.name ?? '');
    const options = { gracePeriodSeconds: 0, propagationPolicy: 'Background' };
    await this.#ask('DELETE', path, {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...options,
      ...(metadata.uid === undefined ? {} : { preconditions: { uid: metadata.uid } }),
    });
  }

  async withoutFinalizers(kind: ResourceKind, { metadata }: KubeObject): Promise<void> {
    const path = objectPath(kind, metadata.namespace ?? '', metadata.name ?? '');
    const { uid = '' } = metadata;
    await this.#ask('PATCH', path, { metadata: { uid, finalizers: null } });
  }

  /** As the namespace controller does once a namespace is empty. */
  async finalizeNamespace(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${encodeURIComponent(name)}`;
    const now = objectOf(await this.#ask('GET', path));
    if (now?.metadata.deletionTimestamp === undefined) return;
    await this.#ask('PUT', `${path}/finalize`, { ...now, spec: { finalizers: [] } });
  }

  async #put(kind: ResourceKind, object: KubeObject, subresource: string): Promise<KubeObject | undefined> {
    const { namespace = '', name = '' } = object.metadata;
    return objectOf(await this.#ask('PUT', objectPath(kind, namespace, name, subresource), object));
  }

  #ask(method: Method, path: string, body?: JsonObject, query: ApiRequest['query'] = {}): Promise<ApiResponse> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': type, 'user-agent': AGENT };
    return call(this.#upstream, { method, path, query, headers, ...(body === undefined ? {} : { body }) });
  }
}

function objectOf({ code, body }: ApiResponse): KubeObject | undefined {
  return code < 300 ? (body as KubeObject) : undefined;
}

/** Managed fields are left to the server: it would take ours for a claim to own them. */
function versioned({ metadata, ...rest }: KubeObject, resourceVersion: string): KubeObject {
  const { managedFields: _, ...kept } = metadata;
  return { ...rest, metadata: { ...kept, resourceVersion } };
}
