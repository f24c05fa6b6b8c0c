/**
 * The guilty request of a violation as a cause: which request it was and where its content came from.
 *
 * Owns: how requests are distinguished. Decisions of the controller's code count (verb, resource, whether it sends a version, which fields
 * a patch sets), accidents of a run do not (names, numbers, how old the content was). So the same request has the same key in every run,
 * whether shrunk or not. Does not own: other kinds of causes (`cause.ts`).
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import type { Cause } from '../model/cause.ts';
import type { Violation } from '../model/check-result.ts';
import type { History, Operation, Revision } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import { carriedVersion } from './base-content.ts';
import { causeOf, type Effect } from './cause-kinds.ts';
import { lossesOf } from './dropped-content.ts';
import { indexOf } from './history-index.ts';

const EFFECTS: { readonly [kind: string]: Effect } = {
  'carried-back': 'stale',
  'blind-overwrite': 'stale',
  'own-update-lost': 'stale',
  'removed-foreign': 'drops',
  rebuilt: 'drops',
  'went-back': 'stale',
  'ahead-of-generation': 'claims',
  'never-delivered': 'claims',
  'not-acted-upon': 'claims',
};

/** Fields that identify an object; they do not show what a patch changes. */
const IDENTITY = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'managedFields']);

/**
 * Returns the causes for the write that a violation names. If its content may have been old or incomplete, both causes are returned: if
 * either cause is known, the violation is a symptom of it.
 */
export function writeCauses(
  history: History,
  operation: Operation,
  { signature: { class: kind }, revisions }: Violation,
): readonly Cause[] {
  if (kind !== 'carried-back') return [writeCause(history, operation, kind)];
  return lossesOf(history, operation, revisions).map((loss) =>
    writeCause(history, operation, loss === 'gone' ? 'removed-foreign' : kind),
  );
}

/** Returns the cause for a write with content that it should not have had, by the class of its effect. */
export function writeCause(history: History, operation: Operation, kind: string): Cause {
  const patch = operation.verb === 'patch';
  const versioned = carriedVersion(operation) !== undefined;
  const effect = effectOf(history, operation, kind);
  const shape = shapeOf(operation);
  const place = placeOf(operation);
  // For a patch without a version, losing unseen content and dropping seen content are the same mistake: the run decides which occurs.
  const effectInKey = patch && !versioned && effect === 'drops' ? 'stale' : effect;
  const of = [resourceOf(operation), ...(place === '' ? [] : [place])].join(' ');
  return causeOf({ kind: 'write', shape, of, effect: effectInKey, patch, versioned });
}

function effectOf(history: History, operation: Operation, kind: string): Effect {
  const effect = EFFECTS[kind] ?? 'stale';
  // The actor had received an earlier object of this name: the generation was stale, not invented.
  if (kind !== 'not-acted-upon' && effect === 'claims' && isOfAnother(history, operation)) return 'stale';
  return effect;
}

/** Reports whether another object had this name before. */
function isOfAnother({ revisions }: History, { resource, namespace, name, committed }: Operation): boolean {
  const ofName = (revision: Revision): boolean =>
    revision.resource === resource && revision.namespace === namespace && revision.name === name;
  const written = revisions.find((revision) => revision.revision === committed[0]);
  return revisions.some(
    (revision) => ofName(revision) && revision.uid !== written?.uid && revision.at < (written?.at ?? 0),
  );
}

/** Returns, for example, `PUT without a version`, `forced apply` or `merge patch`. */
export function shapeOf(operation: Operation): string {
  const { verb, contentType = '', query } = operation;
  if (verb === 'update') return carriedVersion(operation) === undefined ? 'PUT without a version' : 'PUT';
  if (verb !== 'patch') return verb;
  const kind = contentType.includes('apply-patch')
    ? query['force'] === 'true'
      ? 'forced apply'
      : 'apply'
    : contentType.includes('json-patch')
      ? 'JSON patch'
      : contentType.includes('strategic')
        ? 'strategic merge patch'
        : 'merge patch';
  return carriedVersion(operation) === undefined ? kind : `${kind} under a version`;
}

/** Returns, for example, `deployments.apps` or `releases.example.com/status`. */
export function resourceOf({ resource, subresource }: Pick<Operation, 'resource' | 'subresource'>): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/**
 * Returns the part of the metadata that a patch changes, if it changes nothing else: a controller that patches only finalizers does so in
 * code of its own.
 */
function placeOf({ verb, body, contentType = '' }: Operation): string {
  if (verb !== 'patch' || contentType.includes('apply-patch')) return '';
  const parts = new Set(Array.isArray(body) ? pointers(body) : isMap(body) ? partsOf(body) : []);
  const [only] = parts;
  return parts.size === 1 && only !== undefined && only.startsWith('metadata.') ? only : '';
}

function partsOf(body: JsonObject): readonly string[] {
  const { metadata, apiVersion: _apiVersion, kind: _kind, ...rest } = body;
  const own = isMap(metadata) ? Object.keys(metadata).filter((name) => !IDENTITY.has(name)) : [];
  return [...own.map((name) => `metadata.${name}`), ...Object.keys(rest)];
}

function pointers(steps: readonly unknown[]): readonly string[] {
  return steps.flatMap((step) => {
    const { op, path } = step as { readonly op?: unknown; readonly path?: unknown };
    if (op === 'test' || typeof path !== 'string') return [];
    const [first = '', second = ''] = path.split('/').slice(1);
    return first === 'metadata' && !IDENTITY.has(second) ? [`metadata.${second}`] : first === 'metadata' ? [] : [first];
  });
}

/** Returns the requests of a loop as causes, the most frequent first, from all operations that a finding names. */
export function loopCauses(history: History, ids: readonly number[]): readonly Cause[] {
  const index = indexOf(history);
  const operations = ids.flatMap((id) => index.operation(id) ?? []);
  const failed = operations.filter(({ outcome }) => outcome.type === 'fail' || outcome.type === 'info');
  const again = failed.length * 2 > operations.length;
  const counts = new Map<string, number>();
  // The reads of a loop that writes are incidental and occur in many other loops.
  const writes = operations.filter(({ verb }) => isWrite(verb));
  for (const operation of again ? failed : writes.length > 0 ? writes : operations) {
    const request = again && isDeleteOfMissing(operation) ? OF_THE_GONE : `${operation.verb} ${resourceOf(operation)}`;
    counts.set(request, (counts.get(request) ?? 0) + 1);
  }
  const ordered = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const causes = ordered.map(([request]) => causeOf({ kind: again ? 'retries' : 'loop', request }));
  // Repeated deletes are one cause, regardless of the answer and of the deleted object; a 404 is merely the answer that never changes.
  const isOfDeletes = again && failed.every(({ verb }) => verb === 'delete');
  return isOfDeletes ? [...causes, causeOf({ kind: 'deletes repeated' })] : causes;
}

const OF_THE_GONE = 'delete objects that are gone';

/** Reports whether a delete was answered 404; a controller that treats this as a failure does so for any object. */
function isDeleteOfMissing({ verb, outcome }: Operation): boolean {
  return verb === 'delete' && outcome.type === 'fail' && outcome.code === 404;
}
