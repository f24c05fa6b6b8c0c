/** Builds the rows of a story for requests, and for the versions that their actors had received before. */
import { roleOf } from '../model/actor.ts';
import type { Violation } from '../model/check-result.ts';
import { isWrite, type Operation } from '../model/history.ts';
import { keyOf, type HistoryIndex } from './history-index.ts';
import { siblingsAlive } from './involved.ts';
import { gatherKnowledge, type Knowledge, type KnowledgeBase } from './knowledge.ts';
import { answerText, fieldText, isConflict, requestText, type TextContext } from './operation-text.ts';
import type { OperationRow, SeenRow } from './story-row.ts';
import { given } from '../model/given.ts';
import { countText } from './count-text.ts';

export interface ToldOperations {
  readonly rows: readonly (OperationRow | SeenRow)[];
  /** Keys of the objects that the rows are about. */
  readonly objects: ReadonlySet<string>;
  /** Number of steps since contention began that are about other objects. */
  readonly unrelated: number;
}

/** Number of the target's last requests that are shown if the violation names no object (a crash). */
const LAST_REQUESTS = 6;

export function operationRows(
  index: HistoryIndex,
  keys: ReadonlySet<string>,
  violation: Violation,
  from: number,
): ToldOperations {
  const within = index.history.operations.filter(
    (operation) =>
      momentOf(operation, index) >= from && operation.invoked.at <= violation.at && operation.verb !== 'watch',
  );
  const last = keys.size === 0 ? lastOfTarget(within) : undefined;
  const related = within.filter(
    (operation) =>
      isForeignWrite(operation) ||
      (last?.has(operation) ?? (isRelated(index, operation, keys) || operation.fault !== undefined)),
  );
  const objects = new Set(related.flatMap((operation) => (operation.verb === 'list' ? [] : index.keysOf(operation))));
  const context: TextContext = {
    index,
    field: violation.signature.field,
    nameObjects: objects.size !== 1,
    leavesMax: 3,
  };
  const narrow: TextContext = { ...context, leavesMax: 1 };
  const knowledge = gatherKnowledge(index);
  const named = new Set(violation.operations);
  const shownRevisions = new Set(violation.revisions);
  const rows: (OperationRow | SeenRow)[] = [];
  const seen = new Set<string>();
  for (const operation of related) {
    const write = isWrite(operation.verb);
    const guilty = operation.id === violation.operations[0];
    if (write && roleOf(operation.actor) === 'target') {
      rows.push(...seenRows(index, knowledge, operation, keys, context, from, seen));
    }
    const stale = write && operation.outcome.type === 'ok' ? staleText(index, knowledge, operation, keys) : undefined;
    const remark = guilty ? remarkOf(index, violation) : undefined;
    rows.push({
      row: 'operation',
      at: momentOf(operation, index),
      timeMs: (operation.sent ?? operation.invoked).timeMs,
      actor: operation.actor,
      id: operation.id,
      request: requestText(operation, context),
      short: requestText(operation, narrow),
      ...(write ? { answer: answerText(operation, context) } : {}),
      guilty,
      ...given({ remark, stale }),
      shape: shapeOf(operation, index),
      essential:
        named.has(operation.id) ||
        isConflict(operation) ||
        operation.committed.some((made) => shownRevisions.has(made)),
    });
  }
  return { rows: withoutRereads(rows), objects, unrelated: within.length - related.length };
}

/** Returns when an operation took effect, or when a fault prevented it. The rows of a story are sorted by this. */
function momentOf({ sent, invoked, label, fault }: Operation, { history }: HistoryIndex): number {
  if (sent !== undefined || fault === undefined) return (sent ?? invoked).at;
  const kept = history.decisions.find((decision) => decision.kind === 'fault' && decision.label === `${label}!sent`);
  // Places the row directly after the fault.
  return kept === undefined ? invoked.at : kept.at + 0.5;
}

function isRelated(index: HistoryIndex, operation: Operation, keys: ReadonlySet<string>): boolean {
  if (index.keysOf(operation).some((key) => keys.has(key))) return true;
  // A list without any of the objects counts as well: its reader concluded that they did not exist.
  return operation.verb === 'list' && [...keys].some((key) => key.startsWith(`${operation.resource}/`));
}

/** Reports whether a user or writer changed something. Every story shows such writes, unless shrinking has removed them. */
function isForeignWrite(operation: Operation): boolean {
  const role = roleOf(operation.actor);
  return (role === 'user' || role === 'writer') && operation.committed.length > 0;
}

function lastOfTarget(operations: readonly Operation[]): ReadonlySet<Operation> {
  return new Set(operations.filter((operation) => roleOf(operation.actor) === 'target').slice(-LAST_REQUESTS));
}

/** Returns rows for the last received version of each object, unless an earlier row shows the answer that contained it. */
function seenRows(
  index: HistoryIndex,
  knowledge: KnowledgeBase,
  operation: Operation,
  keys: ReadonlySet<string>,
  context: TextContext,
  from: number,
  seen: Set<string>,
): readonly SeenRow[] {
  const rows: SeenRow[] = [];
  for (const key of index.keysOf(operation)) {
    const known = keys.has(key) ? knowledge.before(operation.actor, key, operation.invoked.at) : undefined;
    if (known === undefined || (known.op !== undefined && known.at >= from)) continue;
    const id = `${operation.actor} ${key} ${known.revision}`;
    if (seen.has(id)) continue;
    seen.add(id);
    // A version received before contention is shown at the beginning of the story.
    rows.push({
      row: 'seen',
      at: Math.max(known.at, from),
      actor: operation.actor,
      text: seenText(known, key, context),
    });
  }
  return rows;
}

function seenText(known: Knowledge, key: string, context: TextContext): string {
  const parts = [
    ...(context.nameObjects ? [context.index.shortName(key)] : []),
    String(known.revision),
    known.deleted ? 'deleted' : fieldText(known.object, context.field),
  ];
  return `(${parts.filter((part) => part !== '').join(' ')})`;
}

/** Describes how many versions of the story's objects the target had not received when its write took effect. */
function staleText(
  index: HistoryIndex,
  knowledge: KnowledgeBase,
  operation: Operation,
  keys: ReadonlySet<string>,
): string | undefined {
  if (roleOf(operation.actor) !== 'target') return undefined;
  const moment = momentOf(operation, index);
  let unseen = 0;
  for (const key of keys) {
    const chain = index.chain(key);
    const resource = chain[0]?.resource;
    if (resource === undefined || !knowledge.reads(operation.actor, resource)) continue;
    const known = knowledge.before(operation.actor, key, operation.invoked.at)?.revision ?? 0;
    unseen += chain.filter((revision) => revision.at < moment && revision.revision > known).length;
  }
  return unseen === 0 ? undefined : `⌛ ${countText(unseen, 'version')} unseen`;
}

function remarkOf(index: HistoryIndex, violation: Violation): string | undefined {
  const [guilty, victim] = violation.operations.map((id) => index.operation(id));
  const made = guilty === undefined ? undefined : index.madeBy(guilty.id).at(-1);
  switch (violation.signature.property) {
    case 'no-lost-update':
      return victim === undefined ? 'a change is gone' : `${victim.actor}'s change is gone`;
    case 'cardinality': {
      const alive = made === undefined ? undefined : siblingsAlive(index, made);
      return alive === undefined ? 'one too many' : `number ${alive} is one too many`;
    }
    case 'truthful-status':
      return 'status says more than it had seen';
    case 'survival':
      return 'this error is not caught';
    case 'no-resurrection':
      return 'what was deleted is back';
    case 'convergence':
    case 'deletion-completes':
      if (guilty === undefined) return undefined;
      if (violation.signature.class === 'extra-object' && guilty.resource !== violation.signature.kind)
        return 'its clean-up ends here';
      return isLast(index, guilty, violation) ? 'its last request about it' : undefined;
    default:
      return undefined;
  }
}

/** Reports whether the actor sent no further request about the object, which is the only sign that it gave up. */
function isLast({ history }: HistoryIndex, last: Operation, { at }: Violation): boolean {
  return !history.operations.some(
    ({ id, actor, verb, resource, name, invoked }) =>
      id > last.id &&
      invoked.at <= at &&
      actor === last.actor &&
      verb !== 'watch' &&
      resource === last.resource &&
      (name === last.name || name === ''),
  );
}

function shapeOf(operation: Operation, index: HistoryIndex): string {
  const { outcome } = operation;
  const code = outcome.type === 'ok' || outcome.type === 'fail' ? outcome.code : outcome.type;
  const changed = index.madeBy(operation.id).map((revision) => `${revision.type} ${keyOf(revision)}`);
  // Successful creates are never equal: each adds another object.
  const what = operation.verb === 'create' ? changed.join(' ') : `${operation.resource}/${operation.name}`;
  return [operation.actor, operation.verb, what, operation.subresource, code, changed.length].join(' ');
}

/** Drops reads that the same actor repeats before it writes, except for the last one. */
function withoutRereads(rows: readonly (OperationRow | SeenRow)[]): readonly (OperationRow | SeenRow)[] {
  return rows.filter((row, at) => {
    if (row.row !== 'operation' || row.answer !== undefined || row.essential) return true;
    const next = rows.slice(at + 1).find((other) => other.row === 'operation' && other.actor === row.actor);
    return next?.row !== 'operation' || next.request !== row.request;
  });
}
