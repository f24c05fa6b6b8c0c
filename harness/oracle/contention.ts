/**
 * Measures whether a run exercised anything.
 *
 * Owns: counters of interference with the target, summed over a campaign. Passing runs without any contention prove nothing.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import { parentOf, revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History, Operation, Revision } from '../model/history.ts';
import { isWrite, phaseStart } from '../model/history.ts';
import { carriedVersion } from './base-content.ts';

/** Counters of interference with the target. */
export interface Contention {
  readonly [counter: string]: number;
  /** The target's writes that were rejected because of a version conflict or because the name was taken. */
  readonly conflicts: number;
  /** The target's writes based on a version that was no longer the live one, and its creates of existing objects that it had not seen. */
  readonly staleReads: number;
  /** The target's stale writes where the newer version was another writer's. */
  readonly foreignWritesBetweenReadAndWrite: number;
  readonly faults: number;
  /** Watch events that reached the target only after it had sent another request. */
  readonly heldEvents: number;
  readonly lostResponses: number;
  readonly crashes: number;
}

/** Returns the counters since contention began. Cheap, because it is computed for every run. */
export function contention(history: History): Contention {
  const since = phaseStart(history, 'contention');
  let conflicts = 0;
  let staleReads = 0;
  let foreign = 0;
  let lostResponses = 0;
  const sends: number[] = [];
  for (const operation of history.operations) {
    const { outcome, invoked, verb } = operation;
    if (invoked.at < since || roleOf(operation.actor) !== 'target' || verb === 'watch') continue;
    sends.push(invoked.at);
    if (outcome.type === 'info') lostResponses++;
    if (!isWrite(verb)) continue;
    if (outcome.type === 'fail' && outcome.code === 409) conflicts++;
    const newer = overtakenBy(history, operation)?.live ?? unseenBy(history, operation);
    if (newer === undefined) continue;
    staleReads++;
    if (roleOf(newer.actor) !== 'target') foreign++;
  }
  return {
    conflicts,
    staleReads,
    foreignWritesBetweenReadAndWrite: foreign,
    faults: history.decisions.filter((decision) => decision.kind === 'fault').length,
    heldEvents: sends.length === 0 ? 0 : heldEvents(history, since, sends),
    lostResponses,
    crashes: history.processes.filter((event) => event.kind === 'crashed').length,
  };
}

/** Returns how many versions the written object was ahead of what the target had received. */
export function versionsBehind(history: History, operation: Operation): number {
  const overtaken = overtakenBy(history, operation);
  if (overtaken === undefined) return 0;
  const { live, seen } = overtaken;
  return history.revisions.filter(
    ({ uid, revision }) => uid === live.uid && revision > seen && revision <= live.revision,
  ).length;
}

interface Overtaken {
  readonly live: Revision;
  /** The newest version that the target had received. */
  readonly seen: number;
}

/** Returns the live version of the written object, if the target had only received an older one. */
function overtakenBy(history: History, operation: Operation): Overtaken | undefined {
  const before = operation.sent?.at ?? operation.invoked.at;
  const place = placeOf(operation);
  if (place === undefined) return undefined;
  const live =
    place.uid === undefined
      ? lastNamed(history, operation, place.name, before)
      : history.revisions.findLast(({ at, uid }) => at < before && uid === place.uid);
  if (live === undefined) return undefined;
  const seen = carriedVersion(operation) ?? newestSeen(history, operation, live.uid);
  return seen !== undefined && seen < live.revision ? { live, seen } : undefined;
}

/**
 * Returns the live object that made a create fail, if the target reads objects of its kind and had not received this one: it acted on a
 * cache, a list or a read in which the object was absent.
 */
function unseenBy(history: History, operation: Operation): Revision | undefined {
  const { actor, verb, resource, body, outcome, invoked } = operation;
  if (verb !== 'create' || outcome.type !== 'fail' || outcome.code !== 409 || !isMap(body)) return undefined;
  const { name = '' } = (body as Partial<KubeObject>).metadata ?? {};
  const live = lastNamed(history, operation, name, invoked.at);
  if (live === undefined || live.type === 'DELETED') return undefined;
  const reads = history.operations.some(
    (one) => one.actor === actor && one.resource === resource && !isWrite(one.verb) && one.invoked.at < invoked.at,
  );
  return reads && newestSeen(history, operation, live.uid) === undefined ? live : undefined;
}

/** Returns the last version before a tick of the object with the given name and with the kind and namespace of the request. */
function lastNamed(
  { revisions }: History,
  { resource, namespace }: Operation,
  name: string,
  before: number,
): Revision | undefined {
  return revisions.findLast(
    (one) => one.at < before && one.name === name && one.resource === resource && one.namespace === namespace,
  );
}

/** Returns the object that a request is based on: the owner for a create, else the object itself. */
function placeOf({ verb, name, body }: Operation): { readonly name: string; readonly uid?: string } | undefined {
  if (verb !== 'create') return name === '' ? undefined : { name };
  if (!isMap(body)) return undefined;
  const { metadata } = body as Partial<KubeObject>;
  const uid = metadata === undefined ? undefined : parentOf({ metadata })?.uid;
  return uid === undefined ? undefined : { name: '', uid };
}

function newestSeen(history: History, operation: Operation, uid: string): number | undefined {
  const before = operation.invoked.at;
  let newest: number | undefined;
  for (const { actor, at, revision, object } of history.deliveries) {
    if (at > before) break;
    if (actor === operation.actor && object?.metadata.uid === uid) newest = Math.max(newest ?? 0, revision);
  }
  for (const { actor, outcome, answered, invoked } of history.operations) {
    if (invoked.at >= before) break;
    if (actor !== operation.actor || outcome.type !== 'ok' || answered === undefined || answered.at > before) continue;
    if (outcome.object?.metadata?.uid === uid) newest = Math.max(newest ?? 0, revisionOf(outcome.object));
    for (const item of outcome.items ?? []) {
      if (item.metadata.uid === uid) newest = Math.max(newest ?? 0, revisionOf(item));
    }
  }
  return newest;
}

/** @param sends - The ticks of the target's requests, increasing. */
function heldEvents({ deliveries }: History, since: number, sends: readonly number[]): number {
  let held = 0;
  for (const { actor, at, available } of deliveries) {
    if (at < since || roleOf(actor) !== 'target') continue;
    let low = 0;
    let high = sends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sends[middle] ?? 0) <= available.at) low = middle + 1;
      else high = middle;
    }
    if ((sends[low] ?? Number.POSITIVE_INFINITY) < at) held++;
  }
  return held;
}
