/** Compares objects at rest with those of a fresh copy that got the same input. */
import { objectKey, type KubeObject } from 'stalemate-apiserver/objects/object';
import { isAside } from '../model/aside.ts';
import type { Violation } from '../model/check-result.ts';
import { isSameLag } from '../model/generation-lag.ts';
import { diffLeaves, isServerLeaf, leafPattern } from '../model/leaf.ts';
import type { HistoryIndex } from './history-index.ts';
import { isField, valueText } from './leaf-text.ts';

export interface Comparison {
  /** For example `deployments/web`. */
  readonly object: string;
  /** Leaf path; empty if the whole object is missing or should not exist. */
  readonly leaf: string;
  readonly expected: string;
  readonly actual: string;
}

const COMPARISONS_MAX = 5;

/**
 * Compares the story's objects with the state that the probe expected; the violation's field comes first. The result is empty
 * without such a probe.
 */
export function compareAtRest(
  index: HistoryIndex,
  keys: ReadonlySet<string>,
  violation: Violation,
): readonly Comparison[] {
  if (violation.signature.property !== 'convergence' && violation.signature.property !== 'crash-equivalence') return [];
  const probe = index.history.probes.find((result) => result.probe === 'expected-state');
  const expected = probe?.probe === 'expected-state' ? probe.outcomes[0]?.objects : undefined;
  if (expected === undefined) return [];
  const actual = finalState(index);
  const shown = keys.size === 0 ? new Set([...actual.keys(), ...Object.keys(expected)]) : canonical(index, keys);
  const sameUid = uidsAs(actual, expected);
  const comparisons: (Comparison & { readonly about: boolean })[] = [];
  for (const key of shown) {
    const [resource = '', , ...name] = key.split('/');
    if (isAside(resource)) continue;
    const object = `${resource.split('.')[0] ?? ''}/${name.join('/')}`;
    const want = expected[key];
    const have = actual.get(key);
    if (want === undefined || have === undefined) {
      if (want === have) continue;
      const [wanted, found] = want === undefined ? ['no such object', 'exists'] : ['exists', 'missing'];
      comparisons.push({ object, leaf: '', expected: wanted, actual: found, about: true });
      continue;
    }
    const owned = ownedLeaves(index, key);
    const varying = new Set(index.history.reference?.volatileLeaves[measuredRole(key)]);
    for (const change of diffLeaves(want, renamed(have, sameUid))) {
      const about = isField(change.path, violation.signature.field);
      const pattern = leafPattern(change.path);
      if (!about && (isServerLeaf(change.path) || !owned.has(pattern) || varying.has(pattern))) continue;
      if (isSameLag(want, have, change)) continue;
      const values = { expected: valueText(change.from), actual: valueText(change.to) };
      comparisons.push({ object, leaf: change.path, ...values, about });
    }
  }
  return comparisons
    .sort((a, b) => Number(b.about) - Number(a.about))
    .slice(0, COMPARISONS_MAX)
    .map(({ about: _about, ...comparison }) => comparison);
}

function finalState(index: HistoryIndex): ReadonlyMap<string, KubeObject> {
  const state = new Map<string, KubeObject>();
  for (const { resource, namespace, name, uid, type, object } of index.history.revisions) {
    const key = objectKey(resource, namespace, index.history.names[uid] ?? name);
    if (type === 'DELETED') state.delete(key);
    else state.set(key, object);
  }
  return state;
}

/**
 * Maps the uids of the actual run to those of the expected one, because each run has its own uids. Objects correspond if they have the same
 * key.
 */
function uidsAs(
  actual: ReadonlyMap<string, KubeObject>,
  expected: { readonly [key: string]: KubeObject },
): ReadonlyMap<string, string> {
  const uids = new Map<string, string>();
  for (const [key, { metadata }] of actual) {
    const other = expected[key]?.metadata.uid;
    if (metadata.uid !== undefined && other !== undefined) uids.set(metadata.uid, other);
  }
  return uids;
}

function renamed(object: KubeObject, uids: ReadonlyMap<string, string>): KubeObject {
  const text = JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'string' ? (uids.get(value) ?? value) : value,
  );
  return JSON.parse(text) as KubeObject;
}

function canonical(index: HistoryIndex, keys: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    [...keys].map((key) => {
      const revision = index.chain(key).at(-1);
      if (revision === undefined) return key;
      return objectKey(revision.resource, revision.namespace, index.history.names[revision.uid] ?? revision.name);
    }),
  );
}

function ownedLeaves(index: HistoryIndex, key: string): ReadonlySet<string> {
  return new Set(index.history.reference?.ownedLeaves[measuredRole(key)]);
}

/** Returns the role of an object, as in the keys of the reference, which measures all objects of one role together. */
function measuredRole(key: string): string {
  const [resource = '', , ...name] = key.split('/');
  return `${resource}:${name.join('/').replace(/~\d+$/, '')}`;
}
