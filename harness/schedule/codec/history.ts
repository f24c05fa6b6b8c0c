/** Encodes and decodes histories; `history-schema.ts` defines the text, `object-table.ts` shares objects. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Delivery, History, Operation, Outcome, Revision } from '../../model/history.ts';
import { decode, encode, type Format } from './format.ts';
import {
  storedHistory,
  type StoredDelivery,
  type StoredHistory,
  type StoredOperation,
  type StoredOutcome,
  type StoredRevision,
} from './history-schema.ts';
import { objectAt, ObjectTableWriter } from './object-table.ts';

export const HISTORY: Format<StoredHistory> = { kind: 'history', version: 1, schema: storedHistory, upgrades: [] };

/** Encodes the history as versioned JSON, with every object once per revision. */
export function encodeHistory(history: History): string {
  return encode(HISTORY, packHistory(history));
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeHistory(text: string, source: string): History {
  return unpackHistory(decode(HISTORY, text, source), source);
}

/** Replaces objects by keys. */
export function packHistory(history: History, table: ObjectTableWriter = new ObjectTableWriter()): StoredHistory {
  // Revisions first: they are authoritative, so they get the keys without suffix.
  const revisions = history.revisions.map((revision) => packRevision(revision, table));
  const operations = history.operations.map((operation) => ({
    ...operation,
    outcome: packOutcome(operation.outcome, table),
  }));
  const deliveries = history.deliveries.map((delivery) => packDelivery(delivery, table));
  return { ...history, kind: 'history', revisions, operations, deliveries, objects: table.table() };
}

function packRevision(revision: Revision, table: ObjectTableWriter): StoredRevision {
  const { before, object, ...rest } = revision;
  return { ...rest, object: table.keyOf(object), ...(before === undefined ? {} : { before: table.keyOf(before) }) };
}

function packOutcome(outcome: Outcome, table: ObjectTableWriter): StoredOutcome {
  if (outcome.type !== 'ok') return outcome;
  const { object, items, ...rest } = outcome;
  return {
    ...rest,
    ...(object === undefined ? {} : { object: table.keyOf(object) }),
    ...(items === undefined ? {} : { items: items.map((item) => table.keyOf(item)) }),
  };
}

function packDelivery(delivery: Delivery, table: ObjectTableWriter): StoredDelivery {
  const { object, ...rest } = delivery;
  return object === undefined ? rest : { ...rest, object: table.keyOf(object) };
}

/** Restores the shared objects from their keys. */
export function unpackHistory(stored: StoredHistory, source: string): History {
  const { kind: _kind, objects, operations, revisions, deliveries, ...rest } = stored;
  const find = (key: string, place: string): KubeObject => objectAt(objects, key, place, source);
  return {
    ...rest,
    operations: operations.map((operation, index) => unpackOperation(operation, `operations[${index}]`, find)),
    revisions: revisions.map((revision, index): Revision => {
      const { before, object, ...facts } = revision;
      const place = `revisions[${index}]`;
      return {
        ...facts,
        object: find(object, `${place}.object`),
        ...(before === undefined ? {} : { before: find(before, `${place}.before`) }),
      };
    }),
    deliveries: deliveries.map((delivery, index): Delivery => {
      const { object, ...facts } = delivery;
      return object === undefined ? facts : { ...facts, object: find(object, `deliveries[${index}].object`) };
    }),
  };
}

function unpackOperation(
  operation: StoredOperation,
  place: string,
  find: (key: string, place: string) => KubeObject,
): Operation {
  const { outcome } = operation;
  if (outcome.type !== 'ok') return { ...operation, outcome };
  const { object, items, ...rest } = outcome;
  return {
    ...operation,
    outcome: {
      ...rest,
      ...(object === undefined ? {} : { object: find(object, `${place}.outcome.object`) }),
      ...(items === undefined
        ? {}
        : { items: items.map((key, index) => find(key, `${place}.outcome.items[${index}]`)) }),
    },
  };
}
