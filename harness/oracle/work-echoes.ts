/**
 * Work echoes: `data.size` of the child `web-settings` holds the value of `spec.size` whenever the status claims the current generation.
 *
 * Owns: how they are detected in undisturbed runs, and which child still holds the value of an older generation. A pair counts only if the
 * values are equal at every claim in the references, with at least two different values: a target that updates its status before it does
 * the work has no such pairs. Does not own: conclusions (`properties/truthful-status.ts`).
 */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History, Revision } from '../model/history.ts';
import { isTime, leavesOf } from '../model/leaf.ts';
import type { DoneWork, WorkEcho } from '../model/reference.ts';
import { isCurrent } from './echoes.ts';
import { roleOfObject, type HistoryIndex } from './history-index.ts';

/** Leaves of children that are not the target's work. */
const NO_WORK = /^(apiVersion|kind|metadata|status)\b/;

/** Returns the pairs by role, with the content of the status when they were equal. Roles without pairs are left out. */
export function workEchoes(histories: readonly History[]): { readonly [role: string]: DoneWork } {
  const roles = new Map<string, Tally>();
  for (const history of histories) {
    const live = new Map<string, Revision>();
    const made = new Set<string>();
    for (const revision of history.revisions) {
      const { type, actor, uid, object } = revision;
      const isTarget = roleOf(actor) === 'target';
      if (type === 'ADDED' && isTarget) made.add(uid);
      if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined) live.delete(uid);
      else if (made.has(uid)) live.set(uid, revision);
      if (type === 'DELETED' || !isTarget || !isCurrent(object)) continue;
      if (object.metadata.deletionTimestamp !== undefined) continue;
      const role = roleOfObject(history, revision);
      if (!roles.has(role)) roles.set(role, { claims: 0, pairs: new Map(), said: new Set() });
      tallyClaim(history, revision, [...live.values()], roles.get(role) as Tally);
    }
  }
  const out: { [role: string]: DoneWork } = {};
  for (const [role, { claims, pairs, said }] of roles) {
    const echoes = [...pairs.values()].filter(({ held, values }) => held === claims && values.size > 1);
    if (echoes.length === 0) continue;
    out[role] = { echoes: echoes.map(({ child, leaf, spec }) => ({ child, leaf, spec })), said: [...said].toSorted() };
  }
  return out;
}

interface Tally {
  claims: number;
  readonly pairs: Map<string, WorkEcho & { held: number; readonly values: Set<string> }>;
  readonly said: Set<string>;
}

/** Counts the pairs whose values are equal at one claim; of several children with one role, all must repeat the value. */
function tallyClaim(history: History, claim: Revision, live: readonly Revision[], tally: Tally): void {
  tally.claims++;
  for (const text of statusTexts(claim.object)) tally.said.add(text);
  const specs = [...leavesOf(claim.object)].filter(([path, value]) => path.startsWith('spec.') && isTelling(value));
  const children = Map.groupBy(
    live.filter(({ uid }) => uid !== claim.uid),
    (revision) => roleOfObject(history, revision),
  );
  for (const [child, [first, ...others]] of children) {
    if (first === undefined) continue;
    for (const [leaf, value] of leavesOf(first.object)) {
      if (NO_WORK.test(leaf)) continue;
      const all = [value, ...others.map(({ object }) => leavesOf(object).get(leaf))];
      for (const [spec, wanted] of specs) {
        if (!all.every((one) => isSame(one, wanted))) continue;
        const key = `${child} ${leaf} ${spec}`;
        const pair = tally.pairs.get(key) ?? { child, leaf, spec, held: 0, values: new Set() };
        pair.held++;
        pair.values.add(textOf(wanted) ?? '');
        tally.pairs.set(key, pair);
      }
    }
  }
}

/** Reports whether two equal values are evidence of an echo; booleans are often equal by chance. */
function isTelling(value: JsonValue): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function isSame(value: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  const text = textOf(value);
  return text !== undefined && text === textOf(wanted);
}

/** Returns the text of a scalar: a number of the spec may be a string in a child. */
function textOf(value: JsonValue | undefined): string | undefined {
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

/** Returns the leaves of a status as texts, without times and generations. */
function statusTexts(object: KubeObject): readonly string[] {
  return [...leavesOf(object)].flatMap(([path, value]) =>
    !path.startsWith('status.') || path.endsWith('observedGeneration') || isTime(value)
      ? []
      : [`${path} ${JSON.stringify(value)}`],
  );
}

/** A child that still has the value of an older generation. */
export interface UndoneWork {
  readonly child: Revision;
  readonly leaf: string;
  readonly actual: JsonValue | undefined;
  readonly wanted: JsonValue | undefined;
  /** The latest version of the object with the older value. */
  readonly older: Revision;
}

/**
 * Returns a child that still has a value of an older spec although the status reports the newer one, with the value that it should have.
 *
 * A target may have good reasons for this, so several conditions must hold: the target itself wrote the child's value, in the same
 * incarnation or before the newer spec existed, and the child never had the wanted value: if it once had, a stale cache could still show
 * that value to the target.
 *
 * @param versions - The versions of the object, up to the claim.
 * @param claimed - The first version with the claimed generation.
 */
export function undoneWork(
  index: HistoryIndex,
  claim: Revision,
  versions: readonly Revision[],
  claimed: Revision,
): UndoneWork | undefined {
  const role = index.role(claim);
  const done = index.history.reference?.workEchoes?.[role];
  if (done === undefined || claim.object.metadata.deletionTimestamp !== undefined) return undefined;
  const own = index.history.reference?.ownedLeaves[role] ?? [];
  const said = new Set(done.said);
  const isUsual = statusTexts(claim.object).every(
    (text) => said.has(text) || !own.includes(text.slice(0, text.indexOf(' '))),
  );
  if (!isUsual) return undefined;
  for (const chain of index.chains()) {
    const child = chain.findLast(({ at }) => at < claim.at);
    if (child === undefined || child.type === 'DELETED' || child.uid === claim.uid) continue;
    if (child.object.metadata.deletionTimestamp !== undefined) continue;
    for (const { child: kind, leaf, spec } of done.echoes) {
      if (kind !== index.role(child)) continue;
      const wanted = leavesOf(claimed.object).get(spec);
      const actual = leavesOf(child.object).get(leaf);
      if (wanted === undefined || isSame(actual, wanted)) continue;
      const older = versions.findLast(
        ({ at, object }) => at < claimed.at && isSame(actual, leavesOf(object).get(spec)),
      );
      const past = chain.slice(0, index.position(child) + 1);
      const last = past.findLast((revision) => index.changes(revision).some(({ path }) => path === leaf));
      if (older === undefined || last === undefined || roleOf(last.actor) !== 'target') continue;
      if (last.actor !== claim.actor && last.at > claimed.at) continue;
      if (past.some(({ object }) => isSame(leavesOf(object).get(leaf), wanted))) continue;
      return { child, leaf, actual, wanted, older };
    }
  }
  return undefined;
}
