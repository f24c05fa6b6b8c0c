/**
 * P2, no lost update: an acknowledged change by another writer is visible, or was replaced by a writer that had seen it.
 *
 * Owns: the report and severity of a loss. Does not own: finding losses (`oracle/field-ledger.ts`). Only leaves that the target never
 * changed in a reference are judged; drift on its own leaves belongs to P1 and P3. Deleting the whole object is not a lost update.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Revision } from '../harness/model/history.ts';
import { isEmptyValue, leafPattern, leavesOf } from '../harness/model/leaf.ts';
import type { LeafChange } from '../harness/model/leaf.ts';
import { isAsOnOwner } from '../harness/oracle/copied-entries.ts';
import { isFromScratch } from '../harness/oracle/base-content.ts';
import { driftAnswer, driftRequest } from '../harness/oracle/drift.ts';
import type { DriftRequest } from '../harness/oracle/drift.ts';
import { findLosses } from '../harness/oracle/field-ledger.ts';
import type { Loss } from '../harness/oracle/field-ledger.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import type { Property } from '../harness/oracle/property.ts';
import { isShared } from './exercised.ts';

/** Maximum number of drift tests requested at once: enough for one write that reverts a whole object, few enough to stay affordable. */
const PROBES_MAX = 8;
const NAME = 'no-lost-update';
const SHARED_PLACE = /^(metadata\.(?:finalizers|ownerReferences|labels|annotations)|status\.conditions)\b/;

export const noLostUpdate: Property = {
  name: NAME,
  id: 'P2',
  kind: 'safety',
  about: 'an acknowledged change by another writer stays visible, or is replaced by a writer that had seen it',
  check,
  exercised: isShared,
};

function check(history: History): CheckResult {
  const losses = findLosses(history);
  if (losses.length === 0) return HOLDS;
  if (history.reference === undefined) {
    return {
      result: 'inconclusive',
      reason: 'there are no undisturbed runs to show which fields are the target’s',
    };
  }
  const violations: Violation[] = [];
  const needs = new Map<string, DriftRequest>();
  for (const loss of losses) {
    if (isLeftOut(history, loss)) continue;
    if (!loss.drift) {
      violations.push(violationOf(history, loss));
      continue;
    }
    const request = driftRequest(history, loss);
    // A write that cannot be repeated at rest does not show who owns the field.
    if (request === undefined) continue;
    const answer = driftAnswer(history, request);
    if (answer === 'kept') violations.push(violationOf(history, loss));
    else if (answer === 'replaced') violations.push(replacedAnyway(history, loss));
    else if (answer === 'unknown') needs.set(JSON.stringify(request), request);
  }
  if (needs.size > 0) {
    return {
      result: 'inconclusive',
      reason:
        'a field that another writer had set was overwritten, and no further run showed whether it is the target’s to set',
      needs: [...needs.values()].slice(0, PROBES_MAX),
    };
  }
  return violations.length === 0 ? HOLDS : { result: 'violated', violations };
}

/**
 * Reports whether the target copied the field from the object's owner, or only an empty value is missing from an object that was otherwise
 * sent back as read: encoders omit `false`, `0` and empty values, and an omitted value means the same.
 */
function isLeftOut(history: History, loss: Loss): boolean {
  if (loss.changes.every((change) => isAsOnOwner(indexOf(history), loss.guilty, change))) return true;
  if (loss.class !== 'removed-foreign' && loss.class !== 'rebuilt') return false;
  const lost = new Set(loss.changes.map(({ path }) => path));
  const set = indexOf(history)
    .changes(loss.victim)
    .filter(({ path }) => lost.has(path));
  return set.length > 0 && set.every(({ to }) => to !== undefined && isEmptyValue(to));
}

/** Returns a warning: the target replaces the field undisturbed as well, so contention does not matter. */
function replacedAnyway(history: History, loss: Loss): Violation {
  const found = violationOf(history, { ...loss, drift: false });
  const sentence = `${found.sentence}; undisturbed, it replaces it as well, at the user's next change or at a resync`;
  return { ...found, sentence, severity: 'warning' };
}

function violationOf(history: History, loss: Loss): Violation {
  const { victim, guilty, field } = loss;
  const whole = ownedWhole(history, loss);
  return {
    signature: {
      property: NAME,
      class: loss.class,
      actors: [roleOf(guilty.actor), roleOf(victim.actor)],
      kind: guilty.resource,
      field: place(field),
    },
    sentence: sentence(history, loss, whole),
    operations: [guilty.op, ...(victim.op >= 0 ? [victim.op] : [])],
    revisions: [victim.revision, guilty.revision],
    at: guilty.at,
    severity: whole === undefined ? 'error' : 'warning',
  };
}

/** What a target may treat as entirely its own ({@link ownedWhole}). */
type Whole = 'list' | 'child' | 'status';

/** What a controller may set as a whole in objects that it created. Finalizers and the status are shared. */
const OWN_PARTS = /^(?:metadata\.(?:labels|annotations|ownerReferences)|spec|data|binaryData|stringData)\b/;
/** A value of the status that is in no list or map. */
const STATUS_VALUE = /^status\.[^.[\]]+$/;

/**
 * Returns what the target treats as entirely its own, if that is why the change was lost; other clients rarely have content there. Only
 * removed content counts: if an old value is back, it was copied, so the target does keep what it has read. A write that replaces a map
 * with a computed one looks like an older version; it counts if it names the version of the lost change or a newer one, unless it is a
 * retry after a conflict, which may be the old content under a new version.
 *
 * - `list`: conditions in a list whose schema declares no keys. The API server treats such a list as one value with one field manager.
 * - `child`: an object that the target created, and of which it overwrites a whole part: it built the object from scratch, or dropped what
 *   it had read.
 * - `status`: a single value of a status in which the target sets such values in undisturbed runs too. Lists and maps of a status may have
 *   several writers. A value that the target replaces with one that the object never had is its own as well: {@link isOwnMessage}.
 */
function ownedWhole(history: History, loss: Loss): Whole | undefined {
  const { guilty, victim, operation, carried = 0, field, changes, class: kind } = loss;
  if (kind === 'own-update-lost') return undefined;
  if (changes.some(({ to }) => to !== undefined)) return isOwnMessage(history, loss) ? 'status' : undefined;
  if (field.startsWith('status.conditions['))
    return history.reference?.wholeConditions?.includes(guilty.resource) === true ? 'list' : undefined;
  const index = indexOf(history);
  const hadRead = kind === 'removed-foreign' || kind === 'rebuilt';
  const knew = hadRead || (carried >= victim.revision && !afterConflict(history, loss));
  if (STATUS_VALUE.test(field)) return knew && setsStatus(history, guilty) ? 'status' : undefined;
  if (!OWN_PARTS.test(field)) return undefined;
  const [first] = index.chain(guilty.uid);
  const created = first?.type === 'ADDED' && roleOf(first.actor) === 'target';
  return created && (isFromScratch(operation) || knew) ? 'child' : undefined;
}

/** Reports whether the target sets single values of this status in undisturbed runs. */
function setsStatus(history: History, guilty: Revision): boolean {
  const owned = history.reference?.ownedLeaves[indexOf(history).role(guilty)] ?? [];
  return owned.some((leaf) => STATUS_VALUE.test(leaf));
}

/**
 * Reports whether the target replaces a single text of its status with a new one, such as the message of an error that undisturbed runs
 * do not meet. A text that the object had before may be older content, and a number may have been counted up from it.
 */
function isOwnMessage(history: History, { guilty, field, changes, class: kind }: Loss): boolean {
  if (kind !== 'blind-overwrite' || !STATUS_VALUE.test(field) || !setsStatus(history, guilty)) return false;
  const earlier = indexOf(history)
    .chain(guilty.uid)
    .filter(({ revision }) => revision < guilty.revision);
  return changes.every(
    ({ path, to }) =>
      typeof to === 'string' && earlier.every(({ object }) => !jsonEqual(leavesOf(object).get(path), to)),
  );
}

function sentence(history: History, loss: Loss, whole: Whole | undefined): string {
  const { guilty, victim, field, drift } = loss;
  const whose = victim.actor === guilty.actor ? 'its own' : `${victim.actor}'s`;
  const rest = drift ? `; at rest it leaves ${shortField(field)} alone` : '';
  return `${guilty.actor} reverted ${whose} acknowledged ${whatChanged(history, loss)} (version ${victim.revision}): ${why(history, loss, whole)}${rest}`;
}

/** Describes the lost change: `spec.replicas 3→5`, `metadata.finalizers["x/y"]`. */
function whatChanged(history: History, { victim, field, changes }: Loss): string {
  const before = indexOf(history)
    .changes(victim)
    .find((change) => change.path === changes[0]?.path);
  if (before === undefined || changes.length !== 1 || field !== changes[0]?.path) return field;
  if (field.endsWith(']') && before.from === undefined) return field;
  return `${field} ${valueOf(before, 'from')}→${valueOf(before, 'to')}`;
}

function why(history: History, loss: Loss, whole: Whole | undefined): string {
  const { base, carried, operation, victim, newest, field, rebuilt } = loss;
  const request = requestName(loss);
  if (whole === 'list') return `its ${request} replaces the list, for whose items the CRD declares no keys`;
  if (whole === 'child' && isFromScratch(operation)) return `its ${request} builds the object from scratch`;
  switch (loss.class) {
    case 'own-update-lost':
      return `its ${request}, in flight at the same time, carries content of version ${base?.revision ?? 0} and undoes it`;
    case 'carried-back': {
      if (whole !== undefined) {
        return `its ${request} leaves it out, under a version that has it (${carried ?? 0})`;
      }
      const content = `its ${request} carries content of version ${base?.revision ?? 0}`;
      if (carried === undefined) return `${content} and no version, so nothing was checked`;
      if (carried < victim.revision) return content;
      return `${content} under version ${carried}${afterConflict(history, loss) ? ', fetched after a 409' : ''}`;
    }
    case 'removed-foreign':
      return `its ${request} drops it, though version ${base?.revision ?? 0} with it had reached it`;
    case 'rebuilt':
      return `its ${request} rebuilds ${rebuilt(field) ?? field} without it, though version ${base?.revision ?? 0} with it had reached it`;
    case 'blind-overwrite': {
      const unchecked = carried === undefined ? ' and without naming a version' : '';
      if (newest === undefined)
        return `its ${request} was sent without ever having read ${operation.resource}/${victim.name}`;
      return `its ${request} sets the field without having seen that version (newest seen: ${newest.revision})${unchecked}`;
    }
  }
}

function requestName({ operation }: Loss): string {
  const { verb, contentType = '', subresource } = operation;
  const where = subresource === '' ? '' : ` of ${subresource}`;
  if (verb !== 'patch') return `${verb === 'update' ? 'PUT' : verb}${where}`;
  if (contentType.includes('apply-patch'))
    return `${operation.query['force'] === 'true' ? 'forced ' : ''}apply${where}`;
  if (contentType.includes('json-patch')) return `JSON patch${where}`;
  return `${contentType.includes('strategic') ? 'strategic merge' : 'merge'} patch${where}`;
}

/** Reports whether the write followed a rejected write of the same object. */
function afterConflict(history: History, { operation, base }: Loss): boolean {
  return history.operations.some(
    (other) =>
      other.actor === operation.actor &&
      other.resource === operation.resource &&
      other.namespace === operation.namespace &&
      other.name === operation.name &&
      other.outcome.type === 'fail' &&
      other.outcome.code === 409 &&
      other.invoked.at > (base?.at ?? -1) &&
      (other.answered?.at ?? Number.POSITIVE_INFINITY) < operation.invoked.at,
  );
}

function valueOf(change: LeafChange, side: 'from' | 'to'): string {
  const value: JsonValue | undefined = change[side];
  const text = value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** Returns the last part of a leaf path, as people name it. */
function shortField(field: string): string {
  const match = /([A-Za-z_$][\w$-]*)$|\["([^"]*)"\]$|(\[[^[]*\])$/.exec(field);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? field;
}

/**
 * Returns the place of a loss, by which findings are distinguished. Each shared list, and all labels and all annotations, count
 * as one place, because a write that loses one item may lose any of them.
 */
function place(field: string): string {
  return SHARED_PLACE.exec(field)?.[1] ?? leafPattern(field);
}
