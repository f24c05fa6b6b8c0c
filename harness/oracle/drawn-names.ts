/**
 * Names that a target draws itself, instead of asking the API server to generate them.
 *
 * Such an object goes by another name in every run. Known by comparing undisturbed runs: what one of them has that another lacks was
 * drawn. Start at {@link drawnNamesIn}; `gate/naming.ts` names these objects by the order of their creation.
 */
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import type { DrawnNames } from '../model/reference.ts';

/** By resource: names that stay, and how the others begin. Empty when the runs agree. */
export function drawnNamesIn(histories: readonly History[]): DrawnNames {
  const runs = histories.map(namesByResource);
  const out: { [resource: string]: DrawnNames[string] } = {};
  for (const resource of new Set(runs.flatMap((run) => [...run.keys()]))) {
    const sets = runs.map((run) => run.get(resource) ?? new Set<string>());
    const kept = [...(sets[0] ?? [])].filter((name) => sets.every((set) => set.has(name)));
    const drawn = sets.map((set) => [...set].filter((name) => !kept.includes(name)));
    // A run that made fewer of them proves nothing: it may have stopped early.
    if (drawn.some((names) => names.length === 0)) continue;
    out[resource] = { kept: kept.toSorted(), stems: stemsOf(drawn) };
  }
  return out;
}

/** Names that the target chose for what it created; names that the server generated are compared by order anyway. */
function namesByResource({ revisions, names }: History): ReadonlyMap<string, ReadonlySet<string>> {
  const out = new Map<string, Set<string>>();
  for (const { type, actor, resource, uid, name } of revisions) {
    if (type !== 'ADDED' || roleOf(actor) !== 'target' || names[uid]?.includes('~') === true) continue;
    if (/^events(\.|$)/.test(resource)) continue;
    const set = out.get(resource) ?? new Set<string>();
    out.set(resource, set.add(name));
  }
  return out;
}

/** Beginnings that names of different runs share, up to a dash or a dot, the longest first; the empty one fits any name. */
function stemsOf(runs: readonly (readonly string[])[]): readonly string[] {
  const stems = new Set<string>();
  const [first = [], ...others] = runs;
  for (const name of first) {
    const shared = others.map((names) => names.map((other) => sharedStem(name, other)).reduce(longer, ''));
    stems.add(shared.reduce((a, b) => (a.length <= b.length ? a : b), name));
  }
  return [...stems].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

function longer(a: string, b: string): string {
  return b.length > a.length ? b : a;
}

function sharedStem(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, Math.max(a.lastIndexOf('-', length - 1), a.lastIndexOf('.', length - 1)) + 1);
}
