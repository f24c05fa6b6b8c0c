/**
 * Hand-written histories for the tests of oracles and properties.
 *
 * Owns: a small store, so that operations, revisions and deliveries are as consistent as in a recorded history. Does not own: API semantics
 * beyond versions, the status subresource, finalizers and merge patches. Start at {@link historyBuilder}: `call` for a request that is
 * answered at once, `begin` for one that is answered later.
 */
import { jsonEqual, isMap } from 'stalemate-apiserver/objects/json';
import {
  objectKey,
  parentOf,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type OwnerReference,
} from 'stalemate-apiserver/objects/object';
import type { ActorId } from '../model/actor.ts';
import { appendItem, setAt } from '../model/edit.ts';
import { invariant } from '../model/errors.ts';
import type {
  Delivery,
  History,
  Mark,
  Operation,
  Outcome,
  Phase,
  PhaseMark,
  ProcessEvent,
  ProcessEventKind,
  Revision,
  Settlement,
  StreamEnd,
  Verb,
} from '../model/history.ts';
import { requestLabel, streamLabel } from '../model/label.ts';
import type { ProbeResult } from '../model/probe.ts';
import type { Reference } from '../model/reference.ts';
import type { FieldPath } from '../model/workload.ts';
import { given } from '../model/given.ts';

type Open = { -readonly [K in keyof Operation]: Operation[K] } & { committed: number[] };

export interface CallOptions {
  readonly body?: JsonValue;
  readonly contentType?: string;
  readonly subresource?: string;
  readonly query?: { readonly [key: string]: string };
}

/** A request in progress: the server executes it on `send`, the actor gets the result on `answer`, or loses it on `lose`. */
export interface Call {
  readonly id: number;
  send(): Call;
  answer(): Operation;
  lose(why?: string): Operation;
  /** Ends the request with an error made by the gate. */
  fail(code: number, reason?: string, retryAfterSeconds?: number): Operation;
}

export const REFERENCE: Reference = {
  runs: 5,
  ownedLeaves: {},
  volatileLeaves: {},
  removedLeaves: {},
  children: [],
  deletes: [],
  reads: [],
  staleLists: [],
  locks: [],
  idle: { requestsPerMinute: 0, writesPerMinute: 0 },
  burstMax: 6,
  healthySpecs: [],
};

export function historyBuilder(): HistoryBuilder {
  return new HistoryBuilder();
}

/** Returns an object to create; the store sets its uid, version and generation. */
export function manifest(kind: string, name: string, content: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'example.com/v1', kind, metadata: { name, namespace: 'default', ...metadata }, ...content };
}

/** Returns an owner reference with `controller: true`. */
export function ownedBy(owner: KubeObject): OwnerReference {
  const { uid = '', name = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true };
}

export class HistoryBuilder {
  #tick = 0;
  #timeMs = 0;
  #revision = 100;
  #uids = 0;
  readonly #operations: Open[] = [];
  readonly #revisions: Revision[] = [];
  readonly #deliveries: Delivery[] = [];
  readonly #streamEnds: StreamEnd[] = [];
  readonly #processes: ProcessEvent[] = [];
  readonly #phases: PhaseMark[] = [{ phase: 'setup', at: 0, timeMs: 0 }];
  readonly #live = new Map<string, KubeObject>();
  readonly #counts = new Map<string, number>();
  readonly #delivered = new Map<string, number>();
  readonly #streamEvents = new Map<string, number>();
  readonly #generated = new Map<string, number>();
  readonly #names: { [uid: string]: string } = {};

  mark(): Mark {
    return { at: ++this.#tick, timeMs: this.#timeMs };
  }

  /** Advances the run time. */
  pass(timeMs: number): this {
    this.#timeMs += timeMs;
    return this;
  }

  phase(phase: Phase): this {
    if (phase === 'contention') this.#counts.clear();
    this.#phases.push({ phase, ...this.mark() });
    return this;
  }

  process(actor: ActorId, kind: ProcessEventKind, detail = ''): this {
    this.#processes.push({ actor, kind, detail, ...this.mark() });
    return this;
  }

  /** Returns the object as stored in the server. */
  live(resource: string, name: string): KubeObject {
    const object = this.#live.get(objectKey(resource, 'default', name));
    invariant(object !== undefined, `${resource}/${name} exists in the history under construction`);
    return object;
  }

  begin(actor: ActorId, verb: Verb, resource: string, name: string, options: CallOptions = {}): Call {
    const { body, contentType, subresource = '', query = {} } = options;
    const generate = (body as KubeObject | undefined)?.metadata?.generateName;
    const asked = verb === 'create' && name === '' ? this.#nextGenerated(resource, body as KubeObject) : name;
    const canonical = asked === '' ? '' : (this.#canonicalOf(resource, asked) ?? asked);
    const label =
      verb === 'watch'
        ? streamLabel(actor, resource, 'default', '')
        : requestLabel({ actor, verb, resource, subresource, namespace: 'default', name: canonical });
    const n = this.#counts.get(label) ?? 0;
    this.#counts.set(label, n + 1);
    const operation: Open = {
      id: this.#operations.length,
      actor,
      label: `${label}#${n}`,
      verb,
      resource,
      version: 'v1',
      subresource,
      namespace: 'default',
      // The path of a create names no object.
      name: verb === 'create' ? '' : name,
      query,
      ...given({ body, contentType }),
      invoked: this.mark(),
      outcome: { type: 'pending' },
      committed: [],
    };
    this.#operations.push(operation);
    let outcome: Outcome | undefined;
    const call: Call = {
      id: operation.id,
      send: () => {
        operation.sent = this.mark();
        outcome = this.#act(
          operation,
          generate === undefined ? name : `${generate}${canonical.split('~')[1] ?? ''}`,
          canonical,
        );
        return call;
      },
      answer: () => {
        if (outcome === undefined) call.send();
        return this.#answered(operation, outcome ?? { type: 'pending' });
      },
      lose: (why = 'socket hang up') => {
        if (outcome === undefined) call.send();
        return this.#answered(operation, { type: 'info', why });
      },
      fail: (code, reason = '', retryAfterSeconds) => {
        operation.fault = `fail ${code}`;
        const asked = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
        return this.#answered(operation, { type: 'fail', code, reason, message: `injected ${code}`, ...asked });
      },
    };
    return call;
  }

  call(actor: ActorId, verb: Verb, resource: string, name: string, options: CallOptions = {}): Operation {
    return this.begin(actor, verb, resource, name, options).answer();
  }

  get(actor: ActorId, resource: string, name: string): KubeObject {
    const { outcome } = this.call(actor, 'get', resource, name);
    invariant(outcome.type === 'ok' && outcome.object !== undefined, `${actor} reads ${resource}/${name}`);
    return outcome.object;
  }

  list(actor: ActorId, resource: string): Operation {
    return this.call(actor, 'list', resource, '');
  }

  create(actor: ActorId, resource: string, object: KubeObject): KubeObject {
    const { outcome } = this.call(actor, 'create', resource, object.metadata.name ?? '', { body: object });
    invariant(outcome.type === 'ok' && outcome.object !== undefined, `${actor} creates ${resource}`);
    return outcome.object;
  }

  update(actor: ActorId, resource: string, body: KubeObject, subresource = ''): Operation {
    return this.call(actor, 'update', resource, body.metadata.name ?? '', { body, subresource });
  }

  patch(actor: ActorId, resource: string, name: string, body: JsonValue, options: CallOptions = {}): Operation {
    return this.call(actor, 'patch', resource, name, {
      contentType: Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json',
      ...options,
      body,
    });
  }

  delete(actor: ActorId, resource: string, name: string): Operation {
    return this.call(actor, 'delete', resource, name);
  }

  /** Makes an ordinary change by a third party: GET, edit, PUT with the version that was read. */
  edit(actor: ActorId, resource: string, name: string, path: FieldPath, value: JsonValue, subresource = ''): Operation {
    return this.update(actor, resource, setAt(this.get(actor, resource, name), path, value), subresource);
  }

  append(
    actor: ActorId,
    resource: string,
    name: string,
    path: FieldPath,
    item: JsonValue,
    subresource = '',
  ): Operation {
    return this.update(actor, resource, appendItem(this.get(actor, resource, name), path, item), subresource);
  }

  /** Delivers all events of a resource that the actor has not received yet, at most up to a revision. */
  deliver(actor: ActorId, resource: string, upTo: number = Number.POSITIVE_INFINITY): this {
    const stream = `${actor}/watch/${resource}/default#0`;
    const from = this.#delivered.get(stream) ?? 0;
    for (const revision of this.#revisions) {
      if (revision.resource !== resource || revision.revision <= from || revision.revision > upTo) continue;
      this.#delivered.set(stream, revision.revision);
      const k = this.#streamEvents.get(stream) ?? 0;
      this.#streamEvents.set(stream, k + 1);
      const { type, object } = revision;
      const available = { at: revision.at, timeMs: revision.timeMs };
      const { revision: number } = revision;
      this.#deliveries.push({ actor, stream, k, type, resource, object, revision: number, available, ...this.mark() });
    }
    return this;
  }

  endStream(actor: ActorId, resource: string, why: StreamEnd['why']): this {
    this.#streamEnds.push({ actor, stream: `${actor}/watch/${resource}/default#0`, resource, why, ...this.mark() });
    return this;
  }

  /**
   * Builds the finished history. Its reference is {@link REFERENCE} overridden by the fields of `reference`, or absent if `reference` is
   * null.
   */
  build(
    parts: {
      readonly reference?: Partial<Reference> | null;
      readonly probes?: readonly ProbeResult[];
      readonly settlement?: Settlement;
    } & Omit<Partial<History>, 'reference' | 'probes' | 'settlement'> = {},
  ): History {
    const { reference = {}, probes = [], settlement = { result: 'quiescent', windowMs: 30_000 }, ...rest } = parts;
    return {
      version: 1,
      phases: [...this.#phases],
      operations: [...this.#operations],
      revisions: [...this.#revisions],
      deliveries: [...this.#deliveries],
      streamEnds: [...this.#streamEnds],
      processes: [...this.#processes],
      decisions: [],
      settlement,
      steps: this.#tick,
      names: { ...this.#names },
      missed: [],
      probes,
      ...(reference === null ? {} : { reference: { ...REFERENCE, ...reference } }),
      ...rest,
    };
  }

  #answered(operation: Open, outcome: Outcome): Operation {
    operation.outcome = outcome;
    operation.answered = this.mark();
    return operation;
  }

  #nextGenerated(resource: string, body: KubeObject): string {
    const owner = parentOf(body)?.name ?? '';
    const role = (body.metadata.generateName ?? '').replace(/-$/, '').replace(`${owner}-`, '');
    const stem = `${owner}/${role}`;
    const n = this.#generated.get(`${resource} ${stem}`) ?? 0;
    this.#generated.set(`${resource} ${stem}`, n + 1);
    return `${stem}~${n}`;
  }

  #canonicalOf(resource: string, name: string): string | undefined {
    const uid = this.#live.get(objectKey(resource, 'default', name))?.metadata.uid;
    return uid === undefined ? undefined : this.#names[uid];
  }

  #act(operation: Open, name: string, canonical: string): Outcome {
    const { verb, resource, body, subresource } = operation;
    const key = objectKey(resource, 'default', name);
    const old = this.#live.get(key);
    if (verb === 'watch') return { type: 'ok', code: 200 };
    if (verb === 'list') {
      const items = [...this.#live].filter(([at]) => at.startsWith(`${resource}/`)).map(([, object]) => object);
      return { type: 'ok', code: 200, items, listRevision: this.#revision };
    }
    if (verb === 'create') {
      if (old !== undefined) return refusal(409, 'AlreadyExists');
      const uid = `uid-${++this.#uids}`;
      this.#names[uid] = canonical;
      const asked = body as KubeObject;
      return this.#commit(operation, key, undefined, {
        ...asked,
        metadata: { namespace: 'default', ...asked.metadata, name, uid, generation: 1 },
      });
    }
    if (old === undefined) return refusal(404, 'NotFound');
    if (verb === 'get') return { type: 'ok', code: 200, object: old };
    if (verb === 'delete') {
      if ((old.metadata.finalizers ?? []).length === 0) return this.#remove(operation, key, old);
      const deletionTimestamp = '2026-01-01T00:00:00Z';
      return this.#commit(operation, key, old, { ...old, metadata: { ...old.metadata, deletionTimestamp } });
    }
    const next = verb === 'update' ? (body as KubeObject) : patched(old, body ?? {});
    const carried = next.metadata.resourceVersion;
    if (carried !== undefined && carried !== '' && carried !== old.metadata.resourceVersion)
      return refusal(409, 'Conflict');
    return this.#store(operation, key, old, next, subresource);
  }

  #store(operation: Open, key: string, old: KubeObject, next: KubeObject, subresource: string): Outcome {
    const { uid = '', generation = 1, deletionTimestamp } = old.metadata;
    const specChanged = subresource !== 'status' && !jsonEqual(next['spec'], old['spec']);
    let stored: KubeObject;
    if (subresource === 'status')
      stored = { ...old, ...(next['status'] === undefined ? {} : { status: next['status'] }) };
    else {
      const metadata = { ...next.metadata, uid, generation: specChanged ? generation + 1 : generation };
      stored = {
        ...next,
        metadata: { ...metadata, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
      };
      // Kinds here have the status subresource, so updates of the main resource do not change status.
      stored = { ...stored, status: old['status'] };
    }
    stored = { ...stored, metadata: { ...stored.metadata, resourceVersion: String(old.metadata.resourceVersion) } };
    if (jsonEqual(stored, old)) return { type: 'ok', code: 200, object: old };
    if (deletionTimestamp !== undefined && (stored.metadata.finalizers ?? []).length === 0) {
      return this.#remove(operation, key, old);
    }
    return this.#commit(operation, key, old, stored);
  }

  #commit(operation: Open, key: string, before: KubeObject | undefined, next: KubeObject): Outcome {
    const revision = ++this.#revision;
    const object = { ...next, metadata: { ...next.metadata, resourceVersion: String(revision) } };
    this.#live.set(key, object);
    this.#record(operation, before === undefined ? 'ADDED' : 'MODIFIED', revision, object, before);
    return { type: 'ok', code: before === undefined ? 201 : 200, object };
  }

  #remove(operation: Open, key: string, old: KubeObject): Outcome {
    const revision = ++this.#revision;
    this.#live.delete(key);
    const object = { ...old, metadata: { ...old.metadata, resourceVersion: String(revision) } };
    this.#record(operation, 'DELETED', revision, object, old);
    return { type: 'ok', code: 200, object };
  }

  #record(
    operation: Open,
    type: Revision['type'],
    revision: number,
    object: KubeObject,
    before: KubeObject | undefined,
  ): void {
    operation.committed.push(revision);
    this.#revisions.push({
      ...this.mark(),
      revision,
      type,
      resource: operation.resource,
      namespace: 'default',
      name: object.metadata.name ?? '',
      uid: object.metadata.uid ?? '',
      object,
      ...(before === undefined ? {} : { before }),
      op: operation.id,
      actor: operation.actor,
    });
  }
}

function refusal(code: number, reason: string): Outcome {
  return { type: 'fail', code, reason, message: reason };
}

/** Applies a merge patch, or a JSON patch of `add`, `replace` and `remove` on maps. */
function patched(old: KubeObject, body: JsonValue): KubeObject {
  if (!Array.isArray(body)) return merged(old, body as JsonObject) as KubeObject;
  let object: KubeObject = old;
  for (const step of body as readonly JsonObject[]) {
    const path = (step['path'] as string).split('/').slice(1);
    object = setAt(object, path, step['op'] === 'remove' ? null : (step['value'] ?? null));
  }
  return object;
}

function merged(old: JsonObject, patch: JsonObject): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = { ...old };
  for (const [key, value] of Object.entries(patch)) {
    const before = out[key];
    if (value === null) delete out[key];
    else if (isMap(value)) out[key] = merged(isMap(before) ? before : {}, value);
    else out[key] = value;
  }
  return out;
}
