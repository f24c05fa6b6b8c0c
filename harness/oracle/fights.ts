/**
 * Fights: two actors that alternately set one leaf to two values.
 *
 * Owns: finding the alternation on the chains of versions, and its severity. A target that restores its own field against another writer
 * works as intended: the fight is reported, but does not fail a run.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import type { ActorId } from '../model/actor.ts';
import { roleOf } from '../model/actor.ts';
import type { Violation } from '../model/check-result.ts';
import type { History, Revision } from '../model/history.ts';
import { leafPattern } from '../model/leaf.ts';
import { indexOf, names } from './history-index.ts';
import type { HistoryIndex } from './history-index.ts';

/** Three full rounds: fewer can happen by chance when each actor corrects the other once. */
const TURNS_MIN = 6;

export interface Fight {
  readonly path: string;
  /** Roles, the target first. */
  readonly actors: readonly string[];
  readonly values: readonly [JsonValue | undefined, JsonValue | undefined];
  /** The turns, oldest first. */
  readonly revisions: readonly Revision[];
  readonly severity: Violation['severity'];
}

/** Returns all fights that involve the target. Cheap for objects with few versions. */
export function findFights(history: History): readonly Fight[] {
  const index = indexOf(history);
  const fights: Fight[] = [];
  for (const chain of index.chains()) {
    if (chain.length < TURNS_MIN || !comesBack(index, chain)) continue;
    const turns = new Map<string, { revision: Revision; actor: ActorId; to: JsonValue | undefined }[]>();
    for (const revision of chain) {
      if (revision.type !== 'MODIFIED') continue;
      for (const { path, to } of index.changes(revision)) {
        const list = turns.get(path) ?? [];
        list.push({ revision, actor: revision.actor, to });
        turns.set(path, list);
      }
    }
    for (const [path, list] of turns) {
      const run = alternation(list);
      const [a, b] = run;
      if (a === undefined || b === undefined || run.length < TURNS_MIN) continue;
      if (![a, b].some(({ actor }) => roleOf(actor) === 'target')) continue;
      const rivals = roleOf(a.actor) === 'target' && roleOf(b.actor) === 'target';
      const owned = names(history.reference?.ownedLeaves, index.role(a.revision), path);
      fights.push({
        path: leafPattern(path),
        actors: [roleOf(a.actor), roleOf(b.actor)].toSorted((x) => (x === 'target' ? -1 : 1)),
        values: [a.to, b.to],
        revisions: run.map(({ revision }) => revision),
        severity: rivals || !owned ? 'error' : 'warning',
      });
    }
  }
  return fights;
}

/** Reports whether the target set one leaf to one value often enough for its half of a fight: a cheap check before the full one. */
function comesBack(index: HistoryIndex, chain: readonly Revision[]): boolean {
  let own = 0;
  for (const { actor } of chain) if (roleOf(actor) === 'target') own++;
  if (own < TURNS_MIN / 2 || (own === chain.length && new Set(chain.map(({ actor }) => actor)).size < 2)) return false;
  const times = new Map<string, number>();
  for (const revision of chain) {
    if (revision.type !== 'MODIFIED' || roleOf(revision.actor) !== 'target') continue;
    for (const { path, to } of index.changes(revision)) {
      const key = typeof to === 'object' ? path : `${path}=${to}`;
      const count = (times.get(key) ?? 0) + 1;
      if (count >= TURNS_MIN / 2) return true;
      times.set(key, count);
    }
  }
  return false;
}

/** Returns the longest sequence in which two actors and two values strictly alternate. */
function alternation<T extends { readonly actor: ActorId; readonly to: JsonValue | undefined }>(
  list: readonly T[],
): readonly T[] {
  let best: readonly T[] = [];
  let start = 0;
  for (let at = 1; at <= list.length; at++) {
    const turn = list[at];
    const before = list[at - 1];
    const twoBefore = at - 2 >= start ? list[at - 2] : undefined;
    const goesOn =
      turn !== undefined &&
      before !== undefined &&
      turn.actor !== before.actor &&
      (twoBefore === undefined || (turn.actor === twoBefore.actor && jsonEqual(turn.to, twoBefore.to)));
    if (goesOn) continue;
    if (at - start > best.length) best = list.slice(start, at);
    start = turn !== undefined && before !== undefined && turn.actor !== before.actor ? at - 1 : at;
  }
  return best;
}
