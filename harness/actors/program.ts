/**
 * Executes a program as any third party would: reads, edits, writes, and accepts rejections.
 *
 * Owns: the requests of an operation. After a rejected write, a missing object or a failed connection the operation is over without effect;
 * only the removal of a writer's own list item is retried. Does not own: which operations are legal (the writers ensure that), when they
 * run (the gate). Start at {@link runProgram}.
 */
import { textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { call, ConnectionFailure } from 'stalemate-apiserver/wire/call';
import type { ApiRequest, ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { collectionPath, objectPath } from 'stalemate-apiserver/wire/path';
import { isUnansweredWebhook } from 'stalemate-apiserver/wire/unanswered-webhook';
import { assertNever } from '../model/errors.ts';
import { appendItem, pointerTo, removeItem, setAt, valueAt } from '../model/edit.ts';
import { given } from '../model/given.ts';
import type { FieldPath, ObjectTarget, Program, ProgramOp } from '../model/workload.ts';

export interface ProgramContext {
  readonly upstream: Upstream;
  /** Returns the real name for a canonical one; undefined if the object has not been created yet. */
  resolveName(target: ObjectTarget): string | undefined;
  /** Resolves once the object has been created, or when no further operation may start. */
  appears(target: ObjectTarget): Promise<void>;
  /** Resolves after this much idle run time, in ms, or when no further operation may start. */
  waits(ms: number): Promise<void>;
  /**
   * Called when operation `index` is over. While a recreation waits for the old object to disappear, every check counts as a separate
   * operation, so that a scheduler which runs one operation at a time lets other actors act in between.
   */
  onOpDone(index: number): void;
  /** Reports whether no further operation may start. */
  ended(): boolean;
  /** Resolves after this much run time, or at once without a clock. */
  pause?(delayMs: number): Promise<void>;
}

/** The number of attempts to remove a writer's own list item: conflicts must not leave a finalizer behind. */
const REMOVALS_MAX = 6;
/** How often applying an object is tried while a webhook does not answer; `APPLY_AGAIN_MS` is the delay between tries. */
const APPLIES_MAX = 5;
const APPLY_AGAIN_MS = 1_000;
/** How often a recreation checks whether the old object is gone: at first at once, then after pauses that double. */
const LOOKS_MAX = 10;
const LOOKS_AT_ONCE = 4;
const FIRST_PAUSE_MS = 25;

/** Runs the operations one after the other. Resolves after the last one, or after the current one once `ended()` returns true. */
export async function runProgram(program: Program, context: ProgramContext): Promise<void> {
  const runner = new Runner(program, context);
  for (const [index, op] of program.ops.entries()) {
    if (op.afterMs !== undefined && !context.ended()) await context.waits(op.afterMs);
    if (context.ended()) return;
    await runner.run(op, index);
    context.onOpDone(index);
  }
}

/** Represents the missing answer to a request. */
const NO_ANSWER: ApiResponse = { code: 0, body: '' };

class Runner {
  readonly #context: ProgramContext;
  readonly #userAgent: string;
  /** The uids of the objects that this program has applied. */
  readonly #uids = new Map<string, string>();

  constructor(program: Program, context: ProgramContext) {
    this.#context = context;
    this.#userAgent = `${program.actor}/${program.writer}`;
  }

  async run(op: ProgramOp, index: number): Promise<void> {
    if (op.do === 'create') {
      await this.#apply(op.target, op.object);
      return;
    }
    let name = this.#context.resolveName(op.target);
    if (isUnmade(name)) {
      // Wait until the object is created: a writer may change each new node or pod.
      await this.#context.appears(op.target);
      name = this.#context.resolveName(op.target);
    }
    if (name === undefined || isUnmade(name)) return;
    const { group, version, resource, namespace } = op.target;
    const path = objectPath({ group, version, resource }, namespace, name);
    switch (op.do) {
      case 'set':
        return this.#set(path, op);
      case 'append':
        await this.#update(path, op.subresource, (object) => appendItem(object, op.path, op.item));
        return;
      case 'remove-item': {
        for (let tries = 0; tries < REMOVALS_MAX; tries++) {
          const code = await this.#update(path, op.subresource, (object) => removeItem(object, op.path, op.item));
          if (code !== 409 && code !== 0 && code < 500) return;
        }
        return;
      }
      case 'delete':
        return this.#delete(path, op, index);
      default:
        return assertNever(op);
    }
  }

  async #set(path: string, op: Extract<ProgramOp, { do: 'set' }>): Promise<void> {
    const url = op.subresource === undefined ? path : `${path}/${op.subresource}`;
    const plain = op.path.every((segment) => typeof segment === 'string');
    if (op.via === 'json-patch') {
      const patch = plain ? jsonPatch(undefined, op.path, op.value) : await this.#itemPatch(path, op);
      if (patch !== undefined) await this.#send('PATCH', url, patch, 'application/json-patch+json');
      return;
    }
    // A merge patch replaces whole lists, which would drop other clients' items: items are only edited with a resourceVersion.
    if (op.via === 'merge-patch' && plain) {
      await this.#send('PATCH', url, mergePatch(op.path, op.value), 'application/merge-patch+json');
      return;
    }
    await this.#update(path, op.subresource, (object) => setAt(object, op.path, op.value));
  }

  /** Builds a JSON patch that locates list items in the current object and tests that they are still there. */
  async #itemPatch(path: string, op: Extract<ProgramOp, { do: 'set' }>): Promise<JsonValue | undefined> {
    const read = await this.#send('GET', path);
    return read.code === 200 ? jsonPatch(read.body as JsonObject, op.path, op.value) : undefined;
  }

  /**
   * Sends a GET, edits the object, and sends a PUT with the version read. Returns the last status code; 200 without a PUT if the edit
   * changes nothing.
   */
  async #update(
    path: string,
    subresource: 'status' | 'scale' | undefined,
    edit: (object: JsonObject) => JsonObject,
  ): Promise<number> {
    const url = subresource === undefined ? path : `${path}/${subresource}`;
    const read = await this.#send('GET', subresource === 'scale' ? url : path);
    if (read.code !== 200) return read.code;
    const object = read.body as JsonObject;
    const edited = edit(object);
    return edited === object ? 200 : (await this.#send('PUT', url, edited)).code;
  }

  async #delete(path: string, op: Extract<ProgramOp, { do: 'delete' }>, index: number): Promise<void> {
    const read = await this.#send('GET', path);
    if (read.code !== 200 && (read.code !== 404 || op.recreate === 'same')) return;
    const uid = uidIn(read);
    let stays = false;
    if (read.code === 200) {
      const deleted = await this.#send('DELETE', path, {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        ...(op.propagation === undefined ? {} : { propagationPolicy: op.propagation }),
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      });
      if (deleted.code >= 300 || deleted.code === 0) return;
      stays = (deleted.body as Partial<KubeObject>).metadata?.deletionTimestamp !== undefined;
    }
    if (op.recreate === undefined) return;
    const again = op.recreate === 'same' ? withoutServerFields(read.body as JsonObject) : op.recreate;
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      if (stays) {
        this.#context.onOpDone(index);
        // What holds the object may need time: a back-off, or the end of a pod.
        if (looks >= LOOKS_AT_ONCE) await this.#context.pause?.(FIRST_PAUSE_MS * 2 ** (looks - LOOKS_AT_ONCE));
        if (this.#context.ended()) return;
        const there = await this.#send('GET', path);
        stays = there.code === 200;
        // Another client has created it again.
        if (stays && uidIn(there) !== uid) return;
      }
      if (!stays) stays = (await this.#create(op.target, again)) === 409;
      if (!stays) return;
    }
  }

  /** Applies an object, with retries until its webhooks answer. */
  async #apply(target: ObjectTarget, manifest: KubeObject): Promise<void> {
    const object = this.#owned(manifest);
    for (let tries = 0; tries < APPLIES_MAX; tries++) {
      const { code, body } = await this.#send('POST', collectionPath(target, target.namespace), object);
      if (code === 201) this.#uids.set(ownerKey(object, object.metadata), (body as KubeObject).metadata.uid ?? '');
      const message = typeof body === 'string' ? body : textOf((body as JsonObject)['message']);
      if (!isUnansweredWebhook(code, message) || this.#context.pause === undefined) return;
      await this.#context.pause(APPLY_AGAIN_MS);
      if (this.#context.ended()) return;
    }
  }

  /** Fills in the uids that owner references leave out, if this program has applied the owners. */
  #owned(object: KubeObject): KubeObject {
    const { ownerReferences } = object.metadata;
    if (ownerReferences === undefined) return object;
    const owners = ownerReferences.map((owner) =>
      hasUid(owner) ? owner : { ...owner, uid: this.#uids.get(ownerKey(owner, owner)) ?? '' },
    );
    return { ...object, metadata: { ...object.metadata, ownerReferences: owners } };
  }

  async #create(target: ObjectTarget, object: KubeObject): Promise<number> {
    return (await this.#send('POST', collectionPath(target, target.namespace), object)).code;
  }

  async #send(method: Method, path: string, body?: JsonValue, contentType = 'application/json'): Promise<ApiResponse> {
    const headers: { [name: string]: string } = { accept: 'application/json', 'user-agent': this.#userAgent };
    if (body !== undefined) headers['content-type'] = contentType;
    const request: ApiRequest = { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) };
    try {
      return await call(this.#context.upstream, request);
    } catch (error) {
      if (error instanceof ConnectionFailure) return NO_ANSWER;
      throw error;
    }
  }
}

/** Returns the uid of the object in an answer; undefined if there is none. */
function uidIn({ code, body }: ApiResponse): string | undefined {
  return code === 200 ? (body as KubeObject).metadata.uid : undefined;
}

/** Returns an object as a client sends it to create it again: without the fields that the server and controllers have set. */
function withoutServerFields({ status: _status, ...object }: JsonObject): KubeObject {
  const { metadata } = object as unknown as KubeObject;
  const { name, namespace, labels, annotations, ownerReferences } = metadata;
  return { ...object, metadata: given({ name, namespace, labels, annotations, ownerReferences }) } as KubeObject;
}

function ownerKey({ apiVersion, kind }: JsonObject, { name }: JsonObject): string {
  return `${textOf(apiVersion)}/${textOf(kind)}/${textOf(name)}`;
}

/** Reports whether an owner reference of a sample has a uid; a file may leave it out, although the type requires it. */
function hasUid({ uid }: JsonObject): boolean {
  return textOf(uid) !== '';
}

/** Reports whether a canonical name has no real one yet. */
function isUnmade(name: string | undefined): boolean {
  return name === undefined || name.includes('~');
}

/** Builds the merge patch that sets `value` at a path of map keys; `null` removes the key. */
function mergePatch(path: FieldPath, value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, key) => ({ [key as string]: inner }), value);
}

/** Builds the JSON patch that sets `value` at `path`; list items are located in `object`. Returns undefined if they do not exist. */
export function jsonPatch(object: JsonObject | undefined, path: FieldPath, value: JsonValue): JsonValue | undefined {
  const pointer = pointerTo(object, path);
  if (pointer === undefined) return undefined;
  const tests = path.flatMap((segment, depth): JsonObject[] => {
    if (typeof segment === 'string') return [];
    const item = path.slice(0, depth + 1);
    const at = pointerTo(object, item);
    return Object.keys(segment).map((key) => ({
      op: 'test',
      path: `${at}/${key}`,
      value: valueAt(object, [...item, key]) ?? null,
    }));
  });
  return [...tests, value === null ? { op: 'remove', path: pointer } : { op: 'add', path: pointer, value }];
}
