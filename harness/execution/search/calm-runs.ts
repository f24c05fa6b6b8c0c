/**
 * Which calm runs to make, in which order: what happens to the target takes turns, and rivals write where it has been seen to write.
 *
 * Two workloads belong together when the same is done to the target in them (a wish of its user, the loss of something that it made, a
 * start from nothing) and only the rivals are others. The first of such a group shows what the target updates then; the next ones are
 * chosen so that their rivals write there. Owns: the groups and their order. Does not own: what is deviated from (`deviations.ts`).
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../../model/actor.ts';
import type { History } from '../../model/history.ts';
import { phaseStart } from '../../model/history.ts';
import type { Program, Workload } from '../../model/workload.ts';

interface Group {
  readonly left: Workload[];
  /** What the target updates or patches then, by how many of the runs made so far had a rival there. */
  readonly places: Map<string, number>;
}

/** So many groups take turns before the next ones do, and each gets so many turns. */
const NEIGHBOURS = 3;
const TURNS = 2;

export class CalmRuns {
  readonly #groups: readonly Group[];
  readonly #groupOf = new Map<Workload, Group>();
  readonly #turns: Generator<Group>;

  /** @param workloads To choose from; each is made once, the short ones first. */
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
    this.#groups = [...groups.values()];
    this.#turns = turns(this.#groups);
  }

  /** The next one; none when all have been made. */
  next(): Workload | undefined {
    const turn = this.#turns.next();
    if (turn.done === true) return undefined;
    const { left, places } = turn.value;
    const best = left.toSorted((a, b) => worth(b, places) - worth(a, places))[0];
    if (best === undefined) return undefined;
    left.splice(left.indexOf(best), 1);
    for (const place of rivalPlaces(best)) {
      const seen = places.get(place);
      if (seen !== undefined) places.set(place, seen + 1);
    }
    return best;
  }

  /** What a calm run has shown. */
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

/** Where an object is, in words that requests and programs share. */
export function placeOf(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

/** What a program's operations are about, in their order. */
export function placesOf({ ops }: Pick<Program, 'ops'>): readonly string[] {
  return ops.map(({ target }) => placeOf(groupResource(target), target.namespace, target.name));
}

/** A few groups in turns, then the next few, and from the beginning again as long as there is anything left. */
function* turns(groups: readonly Group[]): Generator<Group> {
  while (groups.some(({ left }) => left.length > 0)) {
    for (let first = 0; first < groups.length; first += NEIGHBOURS) {
      const some = groups.slice(first, first + NEIGHBOURS);
      for (let turn = 0; turn < TURNS; turn++) yield* some.filter(({ left }) => left.length > 0);
    }
  }
}

/** Rivals where the target writes, and where there was none yet, are worth most. */
function worth(workload: Workload, places: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const place of new Set(rivalPlaces(workload))) {
    const seen = places.get(place);
    if (seen !== undefined) sum += 1 / (1 + seen);
  }
  return sum;
}

/** What is done to the target, at rest by the first of the programs, and by the user in any case; not to which object of a kind, nor the value. */
function stirOf({ start, programs }: Workload): readonly unknown[] {
  return programs
    .filter((program, index) => isStir(start, program, index))
    .map(({ ops }) => ops.map((op) => [op.do, groupResource(op.target), 'path' in op ? op.path : null]));
}

/** Whoever takes an object away is no rival for its content. */
function rivalPlaces({ start, programs }: Workload): readonly string[] {
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
