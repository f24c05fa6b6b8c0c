/**
 * P6, deletion completes: a deleted object disappears once it is up to the target to remove its finalizers.
 *
 * Judges objects that are terminating at rest with only finalizers that the target itself adds; while another client's
 * finalizer is present, the target may be waiting for that client. Suspicious runs get a longer settle phase. If a fresh copy
 * of the target changes the finalizers or deletes objects, something in the run stopped the target; if the fresh copy waits too, a
 * violation is reported only if no other client has changed what it may be waiting for, and if the object goes away undisturbed.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Revision } from '../harness/model/history.ts';
import type { ProbeRequest } from '../harness/model/probe.ts';
import { indexOf, names } from '../harness/oracle/history-index.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import type { Property } from '../harness/oracle/property.ts';
import { lastProbe } from '../harness/oracle/last-probe.ts';
import { changedAlone, lateText, leftAloneNeeds, type Alone } from '../harness/oracle/left-alone.ts';
import { changesLeaf, restartWrites } from '../harness/oracle/restart-writes.ts';
import { earnedSettleMs, isAtRest, RETRIES_TOO_LATE } from '../harness/oracle/rest.ts';
import { unlessUndisturbedToo } from '../harness/oracle/undisturbed-too.ts';
import { isTerminating } from './exercised.ts';

const NAME = 'deletion-completes';
const SAME_UNDISTURBED = 'undisturbed, it stays as well: the target may be waiting for what still uses it';

export const deletionCompletes: Property = {
  name: NAME,
  id: 'P6',
  kind: 'liveness',
  about: 'a deleted object goes away: the target removes its own finalizers once no other finalizer is left',
  check,
  exercised: isTerminating,
};

function check(history: History): CheckResult {
  const index = indexOf(history);
  const stuck = terminating(index);
  if (stuck.length === 0) return HOLDS;
  const { reference, settlement } = history;
  if (reference === undefined)
    return unclear('there are no undisturbed runs to show which finalizers are the target’s');
  const own = stuck.filter((revision) => isKeptByTargetAlone(history, index.role(revision), revision));
  const [first] = own;
  if (first === undefined) return HOLDS;
  if (settlement.result !== 'quiescent')
    return unclear(
      'the run never came to rest, so there is no final state to judge (bounded-rate judges whether it may be this busy)',
    );
  // A target that does not complete a deletion undisturbed cannot be expected to do so in a trial.
  if (!reference.deletes.includes(index.role(first))) {
    return unclear(
      'the target did not finish this deletion undisturbed either: the object may not be meant to be deleted',
    );
  }
  const extended = lastProbe(history, 'extended-settle');
  const still = extended !== undefined && isAtRest(extended) ? own.filter((one) => isStuck(extended.final, one)) : own;
  const [shown] = still;
  if (shown === undefined) return HOLDS;
  const alone = changedAlone(history);
  const left = still.find((one) => alone === undefined || isStuck(alone.final, one));
  if (alone !== undefined && left === undefined) return releasedLate(index, shown, alone);
  return judgeStuck(history, index, left ?? shown);
}

function releasedLate(index: HistoryIndex, stuck: Revision, alone: Alone): CheckResult {
  const sentence = `controller releases ${describe(index, stuck)}, ${lateText(alone)}`;
  return { result: 'violated', violations: [{ ...violation(index, stuck, ''), sentence, severity: 'warning' }] };
}

function judgeStuck(history: History, index: HistoryIndex, stuck: Revision): CheckResult {
  const windowMs = earnedSettleMs(history);
  if (windowMs === undefined) return RETRIES_TOO_LATE;
  const extended = lastProbe(history, 'extended-settle');
  const fresh = lastProbe(history, 'fresh-incarnation');
  if (extended === undefined || extended.windowMs < windowMs || fresh === undefined) {
    const needs: ProbeRequest[] = [...leftAloneNeeds(history)];
    if (extended === undefined || extended.windowMs < windowMs) needs.push({ probe: 'extended-settle', windowMs });
    if (fresh === undefined) needs.push({ probe: 'fresh-incarnation' });
    return {
      ...unclear(
        'an object is still being deleted at the end; could not determine whether more time or a restart would finish that',
      ),
      needs,
    };
  }
  if (!isAtRest(extended) || !fresh.settled)
    return unclear('the target was given more time and was still not at rest, or its fresh copy was not');
  const name = index.shortName(stuck);
  const goesOn = restartWrites(fresh).some(
    (write) =>
      /^delete(?:collection)? /.test(write.text) ||
      (write.object === name && changesLeaf(write, 'metadata.finalizers')),
  );
  if (goesOn) {
    return { result: 'violated', violations: [violation(index, stuck, 'a fresh copy of it would continue')] };
  }
  if (isDisturbed(index))
    return unclear(
      'a deletion is still pending at the end, and may be waiting for something that other writers have changed',
    );
  const left = violation(index, stuck, 'a restart would not fix it either');
  // The target may wait by design, for example for what still uses the object.
  const { sentence } = violation(index, stuck, SAME_UNDISTURBED);
  return unlessUndisturbedToo(history, left, sentence, ({ final }) => isStuck(final, stuck));
}

/**
 * Reports whether an object is still terminating. It is identified by kind, namespace and name, because uids differ between
 * runs that are not repeatable.
 */
function isStuck(final: readonly KubeObject[], stuck: Revision): boolean {
  return final.some(
    ({ kind, metadata }) =>
      kind === stuck.object.kind &&
      metadata.namespace === stuck.object.metadata.namespace &&
      metadata.name === stuck.object.metadata.name &&
      metadata.deletionTimestamp !== undefined,
  );
}

/** Returns the objects that are terminating at the end. */
function terminating(index: HistoryIndex): readonly Revision[] {
  const out: Revision[] = [];
  for (const chain of index.chains()) {
    const last = chain.at(-1);
    if (last === undefined || last.type === 'DELETED' || last.object.metadata.deletionTimestamp === undefined) continue;
    out.push(last);
  }
  return out;
}

function isKeptByTargetAlone({ reference }: History, role: string, { object }: Revision): boolean {
  const { finalizers = [] } = object.metadata;
  const owned = reference?.ownedLeaves;
  return (
    finalizers.length > 0 &&
    finalizers.every((finalizer) => names(owned, role, `metadata.finalizers[${JSON.stringify(finalizer)}]`))
  );
}

/** Reports whether any other actor changed existing objects, other than by deleting them. */
function isDisturbed(index: HistoryIndex): boolean {
  return index.history.revisions.some(
    (revision) =>
      revision.type === 'MODIFIED' &&
      roleOf(revision.actor) === 'writer' &&
      index.changes(revision).some(({ path }) => !path.startsWith('metadata.finalizers')),
  );
}

function deletionOf(index: HistoryIndex, { uid }: Revision): Revision | undefined {
  return index.chain(uid).find(({ object }) => object.metadata.deletionTimestamp !== undefined);
}

function describe(index: HistoryIndex, stuck: Revision): string {
  const { actor = 'another writer', revision = stuck.revision } = deletionOf(index, stuck) ?? {};
  return `${index.shortName(stuck)}, which ${actor} deleted (version ${revision})`;
}

function violation(index: HistoryIndex, stuck: Revision, note: string): Violation {
  const { metadata } = stuck.object;
  const deletion = deletionOf(index, stuck);
  const since = deletion?.at ?? stuck.at;
  const last = index.history.operations.findLast(
    ({ actor, verb, invoked }) =>
      roleOf(actor) === 'target' && verb !== 'watch' && verb !== 'list' && invoked.at > since,
  );
  return {
    signature: { property: NAME, class: 'never-finished', actors: ['target'], kind: stuck.resource, field: '' },
    sentence:
      `controller never releases ${describe(index, stuck)}: only its own finalizer ` +
      `${(metadata.finalizers ?? []).join(', ')} is left, and ${note}`,
    operations: last === undefined ? [] : [last.id],
    revisions: deletion === undefined || deletion === stuck ? [stuck.revision] : [deletion.revision, stuck.revision],
    at: index.history.phases.at(-1)?.at ?? stuck.at,
    severity: 'error',
  };
}

function unclear(reason: string): Extract<CheckResult, { result: 'inconclusive' }> {
  return { result: 'inconclusive', reason };
}
