/**
 * Violations that a search has seen and will shrink later. If shrinking and reproducing a violation takes as long as dozens of runs, the
 * search first tests enough for a verdict, or uses its share of the time.
 *
 * Owns: which examples of a cause are kept, and their order. Does not own: the handling of the examples (`search.ts`).
 */
import type { ProofPolicy } from '../run/run-mode.ts';
import { isEnough, type PutToTest } from './enough.ts';
import { seenIn, type Failed, type Seen, type StoredFailure } from './found.ts';
import type { KnownCauses, Suspect } from './known-causes.ts';

/** The share of the search time after which the search shrinks and reproduces what it has seen, whatever it has tested by then. */
const EXPLORE_SHARE = 0.6;
/**
 * The number of runs after which the search shrinks what it has seen in any case: a target with few conflicts must not delay all findings.
 */
const EXPLORE_RUNS_MAX = 60;
/** The number of examples of one cause that are kept: the smallest may not reproduce. */
const EXAMPLES_MAX = 3;

/** A failed run with the data needed to shrink it; without `failure`, the run is only counted. */
export interface Sighting {
  readonly suspects: readonly Suspect[];
  /** Whether a property could not judge the run. */
  readonly isUnjudged: boolean;
  readonly failure?: Failed;
}

/** Returns the time until which a search postpones the violations that it sees. */
export function exploreUntil(
  { exploresFirst }: Pick<ProofPolicy, 'exploresFirst'>,
  began: number,
  until: number,
): number {
  return exploresFirst ? began + EXPLORE_SHARE * (until - began) : Number.NEGATIVE_INFINITY;
}

/** Reports whether a search has tested enough to shrink what it has seen. */
export function hasExplored(tested: PutToTest): boolean {
  return tested.runs >= EXPLORE_RUNS_MAX || isEnough(tested);
}

/** Returns a failed run to shrink at once. */
export function inFull(failure: Failed): Sighting {
  return { suspects: failure.suspects, isUnjudged: failure.judged.inconclusive.size > 0, failure };
}

export class Postponed {
  readonly #known: KnownCauses;
  readonly #examples = new Map<string, number>();
  /** The first suspect of each cause. */
  readonly #first = new Set<Suspect>();
  #sightings: (Sighting & { readonly size: number })[] = [];

  constructor(known: KnownCauses) {
    this.#known = known;
  }

  /** The number of postponed failed runs. */
  get size(): number {
    return this.#sightings.length;
  }

  /** The number of causes among the postponed runs. */
  get causes(): number {
    return this.#examples.size;
  }

  /** Adds a failed run; returns its suspects that were not seen before. */
  async add(failed: Failed): Promise<readonly Seen[]> {
    const { suspects } = failed;
    const wanted = suspects.filter(
      (suspect) => this.#known.isNew(suspect) && (this.#examples.get(keyOf(suspect)) ?? 0) < EXAMPLES_MAX,
    );
    const { isUnjudged } = inFull(failed);
    if (wanted.length === 0) {
      this.#sightings.push({ suspects, isUnjudged, size: Number.POSITIVE_INFINITY });
      return [];
    }
    const first = wanted.filter((suspect) => !this.#examples.has(keyOf(suspect)));
    for (const key of new Set(wanted.map(keyOf))) this.#examples.set(key, (this.#examples.get(key) ?? 0) + 1);
    for (const suspect of first) this.#first.add(suspect);
    const stored: StoredFailure = { ...failed, schedule: await failed.schedule() };
    this.#sightings.push({ suspects, isUnjudged, failure: failed, size: sizeOf(stored) });
    return first.map((suspect) => seenIn(stored, suspect));
  }

  /** Reports whether a suspect was the first one of its cause to be postponed. */
  wasFirst(suspect: Suspect): boolean {
    return this.#first.has(suspect);
  }

  /**
   * Returns the postponed runs and forgets them: the first example of each cause before any second example; within these, runs that name
   * their cause first, then smaller runs, which need fewer runs to shrink.
   */
  take(): readonly Sighting[] {
    const taken = this.#sightings.toSorted(
      (a, b) => Number(namesCause(b)) - Number(namesCause(a)) || inTurn(a.size, b.size),
    );
    this.#sightings = [];
    this.#examples.clear();
    const before = new Map<string, number>();
    const turns = taken.map((sighting) => {
      const keys = new Set(sighting.suspects.filter((suspect) => this.#known.isNew(suspect)).map(keyOf));
      const turn = Math.min(Number.POSITIVE_INFINITY, ...[...keys].map((key) => before.get(key) ?? 0));
      for (const key of keys) before.set(key, (before.get(key) ?? 0) + 1);
      return { sighting, turn };
    });
    return turns.toSorted((a, b) => inTurn(a.turn, b.turn)).map(({ sighting }) => sighting);
  }
}

function inTurn(a: number, b: number): number {
  // `Infinity - Infinity` is NaN.
  return a === b ? 0 : a - b;
}

function keyOf({ causes }: Suspect): string {
  return causes.candidates[0].key;
}

/** Reports whether any violation of the run names its cause; the others may be mere symptoms of that cause. */
function namesCause({ suspects }: Sighting): boolean {
  return suspects.some(({ causes }) => causes.certain);
}

/** Returns the number of parts that shrinking might remove. */
function sizeOf({ trial: { workload }, schedule: { preemptions, holds, faults } }: StoredFailure): number {
  const ops = workload.programs.reduce((sum, program) => sum + program.ops.length, 0);
  return ops + preemptions.length + holds.length + faults.length;
}
