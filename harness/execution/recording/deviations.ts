/**
 * Derives a schedule from a recorded run's deviations from the default order: late events for the controller, other actors' writes between
 * the controller's reads and its writes, failed requests.
 *
 * Owns: reading these from a history. The schedule lists all visible deviations; a search that starts from it finds out which ones matter.
 * Start at {@link deviationsOf}.
 */
import { roleOf } from '../../model/actor.ts';
import type { Delivery, History, Operation, Revision } from '../../model/history.ts';
import { isWrite } from '../../model/history.ts';
import { ANSWERED, SENT } from '../../model/label.ts';
import type { Fault, Hold, Preemption, Schedule } from '../../model/schedule.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';

/** The maximum number of holds: a longer schedule is unreadable, and the longest lags are the most informative. */
const HOLDS_MAX = 20;

export function deviationsOf(history: History): Schedule {
  const own = history.operations.filter(({ actor }) => roleOf(actor) === 'target');
  return {
    ...EMPTY_SCHEDULE,
    preemptions: preemptionsOf(history, own),
    holds: holdsOf(history, own),
    faults: faultsOf(own),
  };
}

/** Returns preemptions for other actors' writes that came between the version that the controller knew and its own write to the object. */
function preemptionsOf(history: History, own: readonly Operation[]): readonly Preemption[] {
  const preemptions: Preemption[] = [];
  const watchesAreKnown = history.deliveries.length > 0 || !own.some(({ verb }) => verb === 'watch');
  for (const operation of own) {
    const { verb, sent, label } = operation;
    if (!isWrite(verb) || verb === 'create' || verb === 'deletecollection' || sent === undefined) continue;
    // Without watch events, only a conflict proves that the controller did not know a version.
    if (!watchesAreKnown && !(operation.outcome.type === 'fail' && operation.outcome.code === 409)) continue;
    const known = knownBefore(history, operation);
    const foreign = history.revisions.filter(
      (revision) =>
        isOf(revision, operation) &&
        revision.actor !== operation.actor &&
        revision.op >= 0 &&
        revision.revision > known &&
        revision.at < (operation.answered?.at ?? Number.POSITIVE_INFINITY) &&
        !operation.committed.some((committed) => committed < revision.revision),
    );
    const last = foreign.at(-1);
    const by = last === undefined ? undefined : history.operations[last.op];
    if (last !== undefined && by !== undefined)
      preemptions.push({ before: label + SENT, run: last.actor, until: by.label + ANSWERED });
  }
  return preemptions;
}

/** Returns the newest version of the object that the actor had received when it sent its write. */
function knownBefore(history: History, operation: Operation): number {
  const { actor, invoked } = operation;
  let known = 0;
  const learn = (revision: number): void => {
    known = Math.max(known, revision);
  };
  for (const delivery of history.deliveries) {
    if (delivery.at > invoked.at) break;
    const { metadata } = delivery.object ?? {};
    if (delivery.actor === actor && delivery.resource === operation.resource && metadata?.name === operation.name)
      learn(delivery.revision);
  }
  for (const { actor: by, answered, outcome, resource } of history.operations) {
    if (by !== actor || resource !== operation.resource || outcome.type !== 'ok') continue;
    if (answered === undefined || answered.at > invoked.at) continue;
    for (const object of [outcome.object, ...(outcome.items ?? [])])
      if (object?.metadata?.name === operation.name && (object.metadata.namespace ?? '') === operation.namespace)
        learn(Number(object.metadata.resourceVersion ?? 0));
  }
  return known;
}

function isOf(revision: Revision, { resource, namespace, name }: Operation): boolean {
  return revision.resource === resource && revision.namespace === namespace && revision.name === name;
}

/** Returns holds for late events: between their commit and their delivery, the controller sent a write and got its answer. */
function holdsOf(history: History, own: readonly Operation[]): readonly Hold[] {
  const committedAt = new Map(history.revisions.map(({ revision, at }) => [revision, at]));
  const writes = own.filter(({ verb }) => isWrite(verb));
  const found = new Map<string, { readonly hold: Hold; readonly lagMs: number }>();
  for (const delivery of history.deliveries) {
    if (roleOf(delivery.actor) !== 'target' || found.has(delivery.stream)) continue;
    const madeAt = committedAt.get(delivery.revision);
    const last = madeAt === undefined ? undefined : lastWriteBetween(writes, delivery, madeAt);
    if (last === undefined) continue;
    const made = history.revisions.find(({ revision }) => revision === delivery.revision);
    const hold = { stream: delivery.stream, from: `@${delivery.k}`, until: last.label + ANSWERED };
    found.set(delivery.stream, { hold, lagMs: delivery.timeMs - (made?.timeMs ?? delivery.timeMs) });
  }
  return [...found.values()]
    .toSorted((a, b) => b.lagMs - a.lagMs)
    .slice(0, HOLDS_MAX)
    .map(({ hold }) => hold);
}

/**
 * Returns the last write between the commit and the delivery of an event, except the write that caused it: its event always comes later.
 */
function lastWriteBetween(writes: readonly Operation[], delivery: Delivery, madeAt: number): Operation | undefined {
  return writes.findLast(
    ({ actor, sent, answered, committed }) =>
      actor === delivery.actor &&
      sent !== undefined &&
      sent.at > madeAt &&
      answered !== undefined &&
      answered.at < delivery.at &&
      !committed.includes(delivery.revision),
  );
}

function faultsOf(own: readonly Operation[]): readonly Fault[] {
  return own.flatMap(({ label, outcome, committed, verb }): readonly Fault[] => {
    if (outcome.type === 'info')
      return verb === 'watch' || committed.length === 0 ? [] : [{ at: label + ANSWERED, do: 'lose-response' }];
    if (outcome.type !== 'fail') return [];
    const { code } = outcome;
    return code === 429 || code === 500 || code === 503 || code === 504
      ? [{ at: label + SENT, do: 'fail', status: code }]
      : [];
  });
}
