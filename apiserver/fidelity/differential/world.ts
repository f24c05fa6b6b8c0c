/**
 * One server's side of a sequence: its answers so far, which resolve roles such as "the current version of object a".
 *
 * Owns: turning an {@link Operation} into a request and its answer into a value that can be compared. Does not own: comparing. Start at
 * {@link World}.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { ApiClient, Ask, OpenStream, Reply } from './client.ts';
import { comparedKind, type ComparedKind } from './kinds.ts';
import { CLIENTS, METADATA, NAMES, SELECTORS, type Operation } from './operation.ts';
import {
  fieldSelector,
  jsonPatch,
  merged,
  metadataOf,
  nothingMatches,
  onePerKey,
  optionText,
  subresourceOf,
  typeOf,
  versionOf,
} from './request-parts.ts';
import { Symbols } from './symbols.ts';

/** The compared part of an answer. */
export type Outcome = JsonObject;

interface Seen {
  readonly versions: string[];
  readonly uids: string[];
  object: JsonObject | undefined;
}

export interface WatchSide {
  readonly kind: ComparedKind;
  readonly operation: Operation;
  readonly stream: OpenStream;
}

/** The events of a watch up to its sentinel, and whether the sentinel came. */
interface WatchedEvents {
  readonly events: OpenStream['events'];
  readonly came: boolean;
}

const PATCHES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

const WRONG_UID = '00000000-0000-4000-8000-000000000000';
const FUTURE = 1_000_000_000;
const SENTINEL_TIMEOUT_MS = 5000;
/** A label on all cluster-scoped objects, so that sequences do not interfere. */
const SEQUENCE_LABEL = 'sequence';

export class World {
  readonly watches: WatchSide[] = [];
  readonly #client: ApiClient;
  readonly #id: string;
  readonly #kinds: readonly ComparedKind[];
  readonly #symbols = new Symbols();
  readonly #seen = new Map<string, Seen>();
  #first = '';
  #latest = '';
  #next = '';

  /** `id` is unique among the sequences of a server, and the same on both servers. */
  constructor(client: ApiClient, id: string, kinds: readonly string[]) {
    this.#client = client;
    this.#id = id;
    this.#kinds = kinds.map(comparedKind);
  }

  async open(): Promise<void> {
    for (const space of [0, 1]) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#space(space) } };
      const { code, body: made } = await this.#client.request({ method: 'POST', path: '/api/v1/namespaces', body });
      if (code !== 201)
        throw new Error(`${this.#client.endpoint.name} answered ${code} to the creation of a namespace`);
      this.#first = versionOf(made) ?? this.#first;
      this.#symbols.of(made);
    }
    this.#latest = this.#first;
  }

  kindOf(operation: Operation): ComparedKind {
    const kind = this.#kinds[operation.kind % this.#kinds.length];
    if (kind === undefined) throw new TypeError('a sequence has at least one kind');
    return kind;
  }

  /** Sends an operation and returns the part of the answer that must be equal on both servers. */
  async step(operation: Operation): Promise<Outcome> {
    const ask = this.ask(operation);
    if (operation.verb === 'watch') {
      const stream = await this.#client.watch(ask);
      if (stream.reply.code === 200) this.watches.push({ kind: this.kindOf(operation), operation, stream });
      return this.#outcome(stream.reply, operation);
    }
    const reply = await this.#client.request(ask);
    this.#learn(operation, reply);
    return this.#outcome(reply, operation);
  }

  /** Returns the request as it would be sent at this point. */
  ask(operation: Operation): Ask {
    const kind = this.kindOf(operation);
    const { verb } = operation;
    const collection = verb === 'create' || verb === 'list' || verb === 'watch' || verb === 'deletecollection';
    const all = operation.space === 2 && (verb === 'list' || verb === 'watch');
    const sub = subresourceOf(kind, operation);
    const name = collection && !(verb === 'create' && sub !== '') ? '' : this.name(kind, operation.name);
    const path = [
      kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`,
      ...(kind.namespaced && !all ? [`namespaces/${this.#space(operation.space)}`] : []),
      kind.plural,
      ...(name === '' ? [] : [name]),
      ...(sub === '' ? [] : [sub]),
    ].join('/');
    const { query, deleteBody } = this.#query(operation, kind);
    const headers = { 'user-agent': CLIENTS[operation.client % CLIENTS.length] ?? '' };
    const search = query.length === 0 ? '' : `?${query.join('&')}`;
    switch (verb) {
      case 'create':
        return { method: 'POST', path: path + search, headers, body: this.#created(operation, kind, sub) };
      case 'update':
        return { method: 'PUT', path: path + search, headers, body: this.#updated(operation, kind, sub) };
      case 'patch': {
        const type = PATCHES[operation.patch];
        const body = this.#patch(operation, kind, sub);
        return { method: 'PATCH', path: path + search, headers: { ...headers, 'content-type': type }, body };
      }
      case 'delete':
      case 'deletecollection':
        return { method: 'DELETE', path: path + search, headers, body: deleteBody };
      case 'get':
      case 'list':
      case 'watch':
        return { method: 'GET', path: path + search, headers };
    }
  }

  name(kind: ComparedKind, index: number): string {
    const name = NAMES[index % NAMES.length] ?? '';
    return kind.namespaced ? name : `${this.#id}-${name}`;
  }

  #space(index: number): string {
    return `${this.#id}-${index === 1 ? 'y' : 'x'}`;
  }

  #seenOf(operation: Operation): Seen {
    const kind = this.kindOf(operation);
    const key = `${kind.plural}/${kind.namespaced ? operation.space % 2 : ''}/${operation.name % NAMES.length}`;
    const known = this.#seen.get(key) ?? { versions: [], uids: [], object: undefined };
    this.#seen.set(key, known);
    return known;
  }

  #learn(operation: Operation, { code, body }: Reply): void {
    if (code >= 300 || !isMap(body)) return;
    const { metadata } = body;
    if (!isMap(metadata)) return;
    if (operation.verb === 'list') {
      this.#next = typeof metadata['continue'] === 'string' ? metadata['continue'] : this.#next;
      this.#latest = versionOf(body) ?? this.#latest;
      return;
    }
    const version = versionOf(body);
    if (version === undefined || isDryRun(operation)) return;
    this.#latest = version;
    if (metadata['name'] !== this.name(this.kindOf(operation), operation.name)) return;
    const seen = this.#seenOf(operation);
    if (seen.versions.at(-1) !== version) seen.versions.push(version);
    const uid = metadata['uid'];
    if (typeof uid === 'string' && seen.uids.at(-1) !== uid) seen.uids.push(uid);
    if (operation.subresource === '' || operation.subresource === 'status') seen.object = body;
  }

  #version({ version, ...operation }: Operation): string | undefined {
    const { versions } = this.#seenOf({ version, ...operation });
    switch (version) {
      case 'none':
        return undefined;
      case 'current':
        return versions.at(-1) ?? this.#latest;
      case 'previous':
        return versions.at(-2) ?? this.#first;
      case 'first':
        return this.#first;
      case 'zero':
        return '0';
      case 'text':
        return 'abc';
      case 'future':
        return String(FUTURE);
    }
  }

  #uid(operation: Operation): string | undefined {
    const { uids } = this.#seenOf(operation);
    if (operation.uid === 'none') return undefined;
    return (
      (operation.uid === 'live' ? uids.at(-1) : operation.uid === 'previous' ? uids.at(-2) : undefined) ?? WRONG_UID
    );
  }

  /** Returns the metadata of a body: fragment, version and uid. */
  #metadata(operation: Operation, kind: ComparedKind): JsonObject {
    const version = this.#version(operation);
    const uid = this.#uid(operation);
    return {
      name: this.name(kind, operation.name),
      ...(kind.namespaced ? {} : { labels: { [SEQUENCE_LABEL]: this.#id } }),
      ...(version === undefined ? {} : { resourceVersion: version }),
      ...(uid === undefined ? {} : { uid }),
    };
  }

  #fragment(operation: Operation, kind: ComparedKind, sub: string): JsonObject {
    if (sub === 'scale') return { spec: { replicas: [1, 2, 0, -1, 'x', null][operation.content % 6] ?? null } };
    const { fragments, statuses = [] } = kind;
    const list = sub === 'status' && statuses.length > 0 ? statuses : fragments;
    return list[operation.content % list.length] ?? {};
  }

  #created(operation: Operation, kind: ComparedKind, sub: string): JsonObject {
    if (sub === 'binding')
      return {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: this.name(kind, operation.name) },
        target: { kind: 'Node', name: `n${operation.content % 2}` },
      };
    if (sub === 'eviction')
      return { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: this.name(kind, operation.name) } };
    // Half of the new objects are sent without a fragment.
    const fragment = operation.content >= 30 ? this.#fragment(operation, kind, sub) : {};
    const version = operation.version === 'current' ? 'none' : operation.version;
    const generated = (METADATA[operation.metadata] as JsonObject)['generateName'] !== undefined;
    const { name, ...metadata } = this.#metadata({ ...operation, version }, kind);
    const own = merged(
      { ...(generated ? {} : { name: name ?? null }), ...metadata },
      METADATA[operation.metadata] as JsonObject,
    );
    return { ...typeOf(kind), ...merged(this.#base(kind), fragment), metadata: own };
  }

  #base(kind: ComparedKind): JsonObject {
    return JSON.parse(JSON.stringify(kind.base).replaceAll('NAMESPACE', this.#space(0))) as JsonObject;
  }

  #updated(operation: Operation, kind: ComparedKind, sub: string): JsonObject {
    const fragment = this.#fragment(operation, kind, sub);
    if (sub === 'scale')
      return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: this.#metadata(operation, kind), ...fragment };
    const seen = operation.fromSeen ? this.#seenOf(operation).object : undefined;
    const base = seen ?? { ...typeOf(kind), ...this.#base(kind) };
    const { resourceVersion: _, uid: __, ...kept } = (seen?.['metadata'] ?? {}) as JsonObject;
    const own = merged(merged(kept, this.#metadata(operation, kind)), METADATA[operation.metadata] as JsonObject);
    return { ...merged(base, fragment), ...typeOf(kind), metadata: merged(own, metadataOf(fragment)) };
  }

  #patch(operation: Operation, kind: ComparedKind, sub: string): JsonValue {
    const fragment = this.#fragment(operation, kind, sub);
    const { name, labels: _, ...metadata } = this.#metadata(operation, kind);
    const own = merged(metadata, METADATA[operation.metadata] as JsonObject);
    if (operation.patch === 'apply') {
      const type = sub === 'scale' ? { apiVersion: 'autoscaling/v1', kind: 'Scale' } : typeOf(kind);
      const label = kind.namespaced ? {} : { labels: { [SEQUENCE_LABEL]: this.#id } };
      const base = operation.fromSeen && sub === '' ? this.#base(kind) : {};
      return {
        ...type,
        ...merged(base, fragment),
        metadata: merged({ name: name ?? null, ...label, ...own }, metadataOf(fragment)),
      };
    }
    const object: JsonObject = { ...fragment, ...(Object.keys(own).length === 0 ? {} : { metadata: own }) };
    return operation.patch === 'json' ? jsonPatch(object, operation.content) : object;
  }

  #query(
    operation: Operation,
    kind: ComparedKind,
  ): { readonly query: readonly string[]; readonly deleteBody: JsonValue | undefined } {
    const texts = onePerKey(operation.options.map((one) => optionText(operation, one)));
    // Without `limit` where sequences share a collection: the number of remaining items would include objects of other sequences.
    const shared = !kind.namespaced || operation.space === 2;
    const asked = texts
      .filter((text) => text !== 'BODY' && !(shared && text.startsWith('limit=') && /\d/.test(text)))
      .map((text) => this.#filledIn(text));
    const { verb } = operation;
    const query = verb === 'watch' ? ['watch=true', ...asked] : asked;
    const version = this.#version(operation);
    if (verb === 'watch' && version !== undefined) query.push(`resourceVersion=${version}`);
    if (verb === 'list' || verb === 'watch' || verb === 'deletecollection')
      query.push(...this.#selectors(operation, kind));
    if (
      verb === 'patch' &&
      operation.patch === 'apply' &&
      !query.some((text) => text.startsWith('fieldManager')) &&
      operation.content % 7 !== 0
    )
      query.push(`fieldManager=applier-${operation.client}`);
    const uid = this.#uid(operation);
    const conditional = verb === 'delete' && (uid !== undefined || operation.version === 'previous');
    const deleteBody =
      texts.includes('BODY') || conditional
        ? {
            kind: 'DeleteOptions',
            apiVersion: 'v1',
            ...(conditional
              ? {
                  preconditions: {
                    ...(uid === undefined ? {} : { uid }),
                    ...(version === undefined ? {} : { resourceVersion: version }),
                  },
                }
              : {}),
            ...(operation.content % 3 === 0 ? { propagationPolicy: 'Foreground' } : {}),
            ...(operation.content % 5 === 0 ? { gracePeriodSeconds: 1 } : {}),
          }
        : undefined;
    return { query, deleteBody };
  }

  #filledIn(text: string): string {
    return text
      .replace('CURRENT', this.#latest)
      .replace('FIRST', this.#first)
      .replace('NEXT', encodeURIComponent(this.#next));
  }

  /** Returns the selectors of the query; for cluster-scoped kinds they always select only this sequence's objects. */
  #selectors(operation: Operation, kind: ComparedKind): readonly string[] {
    const shared = !kind.namespaced || (operation.space === 2 && operation.verb !== 'deletecollection');
    const labels = SELECTORS[operation.selector]?.text ?? '';
    const fields = fieldSelector(operation, kind, this.name(kind, operation.name));
    const scoped = kind.namespaced ? [] : [`${SEQUENCE_LABEL}=${this.#id}`];
    const all = [...(labels === '' ? [] : [labels]), ...scoped].join(',');
    const homes = shared && kind.namespaced ? [`metadata.namespace=${this.#space(0)}`] : [];
    const allFields = [...(fields === undefined ? [] : [fields.selector]), ...homes].join(',');
    return [
      ...(all === '' ? [] : [`labelSelector=${encodeURIComponent(all)}`]),
      ...(allFields === '' ? [] : [`fieldSelector=${encodeURIComponent(allFields)}`]),
    ];
  }

  #outcome({ code, headers, body }: Reply, operation: Operation): Outcome {
    const warnings = headers['warning'];
    const outcome: { [key: string]: JsonValue } = { code, type: String(headers['content-type'] ?? '') };
    if (warnings !== undefined) outcome['warnings'] = String(warnings);
    if (headers['retry-after'] !== undefined) outcome['retryAfter'] = String(headers['retry-after']);
    if (operation.verb !== 'watch' || code !== 200)
      outcome['body'] = this.#symbols.of(code === 201 && isDryRun(operation) ? unversioned(body) : body);
    return outcome;
  }

  /** Writes an object that each open watch must deliver, waits for it, and returns the events up to it. */
  async watched(): Promise<readonly Outcome[]> {
    for (const [index, { kind, operation, stream }] of this.watches.entries())
      if (!stream.ended() && operation.version !== 'future') await this.#sentinel(index, kind, operation);
    // A watch that selects nothing has no sentinel: any event that it delivers by mistake has arrived by the time a later request is
    // answered.
    if (this.watches.some(({ operation }) => nothingMatches(operation)))
      await this.#client.request({ method: 'GET', path: `/api/v1/namespaces/${this.#space(0)}` });
    const seen = await Promise.all(this.watches.map((side, index) => this.#events(side, index)));
    // The symbols of uids and versions are assigned only now, so that they do not depend on which watch delivered first.
    return seen.map(({ events, came }) => ({
      events: events.map(({ type, object }) => ({ type, object: this.#symbols.of(object) })),
      sentinel: came,
    }));
  }

  async #sentinel(index: number, kind: ComparedKind, operation: Operation): Promise<void> {
    const fields = fieldSelector(operation, kind, this.name(kind, operation.name));
    const labels = SELECTORS[operation.selector]?.labels ?? {};
    const name = fields?.name ?? (kind.namespaced ? `sentinel-${index}` : `${this.#id}-sentinel-${index}`);
    const home = kind.namespaced ? `/namespaces/${this.#space(operation.space)}` : '';
    const path = `${kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`}${home}/${kind.plural}`;
    const scope = kind.namespaced ? {} : { [SEQUENCE_LABEL]: this.#id };
    const metadata = { labels: { ...scope, ...labels }, annotations: { sentinel: String(index) } };
    const body = {
      ...typeOf(kind),
      ...merged(this.#base(kind), fields?.match ?? {}),
      metadata: { ...metadata, name },
    };
    const { code } = await this.#client.request({ method: 'POST', path, body });
    if (code !== 409) return;
    const headers = { 'content-type': PATCHES.merge };
    await this.#client.request({ method: 'PATCH', path: `${path}/${name}`, headers, body: { metadata } });
  }

  async #events({ operation, stream }: WatchSide, index: number): Promise<WatchedEvents> {
    const mark = String(index);
    const isSentinel = (object: JsonValue): boolean =>
      isMap(object) &&
      isMap(object['metadata']) &&
      isMap(object['metadata']['annotations']) &&
      object['metadata']['annotations']['sentinel'] === mark;
    const expects = operation.version !== 'future' && !nothingMatches(operation);
    const came = expects ? await stream.until(({ object }) => isSentinel(object), SENTINEL_TIMEOUT_MS) : false;
    stream.close();
    const end = stream.events.findIndex(({ object }) => isSentinel(object));
    const events = stream.events
      .slice(0, end < 0 ? undefined : end + 1)
      .filter(({ type, object }) => type !== 'BOOKMARK' || JSON.stringify(object).includes('initial-events-end'));
    return { events, came };
  }

  /** Returns all objects that the sequence has left behind, kind by kind. */
  async finalState(): Promise<Outcome> {
    const state: { [key: string]: JsonValue } = {};
    for (const kind of this.#kinds)
      for (const space of kind.namespaced ? [0, 1] : [0]) {
        const home = kind.namespaced ? `/namespaces/${this.#space(space)}` : '';
        const prefix = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
        const narrowed = kind.namespaced ? '' : `?labelSelector=${SEQUENCE_LABEL}%3D${this.#id}`;
        const { body } = await this.#client.request({
          method: 'GET',
          path: `${prefix}${home}/${kind.plural}${narrowed}`,
        });
        state[`${kind.id} ${space}`] = this.#symbols.of(body);
      }
    return state;
  }

  close(): void {
    for (const { stream } of this.watches) stream.close();
  }
}

function isDryRun(operation: Operation): boolean {
  return operation.options.some((one) => optionText(operation, one).startsWith('dryRun'));
}

/** Removes the version from the answer to a dry-run create: it may be the version of a collection, which other sequences change. */
function unversioned(body: JsonValue): JsonValue {
  const { metadata } = isMap(body) ? body : {};
  if (!isMap(body) || !isMap(metadata) || metadata['resourceVersion'] === undefined) return body;
  return { ...body, metadata: { ...metadata, resourceVersion: 'AS-SENT' } };
}
