/**
 * An index over one history: chains of versions, roles, and what each actor had received at which tick.
 *
 * Owns: lookups that several properties share, each built on first use, as most histories have no violation and need few. Does not own:
 * interpretation. Start at {@link indexOf}.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import { revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf, type ActorId } from '../model/actor.ts';
import type { History, Operation, Revision } from '../model/history.ts';
import { diffContent, leafPattern, leavesOf } from '../model/leaf.ts';
import type { LeafChange } from '../model/leaf.ts';
import type { Reference } from '../model/reference.ts';

/** One version of one object, as received by an actor. */
export interface ObservedVersion {
  readonly revision: number;
  readonly object: KubeObject;
  /** The tick at which the actor received it. */
  readonly at: number;
  readonly how: 'get' | 'list' | 'own write' | 'watch';
}

const indexes = new WeakMap<readonly Revision[], HistoryIndex>();

/** Returns the index of a history. There is one per run, even if a reference and probes are attached to the history later. */
export function indexOf(history: History): HistoryIndex {
  let index = indexes.get(history.revisions);
  if (index === undefined) indexes.set(history.revisions, (index = new HistoryIndex(history)));
  return index;
}

/** Returns the role of an object: `gr:canonical name` without the creation number. */
export function roleOfObject(
  { names }: Pick<History, 'names'>,
  object: { resource: string; uid: string; name: string },
): string {
  const canonical = names[object.uid] ?? object.name;
  const numbered = canonical.lastIndexOf('~');
  return `${object.resource}:${numbered < 0 ? canonical : canonical.replace(/~\d+$/, '')}`;
}

export class HistoryIndex {
  readonly history: History;
  readonly #chains: ReadonlyMap<string, readonly Revision[]>;
  readonly #positions = new Map<Revision, number>();
  readonly #changes = new Map<Revision, readonly LeafChange[]>();
  readonly #roles = new Map<string, string>();
  #operations: Map<number, Operation> | undefined;

  constructor(history: History) {
    this.history = history;
    this.#chains = Map.groupBy(history.revisions, ({ uid }) => uid);
  }

  /** Returns all versions of one object, oldest first. */
  chain(uid: string): readonly Revision[] {
    return this.#chains.get(uid) ?? [];
  }

  /** Returns the versions of every object, in order of first appearance. */
  chains(): Iterable<readonly Revision[]> {
    return this.#chains.values();
  }

  /** Returns the index of a revision in its object's chain. */
  position(revision: Revision): number {
    let position = this.#positions.get(revision);
    if (position === undefined) {
      position = this.chain(revision.uid).indexOf(revision);
      this.#positions.set(revision, position);
    }
    return position;
  }

  /** Returns the changes of a revision, without those of leaves that servers maintain; empty for DELETED. */
  changes(revision: Revision): readonly LeafChange[] {
    let changes = this.#changes.get(revision);
    if (changes === undefined) {
      changes = revision.type === 'DELETED' ? [] : diffContent(revision.before, revision.object);
      this.#changes.set(revision, changes);
    }
    return changes;
  }

  role(revision: Revision): string {
    let role = this.#roles.get(revision.uid);
    if (role === undefined) this.#roles.set(revision.uid, (role = roleOfObject(this.history, revision)));
    return role;
  }

  /**
   * Returns the operation with an id. In every history that a recorder wrote, the id is the operation's index; edited histories may have
   * gaps.
   */
  operation(id: number): Operation | undefined {
    const likely = this.history.operations[id];
    if (likely?.id === id) return likely;
    this.#operations ??= new Map(this.history.operations.map((operation) => [operation.id, operation]));
    return this.#operations.get(id);
  }

  /** Returns the last version of an object that the server had before a tick. */
  liveAt(uid: string, at: number): Revision | undefined {
    const chain = this.chain(uid);
    for (let index = chain.length - 1; index >= 0; index--) {
      const revision = chain[index];
      if (revision !== undefined && revision.at < at) return revision;
    }
    return undefined;
  }

  /**
   * Returns the revision that last changed a leaf before the given one. A creation counts only for leaves in its body, so that defaults of
   * the server are not attributed to the writer.
   */
  lastChange(revision: Revision, path: string): Revision | undefined {
    const chain = this.chain(revision.uid);
    for (let index = this.position(revision) - 1; index >= 0; index--) {
      const earlier = chain[index];
      if (earlier === undefined) return undefined;
      const change = this.changes(earlier).find((candidate) => candidate.path === path);
      if (change === undefined) continue;
      if (earlier.type !== 'ADDED') return earlier;
      const body = this.operation(earlier.op)?.body;
      return body === undefined || (isMap(body) && leavesOf(body).has(path)) ? earlier : undefined;
    }
    return undefined;
  }

  /** Returns the versions of one object that an actor received before a tick, in order of arrival. */
  seenBy(actor: ActorId, uid: string, before: number): readonly ObservedVersion[] {
    const seen: ObservedVersion[] = [];
    for (const { actor: reader, verb, outcome, answered } of this.history.operations) {
      if (reader !== actor || outcome.type !== 'ok' || answered === undefined || answered.at >= before) continue;
      const { object, items } = outcome;
      const how = verb === 'get' || verb === 'list' ? verb : 'own write';
      if (object?.metadata?.uid === uid) seen.push({ revision: revisionOf(object), object, at: answered.at, how });
      for (const item of items ?? []) {
        if (item.metadata.uid === uid) seen.push({ revision: revisionOf(item), object: item, at: answered.at, how });
      }
    }
    for (const { actor: reader, object, revision, at, type } of this.history.deliveries) {
      if (reader !== actor || at >= before || type === 'BOOKMARK' || object?.metadata.uid !== uid) continue;
      seen.push({ revision, object, at, how: 'watch' });
    }
    return seen.toSorted((a, b) => a.at - b.at);
  }

  /** Reports whether the target had created an object of this name before. */
  hasMade({ at, resource, namespace, name }: Revision): boolean {
    return this.history.revisions.some(
      (one) =>
        one.at < at &&
        one.type === 'ADDED' &&
        one.resource === resource &&
        one.namespace === namespace &&
        one.name === name &&
        roleOf(one.actor) === 'target',
    );
  }

  /** Returns `deployments.apps/web`, with the canonical name in place of a generated one. */
  shortName(revision: Revision): string {
    return `${revision.resource}/${this.history.names[revision.uid] ?? revision.name}`;
  }
}

type LeafTable = { readonly [role: string]: readonly string[] };
const sets = new WeakMap<LeafTable, Map<string, ReadonlySet<string>>>();
const NONE: ReadonlySet<string> = new Set();

/** Reports whether a table of the reference (`ownedLeaves`, `removedLeaves`, `volatileLeaves`) includes a leaf of a role. */
export function names(table: Reference['ownedLeaves'] | undefined, role: string, path: string): boolean {
  const set = patterns(table, role);
  return set.size > 0 && (set.has(path) || (path.includes('[') && set.has(leafPattern(path))));
}

/**
 * Reports whether a leaf differs between references, for objects of this role or of another role of the same kind among the target's
 * children: undisturbed runs with two children show nothing about a third.
 */
export function isVolatile(reference: Reference | undefined, role: string, path: string): boolean {
  if (reference === undefined) return false;
  const { volatileLeaves, children } = reference;
  if (names(volatileLeaves, role, path)) return true;
  const resource = role.slice(0, role.indexOf(':') + 1);
  return children.some((child) => child.role.startsWith(resource) && names(volatileLeaves, child.role, path));
}

function patterns(table: LeafTable | undefined, role: string): ReadonlySet<string> {
  const list = table?.[role];
  if (table === undefined || list === undefined) return NONE;
  let byRole = sets.get(table);
  if (byRole === undefined) sets.set(table, (byRole = new Map()));
  let set = byRole.get(role);
  if (set === undefined) byRole.set(role, (set = new Set(list)));
  return set;
}
