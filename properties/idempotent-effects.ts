/**
 * P8, idempotent effects: nothing is leaked or created twice in an external system.
 *
 * Judges the resources that the target keeps in the store that it was given. *Leaked*: at rest a collection has more resources than a fresh
 * copy of the target creates from the same input, more time does not change it, and nothing in the cluster refers to them any more.
 * *Duplicated*: two resources of a collection with the same content at the same time, where a fresh copy never has two alike. *Missing*:
 * fewer than a fresh copy creates. Does not apply to targets without effects. The end state of objects in the cluster belongs to
 * convergence.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { History, Revision } from '../harness/model/history.ts';
import { COLLECTION, OUTSIDE, OUTSIDE_API } from '../harness/model/outside.ts';
import { canonicalJson } from '../harness/model/spec-hash.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import type { Property } from '../harness/oracle/property.ts';
import { earnedSettleMs, isAtRest, RETRIES_TOO_LATE } from '../harness/oracle/rest.ts';
import { unlessUndisturbedToo } from '../harness/oracle/undisturbed-too.ts';
import { hasEffects } from './exercised.ts';

const NAME = 'idempotent-effects';

export const idempotentEffects: Property = {
  name: NAME,
  id: 'P8',
  kind: 'safety',
  about: 'nothing is leaked, lost or made twice in the store outside the cluster',
  check,
  exercised: hasEffects,
};

type Extended = Extract<ProbeResult, { probe: 'extended-settle' }>;

function check(history: History): CheckResult {
  const made = history.revisions.filter(({ resource }) => resource === OUTSIDE);
  if (made.length === 0) return HOLDS;
  const { settlement } = history;
  if (settlement.result !== 'quiescent') {
    return {
      result: 'inconclusive',
      reason:
        'the run never came to rest, so there is no final state to judge (bounded-rate judges whether it may be this busy)',
    };
  }
  const expected = history.probes.find((probe) => probe.probe === 'expected-state');
  if (expected === undefined) {
    const reason = 'no further run showed what a fresh copy of the target keeps outside the cluster';
    return { result: 'inconclusive', reason, needs: [{ probe: 'expected-state' }] };
  }
  if (!expected.settled) {
    return {
      result: 'inconclusive',
      reason:
        'a fresh copy of the target, given the same input, did not come to rest: there is nothing to compare with',
    };
  }
  const allowed = expected.outcomes.map(({ objects }) => Object.values(objects).filter(isOutside));
  const twice = duplicated(indexOf(history), made, allowed);
  if (twice !== undefined) return { result: 'violated', violations: [twice] };
  return judgeRest(history, made, allowed);
}

function isOutside({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === OUTSIDE_API.apiVersion && kind === OUTSIDE_API.kind;
}

function contentOf(object: KubeObject): string {
  return `${collectionOf(object)} ${canonicalJson(object['spec'] ?? null)}`;
}

function collectionOf({ metadata }: KubeObject): string {
  return metadata.labels?.[COLLECTION] ?? '';
}

/** Returns the first creation of a resource whose content already existed, and that a fresh copy has only once. */
function duplicated(
  index: HistoryIndex,
  made: readonly Revision[],
  allowed: readonly (readonly KubeObject[])[],
): Violation | undefined {
  const live = new Map<string, Revision>();
  for (const revision of made) {
    if (revision.type === 'DELETED') {
      live.delete(revision.uid);
      continue;
    }
    const content = contentOf(revision.object);
    const twin = [...live.values()].find(({ uid, object }) => uid !== revision.uid && contentOf(object) === content);
    live.set(revision.uid, revision);
    if (twin === undefined || revision.type !== 'ADDED' || roleOf(revision.actor) !== 'target') continue;
    const usual = allowed.some((objects) => objects.filter((object) => contentOf(object) === content).length > 1);
    if (usual) continue;
    const first = index.operation(index.chain(twin.uid)[0]?.op ?? -1);
    const lost = first?.outcome.type === 'info' ? ', the answer to which was lost' : '';
    return violation(
      revision,
      'duplicated',
      `${revision.actor} made ${nameOf(index, revision)} outside (version ${revision.revision}) although ${nameOf(index, twin)} ` +
        `(version ${twin.revision}) with the same content was there${lost}`,
      [index.chain(twin.uid)[0] ?? twin, revision],
    );
  }
  return undefined;
}

function judgeRest(
  history: History,
  made: readonly Revision[],
  allowed: readonly (readonly KubeObject[])[],
): CheckResult {
  const last = new Map<string, Revision>();
  for (const revision of made) {
    if (revision.type === 'DELETED') last.delete(revision.uid);
    else last.set(revision.uid, revision);
  }
  const now = countsOf([...last.values()].map(({ object }) => object));
  if (smallestSurplus(now, allowed) === undefined) return HOLDS;
  const windowMs = earnedSettleMs(history);
  if (windowMs === undefined) return RETRIES_TOO_LATE;
  const extended = history.probes.find(
    (probe): probe is Extended => probe.probe === 'extended-settle' && probe.windowMs >= windowMs,
  );
  if (extended === undefined) {
    const reason =
      'the state outside the cluster is not the one that a fresh copy of the target keeps, and no longer run was available to show whether it gets there';
    return { result: 'inconclusive', reason, needs: [{ probe: 'extended-settle', windowMs }] };
  }
  if (!isAtRest(extended)) {
    return {
      result: 'inconclusive',
      reason: `the target was given ${windowMs / 1000} s more and was still not at rest`,
    };
  }
  const later = smallestSurplus(countsOf(extended.final.filter(isOutside)), allowed);
  if (later === undefined) return HOLDS;
  const found = atRest(history, later, made);
  // Some controllers keep on purpose what a deleted object had, for example under a policy to retain it.
  return unlessUndisturbedToo(history, found, `${found.sentence}; undisturbed, it ends in the same way`, (other) => {
    const usual = other.expected.map(({ objects }) => Object.values(objects).filter(isOutside));
    const same = smallestSurplus(countsOf(other.final.filter(isOutside)), usual);
    return same?.collection === later.collection && same.actual > same.expected === later.actual > later.expected;
  });
}

interface Surplus {
  readonly collection: string;
  readonly actual: number;
  readonly expected: number;
}

function countsOf(objects: readonly KubeObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const object of objects) counts.set(collectionOf(object), (counts.get(collectionOf(object)) ?? 0) + 1);
  return counts;
}

/** Returns the difference from the nearest allowed counts; undefined if the counts are allowed. */
function smallestSurplus(
  now: ReadonlyMap<string, number>,
  allowed: readonly (readonly KubeObject[])[],
): Surplus | undefined {
  let smallest: Surplus | undefined;
  for (const objects of allowed) {
    const wanted = countsOf(objects);
    const differing = [...new Set([...now.keys(), ...wanted.keys()])]
      .map((collection) => ({ collection, actual: now.get(collection) ?? 0, expected: wanted.get(collection) ?? 0 }))
      .find(({ actual, expected }) => actual !== expected);
    if (differing === undefined) return undefined;
    smallest ??= differing;
  }
  return smallest;
}

function atRest(history: History, { collection, actual, expected }: Surplus, made: readonly Revision[]): Violation {
  const index = indexOf(history);
  const own = made.filter(({ object }) => collectionOf(object) === collection);
  const last = own.findLast(({ type }) => type === (actual > expected ? 'ADDED' : 'DELETED')) ?? own.at(-1) ?? made[0];
  const kind = actual > expected ? 'leaked' : 'missing';
  const what =
    actual > expected
      ? `leaves ${actual} of ${collection} outside the cluster at rest, where a fresh copy keeps ${expected}: no object refers to the rest any more`
      : `keeps ${actual} of ${collection} outside the cluster at rest, where a fresh copy keeps ${expected}`;
  const about = last === undefined ? '' : `; the last change was to ${nameOf(index, last)} (version ${last.revision})`;
  const at = history.phases.at(-1)?.at ?? 0;
  if (last === undefined) return { ...EMPTY, sentence: `controller ${what}`, at };
  return { ...violation(last, kind, `controller ${what}${about}`, [last]), at };
}

const EMPTY: Violation = {
  signature: { property: NAME, class: 'missing', actors: ['target'], kind: OUTSIDE, field: '' },
  sentence: '',
  operations: [],
  revisions: [],
  at: 0,
  severity: 'error',
};

/** Returns the canonical name of a resource, such as `disks~0`. */
function nameOf({ history }: HistoryIndex, { uid, name }: Revision): string {
  return history.names[uid] ?? name;
}

function violation(revision: Revision, kind: string, sentence: string, evidence: readonly Revision[]): Violation {
  return {
    ...EMPTY,
    signature: { ...EMPTY.signature, class: kind, field: collectionOf(revision.object) },
    sentence,
    operations: evidence.toReversed().flatMap(({ op }) => (op < 0 ? [] : [op])),
    revisions: evidence.map(({ revision: number }) => number),
    at: revision.at,
  };
}
