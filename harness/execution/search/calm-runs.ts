/**
 * Chooses which undisturbed runs to make, and in which order: the way in which the target is triggered alternates, and other writers write
 * to objects that the target has been seen to write.
 *
 * Two workloads belong to the same group if they do the same to the target (a change by its user, the loss of something that it created, the deletion of a sample, an
 * empty start) and differ only in the other writers. The first run of a group shows what the target updates; later ones are chosen so that
 * other writers write there too. Owns: the groups and their order. Does not own: the deviations from these runs (`deviations.ts`).
 */
import { apiVersionOf, groupResource, type KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../../model/actor.ts';
import type { History } from '../../model/history.ts';
import { phaseStart } from '../../model/history.ts';
import type { ObjectTarget, Program, Workload } from '../../model/workload.ts';

interface Group {
  readonly left: Workload[];
  /** The objects that the target updates or patches, with the number of runs so far in which another writer wrote to them. */
  readonly places: Map<string, number>;
}

/** The number of groups that alternate at a time, and the number of turns that each gets before the next groups alternate. */
const NEIGHBOURS = 3;
const TURNS = 2;

export class CalmRuns {
  readonly #groups: readonly Group[];
  readonly #groupOf = new Map<Workload, Group>();
  readonly #turns: Generator<Group>;

  /** @param workloads The candidates; each is used once, short ones first. */
  constructor(workloads: readonly Workload[]) {
    const groups = new Map<string, Group>();
    const known = new Set<string>();
    for (const workload of workloads.toSorted((a, b) => lengthOf(a) - lengthOf(b))) {
      const text = JSON.stringify([workload.start, workload.programs]);
      if (known.has(text)) continue;
      known.add(text);
      const stir = JSON.stringify([workload.start, stirOf(workload)]);
      const group: Group = groups.get(stir) ?? { left: [], places: new Map() };
      group.left.push(workload);
      groups.set(stir, group);
      this.#groupOf.set(workload, group);
    }
    this.#groups = byKind([...groups.values()]);
    this.#turns = turns(this.#groups);
  }

  /** Returns the next workload; undefined once all have been used. */
  next(): Workload | undefined {
    const turn = this.#turns.next();
    if (turn.done === true) return undefined;
    const { left, places } = turn.value;
    const best = left.toSorted((a, b) => worth(b, places) - worth(a, places))[0];
    if (best === undefined) return undefined;
    left.splice(left.indexOf(best), 1);
    for (const place of otherWriterPlaces(best)) {
      const seen = places.get(place);
      if (seen !== undefined) places.set(place, seen + 1);
    }
    return best;
  }

  /** Learns where the target writes from an undisturbed run. */
  learn(workload: Workload, history: History): void {
    const places = this.#groupOf.get(workload)?.places;
    if (places === undefined) return;
    const from = phaseStart(history, 'contention');
    const to = phaseStart(history, 'heal');
    for (const { actor, verb, resource, namespace, name, invoked } of history.operations) {
      if (roleOf(actor) !== 'target' || (verb !== 'update' && verb !== 'patch')) continue;
      const place = placeOf(resource, namespace, name);
      if (invoked.at >= from && invoked.at < to && !places.has(place)) places.set(place, 0);
    }
  }
}

/** Identifies an object in a form that requests and programs share. */
export function placeOf(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

/** Returns the objects of a program's operations, in order. */
export function placesOf({ ops }: Pick<Program, 'ops'>): readonly string[] {
  return ops.map(({ target }) => placeOf(groupResource(target), target.namespace, target.name));
}

/**
 * How a group triggers the target, the most productive kind first. A change of what the user asks for makes the target update what exists,
 * and the loss of a child makes it create; notes (metadata and status) rarely make it do anything.
 */
const KINDS = ['change', 'loss', 'start', 'drift', 'deletion', 'note'] as const;

/** Returns groups of all kinds in turn: a search that has time for few undisturbed runs sees one of each kind. */
function byKind(groups: readonly Group[]): readonly Group[] {
  const kinds = Map.groupBy(groups, ({ left: [first] }) => (first === undefined ? 'note' : kindOf(first)));
  const lists = KINDS.map((kind) => kinds.get(kind) ?? []);
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function kindOf(workload: Workload): (typeof KINDS)[number] {
  const { start, sample, programs } = workload;
  const [op] = programs.filter((program, index) => isStir(start, program, index)).flatMap(({ ops }) => ops);
  if (start === 'empty' || op === undefined) return 'start';
  const isOfUser = sample.some((object) => isAt(object, op.target));
  if (op.do === 'delete') return isOfUser ? 'deletion' : 'loss';
  if ('path' in op && (op.path[0] === 'metadata' || op.path[0] === 'status')) return 'note';
  return isOfUser ? 'change' : 'drift';
}

/** Reports whether an object of the sample is the one of an operation. A child often has the name of its parent, but another version. */
export function isAt({ apiVersion, metadata }: KubeObject, target: ObjectTarget): boolean {
  return (
    apiVersion === apiVersionOf(target) &&
    metadata.name === target.name &&
    (metadata.namespace ?? target.namespace) === target.namespace
  );
}

/** Yields groups: alternates between a few, then between the next few, and starts over until all are empty. */
function* turns(groups: readonly Group[]): Generator<Group> {
  while (groups.some(({ left }) => left.length > 0)) {
    for (let first = 0; first < groups.length; first += NEIGHBOURS) {
      const some = groups.slice(first, first + NEIGHBOURS);
      for (let turn = 0; turn < TURNS; turn++) yield* some.filter(({ left }) => left.length > 0);
    }
  }
}

/**
 * Rates a workload by the objects that both the target and other writers write; an object that other writers wrote in earlier runs adds
 * less.
 */
function worth(workload: Workload, places: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const place of new Set(otherWriterPlaces(workload))) {
    const seen = places.get(place);
    if (seen !== undefined) sum += 1 / (1 + seen);
  }
  return sum;
}

/** Returns what triggers the target: the operations of the user and, in a settled start, of the first program, without values and names. */
function stirOf({ start, programs }: Workload): readonly unknown[] {
  return programs
    .filter((program, index) => isStir(start, program, index))
    .map(({ ops }) => ops.map((op) => [op.do, groupResource(op.target), 'path' in op ? op.path : null]));
}

/** Returns the objects that other writers write to. Deletions are left out: they do not conflict with writes to the content. */
function otherWriterPlaces({ start, programs }: Workload): readonly string[] {
  return programs
    .filter((program, index) => !isStir(start, program, index))
    .flatMap(({ ops }) => placesOf({ ops: ops.filter((op) => op.do !== 'delete') }));
}

function isStir(start: Workload['start'], { actor }: Program, index: number): boolean {
  return roleOf(actor) === 'user' || (start === 'settled' && index === 0);
}

function lengthOf({ programs }: Workload): number {
  return programs.reduce((sum, { ops }) => sum + ops.length, 0);
}
