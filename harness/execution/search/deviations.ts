/**
 * Every single deviation from a calm run that may matter: what to try where a trial is dear.
 *
 * A calm run (the same workload in the default order) has shown which requests the target makes and what it is told. Around each of
 * its writes and each event one thing is made to happen otherwise: somebody else writes the same object first, with or without the
 * target hearing of it; a watch falls silent from there on; a fault. Most bugs need no more than that, and a schedule of one deviation
 * is a short story from the beginning. Owns: which deviations. Does not own: which runs they start from (`trial-source.ts`).
 */
import { OUTSIDE_PATH } from 'stalemate-apiserver/wire/outside-path';
import { acts } from 'stalemate-apiserver/wire/request-info';
import type { ActorId } from '../../model/actor.ts';
import { roleOf } from '../../model/actor.ts';
import type { History, Operation } from '../../model/history.ts';
import { isWrite, phaseStart } from '../../model/history.ts';
import { ANSWERED, laterOccurrence, SENT, withoutOccurrence } from '../../model/label.ts';
import type { Label } from '../../model/label.ts';
import type { ItemKind } from '../../model/item.ts';
import type { Fault, FaultKind, Hold, Preemption, Schedule } from '../../model/schedule.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Workload } from '../../model/workload.ts';
import { placeOf, placesOf } from './calm-runs.ts';
import { typicalConnectionFault } from '../../schedule/connection-faults.ts';
import { delaysMs } from '../../schedule/delays.ts';

/** A target that writes without end would be deviated from without end. */
const WRITES_MAX = 24;
const EVENTS_MAX = 24;

/** The watch events of one stream that the target was told during contention. */
interface Heard {
  readonly stream: Label;
  readonly resource: string;
  readonly events: readonly { readonly k: number; readonly at: number; readonly label: Label }[];
}

/** Somebody with a program. */
interface Rival {
  readonly actor: ActorId;
  /** What its operations are about, in their order. */
  readonly places: readonly string[];
  /** When it was last seen to act. */
  readonly lastAt: number;
}

export interface Deviations {
  /** Somebody else writes first, once or several times in a row. */
  readonly collisions: readonly Schedule[];
  /** A watch falls silent. */
  readonly silences: readonly Schedule[];
  readonly faults: readonly Schedule[];
  /** Something comes late, after deadlines of the target: its requeue, poll or back-off overtakes it. */
  readonly delays: readonly Schedule[];
}

/**
 * The deviations from a calm run, in the order in which they come up.
 *
 * @param calm A run of `workload` in the default order.
 * @param faults Kinds of faults that may be used.
 */
export function singleDeviations(calm: History, { programs }: Workload, faults: readonly FaultKind[]): Deviations {
  const contention = phaseStart(calm, 'contention');
  const over = phaseStart(calm, 'heal');
  const during = (at: number): boolean => at >= contention && at < over;
  const operations = calm.operations.filter(({ invoked }) => during(invoked.at));
  const writes = operations
    .filter(({ actor, verb }) => roleOf(actor) === 'target' && isWrite(verb))
    .slice(0, WRITES_MAX);
  // What a command in a container has done shows no less than what a write has, once its answer is lost.
  const changing = operations
    .filter((one) => roleOf(one.actor) === 'target' && (isWrite(one.verb) || actsBeside(one)))
    .slice(0, WRITES_MAX);
  const heard = streamsOf(calm, during);
  const rivals = programs.map(({ actor, ops }): Rival => ({
    actor,
    places: placesOf({ ops }),
    lastAt: Math.max(0, ...operations.filter((operation) => operation.actor === actor).map(reachedAt)),
  }));
  const collisions: Schedule[] = [];
  for (const write of writes) {
    const place = placeOf(write.resource, write.namespace, write.name);
    for (const { actor, places, lastAt } of rivals) {
      // Whoever has nothing left to do by then cannot come first.
      if (lastAt < reachedAt(write) || !places.includes(place)) continue;
      const first = before(write, actor);
      collisions.push({ ...EMPTY_SCHEDULE, preemptions: [first] });
      const unheard = heard.flatMap((stream) => (stream.resource === write.resource ? silentFrom(stream, write) : []));
      if (unheard.length > 0) collisions.push({ ...EMPTY_SCHEDULE, preemptions: [first], holds: unheard });
    }
  }
  collisions.push(...streaks(writes, rivals));
  const silences = heard.flatMap(({ stream, events }) =>
    events.slice(0, EVENTS_MAX).map(({ k }): Hold => ({ stream, from: `@${k}`, until: 'heal' })),
  );
  return {
    collisions,
    silences: silences.map((hold): Schedule => ({ ...EMPTY_SCHEDULE, holds: [hold] })),
    faults: faults
      .flatMap((kind) => faultsOf(kind, changing, heard))
      .map((fault): Schedule => ({ ...EMPTY_SCHEDULE, faults: [fault] })),
    delays: (faults.includes('delay') ? delaysOf(changing, heard) : []).map((fault): Schedule => ({
      ...EMPTY_SCHEDULE,
      faults: [fault],
    })),
  };
}

function actsBeside({ resource, subresource, name }: Operation): boolean {
  return acts({ group: '', resource, subresource }) || OUTSIDE_PATH.test(name);
}

/**
 * Each write of an object loses its race for as long as rivals last: what one lost race leaves undone, the next write often fixes.
 */
function streaks(writes: readonly Operation[], rivals: readonly Rival[]): readonly Schedule[] {
  const found: Schedule[] = [];
  const stems = new Set<string>();
  for (const write of writes) {
    const label = `${write.label}${SENT}`;
    const stem = withoutOccurrence(label) ?? label;
    const place = placeOf(write.resource, write.namespace, write.name);
    const left = rivals
      .filter(({ actor, lastAt }) => roleOf(actor) !== 'user' && lastAt > reachedAt(write))
      .flatMap(({ actor, places }) => places.filter((other) => other === place).map(() => actor));
    if (left.length < 2 || stems.has(stem)) continue;
    stems.add(stem);
    const preemptions = left.flatMap((run, index): readonly Preemption[] => {
      const later = laterOccurrence(label, index);
      return later === undefined ? [] : [{ before: later, run }];
    });
    found.push({ ...EMPTY_SCHEDULE, preemptions });
  }
  return found;
}

/** When a request came to the server: it may have waited at the gate long before that. */
function reachedAt({ sent, invoked }: Operation): number {
  return (sent ?? invoked).at;
}

function before({ label }: Operation, run: ActorId): Preemption {
  return { before: `${label}${SENT}`, run };
}

/** Silence from the first event on that the target had not been told when it made this write. */
function silentFrom({ stream, events }: Heard, { invoked }: Operation): readonly Hold[] {
  const next = events.find(({ at }) => at > invoked.at)?.k ?? (events.at(-1)?.k ?? -1) + 1;
  return [{ stream, from: `@${next}`, until: 'heal' }];
}

function streamsOf({ deliveries, names }: History, during: (at: number) => boolean): readonly Heard[] {
  const streams = new Map<Label, { resource: string; events: { k: number; at: number; label: Label }[] }>();
  for (const { actor, stream, resource, k, at, object } of deliveries) {
    if (roleOf(actor) !== 'target' || !during(at) || k < 0 || object === undefined) continue;
    const { uid = '', name = '' } = object.metadata;
    // Nobody is told of an object without a name but by a bookmark.
    if (name === '') continue;
    const known = streams.get(stream) ?? { resource, events: [] };
    known.events.push({ k, at, label: `${stream}/${names[uid] ?? name}@${k}` });
    streams.set(stream, known);
  }
  return [...streams].map(([stream, rest]) => ({ stream, ...rest }));
}

/** Each as late as it may come by default: what shorter delays show, this one shows too, and shrinking makes it short. */
function delaysOf(changing: readonly Operation[], heard: readonly Heard[]): readonly Fault[] {
  const late = (kind: ItemKind, at: Label): readonly Fault[] =>
    delaysMs(kind)
      .slice(-1)
      .map((forMs): Fault => ({ do: 'delay', forMs, at }));
  return [
    ...heard.flatMap(({ events }) => events.slice(0, EVENTS_MAX).flatMap(({ label }) => late('event', label))),
    ...changing.flatMap(({ label }) => [...late('send', label + SENT), ...late('answer', label + ANSWERED)]),
  ];
}

function faultsOf(kind: FaultKind, writes: readonly Operation[], heard: readonly Heard[]): readonly Fault[] {
  switch (kind) {
    case 'fail':
      return writes.map(({ label }): Fault => ({ do: 'fail', status: 500, at: label + SENT }));
    case 'refuse':
      return writes.map(({ label }): Fault => ({ do: 'refuse', at: label + SENT }));
    case 'lose-response':
      return writes.map(({ label }): Fault => ({ do: 'lose-response', at: label + ANSWERED }));
    case 'crash':
      return writes.map(({ label }): Fault => ({ do: 'crash', at: label + ANSWERED }));
    case 'close-watch':
    case 'expire-watch':
      return heard.flatMap(({ events }) => events.map(({ label }): Fault => ({ do: kind, at: label })));
    case 'latency':
    case 'bandwidth':
    case 'slow-close':
    case 'black-hole':
    case 'reset':
    case 'slice':
    case 'limit-data':
    case 'down': {
      const moments = [
        ...writes.map(({ label }) => label + ANSWERED),
        ...heard.flatMap(({ events }) => events.map(({ label }) => label)),
      ];
      return moments.map((at): Fault => ({ ...typicalConnectionFault(kind), at }));
    }
    default:
      // They need a lock, a second copy, a list that may be old, or last for a while: left to what knows of those.
      return [];
  }
}
