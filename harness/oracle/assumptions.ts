/**
 * Checks whether a run was legal.
 *
 * Owns: etcd's watch guarantees (ordered, unique, atomic, reliable, resumable, bookmarkable) and the read rules, checked on our own
 * histories: a violation is a bug of the harness, never a finding. Does not own: whether the run exercised anything (`contention.ts`).
 * Start at {@link checkLegality}.
 */
import { revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { Delivery, History, Operation, Revision } from '../model/history.ts';
import { partsOf } from '../model/label.ts';

/** Returns sentences that name the guarantees that a history violates; empty for a legal one. */
export function checkLegality(history: History): readonly string[] {
  const breaches: string[] = [];
  const byNumber = new Map(history.revisions.map((revision) => [revision.revision, revision]));
  checkRevisions(history, breaches);
  for (const stream of streamsOf(history)) checkStream(history, byNumber, stream, breaches);
  for (const operation of history.operations) checkOperation(history, byNumber, operation, breaches);
  return breaches;
}

function checkRevisions({ revisions }: History, breaches: string[]): void {
  for (let index = 1; index < revisions.length; index++) {
    const before = revisions[index - 1];
    const revision = revisions[index];
    if (before === undefined || revision === undefined) continue;
    if (revision.revision <= before.revision || revision.at <= before.at) {
      breaches.push(`atomic: version ${revision.revision} was made after version ${before.revision}`);
    }
  }
}

interface Stream {
  readonly label: string;
  readonly deliveries: Delivery[];
  /** The watch request that opened the stream; undefined if no operation has the stream's label. */
  readonly opened: Operation | undefined;
}

/** Returns the streams of a history. Each label names exactly one stream, which `Recorder.renumber` in the gate ensures. */
function streamsOf(history: History): readonly Stream[] {
  const streams = new Map<string, Stream>();
  for (const delivery of history.deliveries) {
    let stream = streams.get(delivery.stream);
    if (stream === undefined) {
      const opened = history.operations.find(
        ({ verb, label, actor }) => verb === 'watch' && label === delivery.stream && actor === delivery.actor,
      );
      streams.set(delivery.stream, (stream = { label: delivery.stream, deliveries: [], opened }));
    }
    stream.deliveries.push(delivery);
  }
  return [...streams.values()];
}

function checkStream(
  history: History,
  byNumber: ReadonlyMap<number, Revision>,
  { label, deliveries, opened }: Stream,
  breaches: string[],
): void {
  const synthetic = initialEvents(history, opened);
  let last = resumedFrom(opened) ?? 0;
  const known = resumedFrom(opened) !== undefined;
  let first = true;
  for (const { type, revision, at, object } of deliveries) {
    if (type === 'ERROR') continue;
    if (type === 'BOOKMARK') {
      if (revision < last) breaches.push(`bookmarkable: ${label} got a bookmark of version ${revision} after ${last}`);
      if (known || !first) checkGap(history, label, last, revision, object, breaches);
      last = Math.max(last, revision);
      first = false;
      continue;
    }
    if (type === 'ADDED' && revision <= synthetic) continue;
    const made = byNumber.get(revision);
    if (made !== undefined && made.at > at) {
      breaches.push(`ordered: ${label} delivered version ${revision} before it was made`);
    }
    if (made !== undefined && made.uid !== object?.metadata.uid) {
      breaches.push(`atomic: ${label} delivered version ${revision} as another object`);
    }
    if (revision === last && !first) breaches.push(`unique: ${label} delivered version ${revision} twice`);
    else if (revision < last) breaches.push(`ordered: ${label} delivered version ${revision} after ${last}`);
    else if (known || !first) checkGap(history, label, last, revision - 1, object, breaches);
    last = Math.max(last, revision);
    first = false;
  }
}

/** Returns the newest revision that the watch sent as part of its initial state, where events are ordered by name and not by revision. */
function initialEvents(history: History, opened: Operation | undefined): number {
  if (opened === undefined || resumedFrom(opened) !== undefined)
    return opened === undefined ? Number.POSITIVE_INFINITY : 0;
  const at = opened.sent?.at ?? opened.invoked.at;
  const newest = history.revisions.findLast((revision) => revision.at < at);
  if (newest !== undefined) return newest.revision;
  // The watch opened before the first change, so all of its initial events are older than that change.
  const [oldest] = history.revisions;
  return oldest === undefined ? Number.POSITIVE_INFINITY : oldest.revision - 1;
}

/** Returns the revision from which the watch resumed; undefined if it began with the current state. */
function resumedFrom(opened: Operation | undefined): number | undefined {
  const { resourceVersion = '', sendInitialEvents } = opened?.query ?? {};
  return resourceVersion === '' || resourceVersion === '0' || sendInitialEvents === 'true'
    ? undefined
    : Number(resourceVersion);
}

/** Checks that no event between two delivered revisions is missing (reliable). Streams with a selector see only part of a collection. */
function checkGap(
  { revisions }: History,
  label: string,
  after: number,
  upTo: number,
  sample: KubeObject | undefined,
  breaches: string[],
): void {
  if (label.includes('?')) return;
  const {
    resource,
    rest: [scope = '*'],
  } = partsOf(label);
  const missed = revisions.find(
    (revision) =>
      revision.revision > after &&
      revision.revision <= upTo &&
      revision.resource === resource &&
      (scope === '*' || scope === '-' || revision.namespace === scope),
  );
  if (missed === undefined) return;
  const next = sample?.metadata.resourceVersion ?? upTo + 1;
  breaches.push(`reliable: ${label} skipped version ${missed.revision} between ${after} and ${next}`);
}

function checkOperation(
  history: History,
  byNumber: ReadonlyMap<number, Revision>,
  operation: Operation,
  breaches: string[],
): void {
  const { outcome, verb, label, committed, query, sent, answered } = operation;
  if (outcome.type === 'fail') {
    if (committed.length > 0)
      breaches.push(`${label} was refused with ${outcome.code} and yet made version ${committed[0] ?? 0}`);
    return;
  }
  if (outcome.type !== 'ok' || sent === undefined || operation.resource === '') return;
  if (verb === 'get' && operation.subresource === '') {
    const { object } = outcome;
    if (object === undefined || !isFresh(query)) return;
    const shown = revisionOf(object);
    const live = history.revisions.findLast(({ at, uid }) => at < sent.at && uid === object.metadata?.uid);
    // While a write waits for a webhook of the target, a later request may be committed first.
    const made = byNumber.get(shown);
    const isMeanwhile = made !== undefined && made.at > sent.at && (answered === undefined || made.at < answered.at);
    if (live !== undefined && live.revision !== shown && !isMeanwhile) {
      breaches.push(`${label} asked for the most recent version and got version ${shown} instead of ${live.revision}`);
    }
  } else if (verb === 'list') {
    if (!isFresh(query) || query['continue'] !== undefined || outcome.listRevision === undefined) return;
    const live = history.revisions.findLast(({ at }) => at < sent.at)?.revision ?? 0;
    if (outcome.listRevision < live) {
      breaches.push(
        `${label} asked for the most recent version and got the list of version ${outcome.listRevision} instead of ${live}`,
      );
    }
  } else if (verb === 'create' || verb === 'update' || verb === 'patch') {
    if (query['dryRun'] !== undefined || operation.subresource !== '' || committed.length > 0) return;
    const { object } = outcome;
    if (verb === 'create' && object?.metadata?.uid !== undefined) {
      breaches.push(`lost write: ${label} was acknowledged and made no version`);
    }
    if (verb !== 'create' && object !== undefined && history.revisions.length > 0) {
      const number = object.metadata?.resourceVersion === undefined ? 0 : revisionOf(object);
      const [oldest] = history.revisions;
      if (number > (oldest?.revision ?? 0) && !byNumber.has(number)) {
        breaches.push(`lost write: ${label} was acknowledged with version ${number}, which does not exist`);
      }
    }
  }
}

/** Reports whether a read must return the most recent state: it has neither a resourceVersion nor a resourceVersionMatch. */
function isFresh({ resourceVersion = '', resourceVersionMatch }: Operation['query']): boolean {
  return resourceVersion === '' && resourceVersionMatch === undefined;
}

export { contention } from './contention.ts';
export type { Contention } from './contention.ts';
