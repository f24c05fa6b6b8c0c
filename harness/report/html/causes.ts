/**
 * Derives which event of a history follows from which, by data rather than by order.
 *
 * A write follows from the last version of each of its objects (for a create, also of the owner) that its actor had received. A received
 * version follows from the write that made it. A conflict follows from the write that made the conflicting version. Program order is left
 * out on purpose: with it, every event would follow from all earlier ones.
 */
import { objectKey, parentOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import { isWrite, type Operation } from '../../model/history.ts';
import { partsOf } from '../../model/label.ts';
import type { HistoryIndex } from '../history-index.ts';
import { isConflict } from '../operation-text.ts';
import type { RawEvent } from './raw-event.ts';

/** Maximum number of causes of an event; the newest are kept. A list of thousands of objects follows from thousands of writes. */
const CAUSES_MAX = 8;

/**
 * Returns, for each row, the rows that it follows from, newest first.
 *
 * @param events - Sorted by tick.
 */
export function causesOf(index: HistoryIndex, events: readonly RawEvent[]): readonly (readonly number[])[] {
  const rowOfOp = new Map<number, number>();
  events.forEach(({ op }, row) => {
    if (op !== undefined) rowOfOp.set(op, row);
  });
  const makers = makersOf(index);
  const makerRow = (resource: string, revision: number): number | undefined => {
    const op = makers.get(`${resource} ${revision}`);
    return op === undefined ? undefined : rowOfOp.get(op);
  };
  const received = new ReceivedVersions(index, events, rowOfOp);
  const keyOfUid = new Map(
    index.history.revisions.map(({ uid, resource, namespace, name }) => [uid, objectKey(resource, namespace, name)]),
  );
  return events.map((event, row) => {
    const found = new Set<number>();
    const add = (cause: number | undefined): void => {
      if (cause !== undefined && cause !== row) found.add(cause);
    };
    const operation = event.op === undefined ? undefined : index.operation(event.op);
    if (operation !== undefined) {
      if (isWrite(operation.verb)) {
        for (const key of aboutKeys(index, operation, keyOfUid)) add(received.before(operation, key));
        if (isConflict(operation)) add(inTheWay(index, operation, rowOfOp));
      } else if (operation.outcome.type === 'ok') {
        const { object, items = [] } = operation.outcome;
        for (const shown of object === undefined ? items : [object])
          add(makerRow(operation.resource, versionOf(shown)));
      }
    } else if (event.revision !== undefined) {
      add(makerRow(partsOf(event.label).resource, event.revision));
    }
    return [...found].sort((a, b) => b - a).slice(0, CAUSES_MAX);
  });
}

/** Maps each version of each resource to the operation that made it. */
function makersOf({ history }: HistoryIndex): ReadonlyMap<string, number> {
  return new Map(history.revisions.map(({ resource, revision, op }) => [`${resource} ${revision}`, op]));
}

function aboutKeys(
  index: HistoryIndex,
  operation: Operation,
  keyOfUid: ReadonlyMap<string, string>,
): readonly string[] {
  const keys = index.keysOf(operation);
  if (operation.verb !== 'create') return keys;
  const made = index.madeBy(operation.id).at(-1);
  const owner = made === undefined ? undefined : parentOf(made.object)?.uid;
  const ownerKey = owner === undefined ? undefined : keyOfUid.get(owner);
  return ownerKey === undefined ? keys : [...keys, ownerKey];
}

function inTheWay(index: HistoryIndex, operation: Operation, rowOfOp: ReadonlyMap<number, number>): number | undefined {
  const [key] = index.keysOf(operation);
  const moment = (operation.sent ?? operation.invoked).at;
  const chain = key === undefined ? [] : index.chain(key);
  const last = chain.findLast((revision) => revision.at < moment);
  return last === undefined ? undefined : rowOfOp.get(last.op);
}

/** The rows in which each actor received each object, sorted by tick. */
class ReceivedVersions {
  readonly #rows = new Map<string, { readonly at: number; readonly row: number }[]>();

  constructor(index: HistoryIndex, events: readonly RawEvent[], rowOfOp: ReadonlyMap<number, number>) {
    for (const operation of index.history.operations) {
      const { id, actor, resource, answered, outcome } = operation;
      const row = rowOfOp.get(id);
      if (answered === undefined || outcome.type !== 'ok' || row === undefined) continue;
      for (const object of outcome.object === undefined ? (outcome.items ?? []) : [outcome.object]) {
        this.#add(actor, keyOfObject(resource, object), answered.at, row);
      }
    }
    const rowAt = new Map<number, number>();
    events.forEach(({ at, revision }, row) => {
      if (revision !== undefined) rowAt.set(at, row);
    });
    for (const { actor, resource, object, at } of index.history.deliveries) {
      const row = rowAt.get(at);
      if (object !== undefined && row !== undefined) this.#add(actor, keyOfObject(resource, object), at, row);
    }
    for (const list of this.#rows.values()) list.sort((a, b) => a.at - b.at);
  }

  /** Returns the last row, before an operation was sent, in which its actor received an object. */
  before(operation: Operation, key: string): number | undefined {
    const list = this.#rows.get(`${operation.actor} ${key}`) ?? [];
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle]?.at ?? 0) < operation.invoked.at) low = middle + 1;
      else high = middle;
    }
    return list[low - 1]?.row;
  }

  #add(actor: string, key: string, at: number, row: number): void {
    const id = `${actor} ${key}`;
    const list = this.#rows.get(id);
    if (list === undefined) this.#rows.set(id, [{ at, row }]);
    else list.push({ at, row });
  }
}

/** Returns the key of an object in an answer, which may also be a `Status` without useful metadata. */
function keyOfObject(resource: string, object: KubeObject): string {
  const { namespace = '', name = '' } = object.metadata ?? {};
  return objectKey(resource, namespace, name);
}

function versionOf(object: KubeObject): number {
  return Number(object.metadata?.resourceVersion ?? -1);
}
