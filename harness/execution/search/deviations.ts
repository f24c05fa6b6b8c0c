/**
 * Generates every relevant single deviation from an undisturbed run, for targets whose trials are expensive.
 *
 * An undisturbed run (the same workload in the default order) has shown which requests the target sends and which events it receives. At
 * each of its writes and each event, one thing is changed: a conflicting write comes first, whether or not the target's watch delivers it;
 * a watch is held from that point on; or a fault occurs. Most bugs need no more than that, and a schedule with one deviation makes a short
 * story. Owns: which deviations are tried. Does not own: which runs they start from (`trial-source.ts`).
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import { OUTSIDE_PATH } from 'stalemate-apiserver/wire/outside-path';
import { acts } from 'stalemate-apiserver/wire/request-info';
import { annotationToucher } from '../../actors/writers/annotation-toucher.ts';
import { setOp, TOUCHED } from '../../actors/writers/moves.ts';
import type { ActorId } from '../../model/actor.ts';
import { roleOf } from '../../model/actor.ts';
import { isAside } from '../../model/aside.ts';
import { valueAt } from '../../model/edit.ts';
import { given } from '../../model/given.ts';
import type { History, Operation } from '../../model/history.ts';
import { isWrite, nameInLabels, phaseStart, phaseStartMs } from '../../model/history.ts';
import { ANSWERED, laterOccurrence, partsOf, requestLabel, SENT } from '../../model/label.ts';
import type { Label } from '../../model/label.ts';
import type { ItemKind } from '../../model/item.ts';
import type { Fault, FaultKind, Hold, Preemption, Schedule } from '../../model/schedule.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { ObjectTarget, Program, ProgramOp, Workload } from '../../model/workload.ts';
import { isAt, placeOf, placesOf } from './calm-runs.ts';
import { typicalConnectionFault } from '../../schedule/connection-faults.ts';
import { delaysMs } from '../../schedule/delays.ts';

/** The maximum numbers of writes and of events to deviate at, for a target that never stops writing. */
const WRITES_MAX = 24;
const EVENTS_MAX = 24;
/** The answers of a single failure: clients retry some of them, and report a 4xx status as a mistake of the caller. */
const STATUSES = [500, 429] as const;
/** For how long after the last of several like updates a writer waits for another one, in ms: the target may try it again. */
const LATE_MS = 5_000;
/** When the user takes a change back, in ms of idle time: later than any client waits before it opens a watch again. */
const RETURN_MS = 60_000;
/** How often a lasting failure or conflict occurs: long enough to expose retries without back-off, and short enough for those with one. */
const LASTING = 9;

/** The watch events of one stream that were delivered to the target during contention. */
interface DeliveredEvents {
  readonly stream: Label;
  readonly resource: string;
  readonly events: readonly {
    readonly k: number;
    readonly at: number;
    readonly label: Label;
    readonly revision: number;
  }[];
}

/** A writer or the user, with a program. */
interface OtherWriter {
  readonly actor: ActorId;
  /** The objects of the program's operations, in order. */
  readonly places: readonly string[];
  /** The position of the writer's last request in the history. */
  readonly lastAt: number;
}

/** What another writer may do to objects that the target updates. */
export interface Touching {
  /** Objects with annotations that it may change. */
  readonly objects: readonly ObjectTarget[];
  /** Whether it may wait for run time to pass; in real time, that takes too long. */
  readonly waits: boolean;
}

const NO_TOUCHING: Touching = { objects: [], waits: false };

export interface Deviations {
  /** Schedules in which another writer writes first. */
  readonly collisions: readonly Schedule[];
  /** The schedules in `collisions` in which the last of several like writes loses its race: after it, no other one repairs the effect. */
  readonly lastCollisions: readonly Schedule[];
  /** Trials in which several like writes of one object lose their races, one after the other. */
  readonly streaks: readonly Trial[];
  /** Schedules in which a watch is held. */
  readonly silences: readonly Schedule[];
  /** The schedules in `silences` whose watch delivers kinds that the target writes: the target then acts on stale objects. */
  readonly staleWrites: readonly Schedule[];
  readonly faults: readonly Schedule[];
  /** Schedules in which one write fails again and again: the event of another write often repairs the effect of a single failure. */
  readonly lastingFailures: readonly Schedule[];
  /** Trials in which a watch ends, and a request with which the target recovers fails as well; the user takes a change back later. */
  readonly recoveries: readonly Trial[];
  /** Schedules in which an item is delayed beyond a deadline of the target, so that the target's requeue, poll or back-off comes first. */
  readonly delays: readonly Schedule[];
  /**
   * Schedules in which another writer changes the object that the target has just written, and the target sees that change before its own
   * answer.
   */
  readonly overtakenAnswers: readonly Schedule[];
  /** The schedules in `delays` that delay the event for an object that the target has created, so that the target acts again without it. */
  readonly unseenCreates: readonly Schedule[];
}

/**
 * Returns the deviations from an undisturbed run, in the order in which they occur.
 *
 * @param undisturbed A run of `workload` in the default order.
 * @param faults Types of faults that may be used.
 * @param touching What another writer may do to objects that the target updates.
 */
export function singleDeviations(
  undisturbed: History,
  workload: Workload,
  faults: readonly FaultKind[],
  touching: Touching = NO_TOUCHING,
): Deviations {
  const { programs } = workload;
  const contention = phaseStart(undisturbed, 'contention');
  const over = phaseStart(undisturbed, 'heal');
  const during = (at: number): boolean => at >= contention && at < over;
  const operations = undisturbed.operations.filter(({ invoked }) => during(invoked.at));
  const writes = operations
    .filter(({ actor, verb }) => roleOf(actor) === 'target' && isWrite(verb))
    .slice(0, WRITES_MAX);
  // A command run in a container has an effect too: losing its answer is as interesting as for a write.
  const changing = operations
    .filter((one) => roleOf(one.actor) === 'target' && (isWrite(one.verb) || actsBeside(one)))
    .slice(0, WRITES_MAX);
  const delivered = streamsOf(undisturbed, during);
  const otherWriters = programs.map(({ actor, ops }): OtherWriter => ({
    actor,
    places: placesOf({ ops }),
    lastAt: Math.max(0, ...operations.filter((operation) => operation.actor === actor).map(reachedAt)),
  }));
  const collisions: Schedule[] = [];
  const lastCollisions: Schedule[] = [];
  const lastWrites = new Set(new Map(writes.map((write) => [distinctWrite(write), write])).values());
  for (const write of writes) {
    const place = placeOf(write.resource, write.namespace, write.name);
    for (const { actor, places, lastAt } of otherWriters) {
      // A writer that has finished before this write cannot come first.
      if (lastAt < reachedAt(write) || !places.includes(place)) continue;
      const first = before(write, actor);
      const collision = { ...EMPTY_SCHEDULE, preemptions: [first] };
      collisions.push(collision);
      if (lastWrites.has(write)) lastCollisions.push(collision);
      const undelivered = delivered.flatMap((stream) =>
        stream.resource === write.resource ? silentFrom(stream, write) : [],
      );
      if (undelivered.length > 0) collisions.push({ ...EMPTY_SCHEDULE, preemptions: [first], holds: undelivered });
    }
  }
  const silences = delivered.map(({ stream, resource, events }) => ({
    resource,
    schedules: events.slice(0, EVENTS_MAX).map(({ k }): Schedule => {
      const hold: Hold = { stream, from: `@${k}`, until: 'heal' };
      return { ...EMPTY_SCHEDULE, holds: [hold] };
    }),
  }));
  const written = new Set(writes.map(({ resource }) => resource));
  const own = new Set(
    undisturbed.revisions.flatMap(({ type, actor, revision }) =>
      type === 'ADDED' && roleOf(actor) === 'target' ? [revision] : [],
    ),
  );
  const ownCreates = delivered.map(({ events, ...stream }) => ({
    ...stream,
    events: events.filter(({ revision }) => own.has(revision)),
  }));
  const withFaults = (together: readonly Fault[]): Schedule => ({ ...EMPTY_SCHEDULE, faults: together });
  const withFault = (fault: Fault): Schedule => withFaults([fault]);
  const isLate = faults.includes('delay');
  return {
    collisions,
    lastCollisions,
    streaks: streaks(undisturbed, workload, touching),
    silences: silences.flatMap(({ schedules }) => schedules),
    staleWrites: silences.flatMap(({ resource, schedules }) => (written.has(resource) ? schedules : [])),
    faults: faults.flatMap((kind) => faultsOf(kind, changing, delivered)).map(withFault),
    lastingFailures: faults.includes('fail') ? lastingFailures(writes).map(withFaults) : [],
    recoveries: faults.includes('fail')
      ? recoveriesOf(faults, delivered, operations).map(({ together, hasListed }) => ({
          // A target that has missed the change as well would end as it should once the change is taken back.
          workload: hasListed && touching.waits ? withReturn(workload) : workload,
          schedule: withFaults(together),
        }))
      : [],
    delays: (isLate ? delaysOf(changing, delivered) : []).map(withFault),
    overtakenAnswers: isLate ? overtakenAnswers(changing, otherWriters) : [],
    unseenCreates: (isLate ? delaysOf([], ownCreates) : []).map(withFault),
  };
}

function actsBeside({ resource, subresource, name }: Operation): boolean {
  return acts({ group: '', resource, subresource }) || OUTSIDE_PATH.test(name);
}

/**
 * Returns trials in which the writes of an object lose their races again and again, from the first or the last of several like writes on:
 * the next write often repairs the effect of one lost race. A writer that changes an annotation of its own waits for each of these writes,
 * which may only come after a back-off, or once pods have become ready.
 */
function streaks(undisturbed: History, workload: Workload, { objects, waits }: Touching): readonly Trial[] {
  const [from, to] = [phaseStart(undisturbed, 'contention'), phaseStart(undisturbed, 'idle')];
  const updates = undisturbed.operations.filter(
    ({ actor, verb, invoked }) =>
      roleOf(actor) === 'target' && (verb === 'update' || verb === 'patch') && invoked.at >= from && invoked.at < to,
  );
  const alike = [...Map.groupBy(updates.slice(0, WRITES_MAX), distinctWrite).values()];
  return alike.flatMap((these) => {
    const [first, last] = [these[0], these.at(-1)];
    if (first === undefined || last === undefined) return [];
    const place = placeOf(first.resource, first.namespace, partsOf(first.label).rest.at(-1) ?? '');
    const target = objects.find((one) => placeOf(groupResource(one), one.namespace, one.name) === place);
    if (target === undefined) return [];
    const lateMs = Math.ceil(last.invoked.timeMs - phaseStartMs(undisturbed, 'contention')) + LATE_MS;
    const afterMs = waits ? lateMs : undefined;
    const actor = `writer-${workload.programs.filter((program) => roleOf(program.actor) !== 'user').length + 1}`;
    const ops = Array.from({ length: LASTING }, (_, index): ProgramOp => ({
      ...setOp({ target }, ['metadata', 'annotations', TOUCHED], `${index + 1}`, 'update'),
      ...given({ afterMs }),
    }));
    const toucher: Program = { actor, writer: annotationToucher.name, ops };
    return [...new Set([last, first])].map((write): Trial => {
      const preemptions = ops.flatMap((_, index): readonly Preemption[] => {
        const later = laterOccurrence(`${write.label}${SENT}`, index);
        return later === undefined ? [] : [{ before: later, run: actor }];
      });
      return {
        workload: { ...workload, programs: [...workload.programs, toucher] },
        schedule: { ...EMPTY_SCHEDULE, preemptions },
      };
    });
  });
}

/**
 * Returns schedules in which another writer writes right after the target, and the target's answer arrives after the events of both writes.
 */
function overtakenAnswers(changing: readonly Operation[], otherWriters: readonly OtherWriter[]): readonly Schedule[] {
  const [forMs = 0] = delaysMs('answer');
  return changing.flatMap((write) => {
    const at = `${write.label}${ANSWERED}`;
    // The label contains the name of an object that this write creates; the request itself does not.
    const name = partsOf(write.label).rest.at(-1) ?? '';
    const place = placeOf(write.resource, write.namespace, name);
    return otherWriters
      .filter(({ lastAt, places }) => lastAt > reachedAt(write) && places.includes(place))
      .map(({ actor }): Schedule => ({
        ...EMPTY_SCHEDULE,
        preemptions: [{ before: at, run: actor }],
        faults: [{ do: 'delay', forMs, at }],
      }));
  });
}

/** Returns failures of several requests in a row for each distinct write. */
function lastingFailures(writes: readonly Operation[]): readonly (readonly Fault[])[] {
  const about = writes.filter(({ resource }) => !isAside(resource));
  const first = new Map(about.toReversed().map((write) => [distinctWrite(write), write]));
  return [...first.values()].map(({ verb, label }): readonly Fault[] => {
    const fail = { do: 'fail', status: 500 } as const;
    const [, base = '', number = '', occurrence = ''] = GENERATED.exec(label) ?? [];
    // Each try to create an object under a generated name has a name, and so a label, of its own.
    if (verb === 'create' && number !== '')
      return Array.from({ length: LASTING }, (_, more) => ({
        ...fail,
        at: `${base}${Number(number) + more}${occurrence}${SENT}`,
      }));
    return [{ ...fail, at: label + SENT, times: LASTING }];
  });
}

/** The number of a generated name in a label: `controller/create/pods/default/web~0#0`. */
const GENERATED = /^(.*~)(\d+)(#\d+)$/;

function distinctWrite({ verb, label }: Operation): string {
  const { stem } = partsOf(label);
  return verb === 'create' ? stem.replace(/~\d+$/, '~') : stem;
}

/** Returns when a request reached the server; it may have waited at the gate long before that. */
function reachedAt({ sent, invoked }: Operation): number {
  return (sent ?? invoked).at;
}

function before({ label }: Operation, run: ActorId): Preemption {
  return { before: `${label}${SENT}`, run };
}

/** Returns a hold from the first event that the target had not received when it sent this write. */
function silentFrom({ stream, events }: DeliveredEvents, { invoked }: Operation): readonly Hold[] {
  const next = events.find(({ at }) => at > invoked.at)?.k ?? (events.at(-1)?.k ?? -1) + 1;
  return [{ stream, from: `@${next}`, until: 'heal' }];
}

function streamsOf({ deliveries, names }: History, during: (at: number) => boolean): readonly DeliveredEvents[] {
  const streams = new Map<
    Label,
    { resource: string; events: { k: number; at: number; label: Label; revision: number }[] }
  >();
  for (const { actor, stream, resource, k, at, revision, object } of deliveries) {
    if (roleOf(actor) !== 'target' || !during(at) || k < 0 || object === undefined) continue;
    const { uid = '', namespace = '', name = '' } = object.metadata;
    // Events about objects without a name are bookmarks.
    if (name === '') continue;
    const known = streams.get(stream) ?? { resource, events: [] };
    known.events.push({
      k,
      at,
      label: `${stream}/${nameInLabels({ names }, { uid, namespace, name })}@${k}`,
      revision,
    });
    streams.set(stream, known);
  }
  return [...streams].map(([stream, rest]) => ({ stream, ...rest }));
}

/**
 * Returns delays. Events get the maximum length: it covers shorter ones, and shrinking makes them short. Requests and answers get the
 * minimum as well: clients give up on a request that takes the maximum.
 */
function delaysOf(changing: readonly Operation[], delivered: readonly DeliveredEvents[]): readonly Fault[] {
  const late = (kind: ItemKind, at: Label): readonly Fault[] => {
    const lengths = delaysMs(kind);
    const used = kind === 'event' ? lengths.slice(-1) : [...lengths.slice(0, 1), ...lengths.slice(-1)];
    return used.map((forMs): Fault => ({ do: 'delay', forMs, at }));
  };
  return [
    ...delivered.flatMap(({ events }) => events.slice(0, EVENTS_MAX).flatMap(({ label }) => late('event', label))),
    ...changing.flatMap(({ label }) => [...late('send', label + SENT), ...late('answer', label + ANSWERED)]),
  ];
}

/** Faults that happen together, and whether the target has listed again in between; after a watch that was closed, only some clients do. */
interface Recovery {
  readonly together: readonly Fault[];
  readonly hasListed: boolean;
}

/**
 * Returns combinations of faults: a watch ends at its first event, and then its next lists or its next watch fail. Recovery is separate
 * code, and a single fault can only show that it works undisturbed; few failed lists do not show whether a client waits longer each time.
 */
function recoveriesOf(
  faults: readonly FaultKind[],
  delivered: readonly DeliveredEvents[],
  operations: readonly Operation[],
): readonly Recovery[] {
  const ends = (['expire-watch', 'close-watch'] as const).filter((kind) => faults.includes(kind));
  const failed = (at: Label): Fault => ({ do: 'fail', status: 500, at });
  return delivered.flatMap(({ stream, events }) => {
    const [first] = events;
    if (first === undefined) return [];
    const { actor, resource, rest, stem } = partsOf(stream);
    const [scope = ''] = rest.join('/').split('?');
    const list = requestLabel({ actor, verb: 'list', resource, namespace: scope === '*' ? '' : scope, name: '' });
    const next = (base: Label): number =>
      operations.filter(({ label, invoked }) => partsOf(label).stem === base && invoked.at <= first.at).length;
    const lists: Fault = { ...failed(`${list}#${next(list)}${SENT}`), times: LASTING };
    // At least the number after the stream's own: the stream is open already, and not counted if it was requested before contention.
    const watch = failed(`${stem}#${Math.max(next(stem), (partsOf(stream).occurrence ?? 0) + 1)}${SENT}`);
    return ends.flatMap((kind): readonly Recovery[] => {
      const end: Fault = { do: kind, at: first.label };
      const reopening = { together: [end, watch], hasListed: true };
      return kind === 'expire-watch'
        ? [{ together: [end, lists], hasListed: false }, reopening]
        : [{ ...reopening, hasListed: false }, reopening];
    });
  });
}

/**
 * Returns a workload in which the user sets the last field that it has changed to the value of the sample again, a minute later: a watch that
 * is not open again misses that. Without such a field, nothing is added.
 */
function withReturn(workload: Workload): Workload {
  const { programs, sample } = workload;
  const user = programs.find(({ actor }) => roleOf(actor) === 'user');
  const op = user?.ops.at(-1);
  if (user === undefined || op?.do !== 'set' || op.subresource !== undefined) return workload;
  const object = sample.find((one) => isAt(one, op.target));
  if (object === undefined) return workload;
  const value = valueAt(object, op.path) ?? null;
  const ops = [...user.ops, { ...op, value, afterMs: RETURN_MS }];
  return { ...workload, programs: programs.map((program) => (program === user ? { ...user, ops } : program)) };
}

function faultsOf(
  kind: FaultKind,
  writes: readonly Operation[],
  delivered: readonly DeliveredEvents[],
): readonly Fault[] {
  switch (kind) {
    case 'fail':
      return writes.flatMap(({ label }) => STATUSES.map((status): Fault => ({ do: 'fail', status, at: label + SENT })));
    case 'refuse':
      return writes.map(({ label }): Fault => ({ do: 'refuse', at: label + SENT }));
    case 'lose-response':
      return writes.map(({ label }): Fault => ({ do: 'lose-response', at: label + ANSWERED }));
    case 'crash':
      return writes.map(({ label }): Fault => ({ do: 'crash', at: label + ANSWERED }));
    case 'close-watch':
    case 'expire-watch':
      return delivered.flatMap(({ events }) => events.map(({ label }): Fault => ({ do: kind, at: label })));
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
        ...delivered.flatMap(({ events }) => events.map(({ label }) => label)),
      ];
      return moments.map((at): Fault => ({ ...typicalConnectionFault(kind), at }));
    }
    default:
      // These faults need a lock, a second replica or a stale list, or last for a while; strategies that handle this use them.
      return [];
  }
}
