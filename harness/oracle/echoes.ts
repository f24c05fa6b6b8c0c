/**
 * Status echoes: `status.image` holds the text of `spec.image` whenever the status claims the current generation.
 *
 * Owns: how echoes are detected in undisturbed runs. A pair counts only if the references had at least two values of the spec leaf and
 * never a different status for the current generation: anything else that a target reports before it is done would have occurred in the
 * references too. Does not own: conclusions from the echoes (`properties/truthful-status.ts`).
 */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import { leafPattern, leavesOf } from '../model/leaf.ts';
import type { StatusEcho } from '../model/reference.ts';
import { roleOfObject } from './history-index.ts';

/** Matches texts that can be an echo: shorter texts, and numbers, appear in any message by coincidence. */
const TEXT = /^(?=.*[A-Za-z]).{3,}$/s;

/** Returns the pairs by role, in a stable order. Roles whose status has no generation have no pairs. */
export function statusEchoes(histories: readonly History[]): { readonly [role: string]: readonly StatusEcho[] } {
  const roles = new Map<string, Tally>();
  for (const history of histories) {
    for (const revision of history.revisions) {
      if (revision.type === 'DELETED' || roleOf(revision.actor) !== 'target' || !isCurrent(revision.object)) continue;
      const role = roleOfObject(history, revision);
      let tally = roles.get(role);
      if (tally === undefined) roles.set(role, (tally = new Map()));
      tallyVersion(revision.object, tally);
    }
  }
  const out: { [role: string]: readonly StatusEcho[] } = {};
  for (const [role, tally] of roles) {
    const pairs = [...tally.values()].filter((pair) => !pair.broken && pair.values.size > 1);
    if (pairs.length > 0) out[role] = pairs.map(({ status, spec }) => ({ status, spec }));
  }
  return out;
}

/** Returns the generation that a status claims to describe; undefined if it claims none. */
export function observedGeneration(object: KubeObject): number | undefined {
  const observed = leavesOf(object).get('status.observedGeneration');
  return typeof observed === 'number' ? observed : undefined;
}

/** Reports whether a status leaf repeats a spec leaf. */
export function repeats(status: JsonValue | undefined, spec: JsonValue | undefined): boolean {
  return typeof status === 'string' && typeof spec === 'string' && status.includes(spec);
}

interface Pair extends StatusEcho {
  readonly values: Set<string>;
  broken: boolean;
}
type Tally = Map<string, Pair>;

/** Reports whether a status claims to describe the current generation. */
export function isCurrent(object: KubeObject): boolean {
  return object.metadata.generation !== undefined && observedGeneration(object) === object.metadata.generation;
}

function tallyVersion(object: KubeObject, tally: Tally): void {
  const leaves = leavesOf(object);
  const specs: (readonly [string, string])[] = [];
  const reports: (readonly [string, string])[] = [];
  for (const [path, value] of leaves) {
    if (typeof value !== 'string' || leafPattern(path) !== path) continue;
    if (path.startsWith('spec.') && TEXT.test(value)) specs.push([path, value]);
    else if (path.startsWith('status.')) reports.push([path, value]);
  }
  for (const pair of tally.values()) if (!repeats(leaves.get(pair.status), leaves.get(pair.spec))) pair.broken = true;
  for (const [status, text] of reports) {
    for (const [spec, value] of specs) {
      const key = `${status} ${spec}`;
      const known = tally.get(key);
      if (known !== undefined) known.values.add(value);
      else if (text.includes(value)) tally.set(key, { status, spec, values: new Set([value]), broken: false });
    }
  }
}
