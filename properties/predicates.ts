/**
 * The user's own claims: plain functions of the objects there are.
 *
 * Owns: when a predicate is asked. `always` at every version of any object, `eventually` at rest, `sometimes` anywhere: it must
 * come true at least once in a campaign, or the campaign proved nothing about it. Ready conditions, exact cardinalities and surges
 * are declared here; nothing generic is guessed about them.
 *
 * @example
 * always('one-leader', 'at most one pod is labelled leader', (objects) =>
 *   objects('Pod').filter((pod) => pod.metadata.labels?.['role'] === 'leader').length <= 1)
 */
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Revision } from '../harness/model/history.ts';
import type { KubeObject } from '../harness/model/object.ts';
import type { Property } from '../harness/oracle/property.ts';

/** The objects of a kind, in order of creation. Frozen by convention: look, do not touch. */
export type ObjectsOf = (kind: string) => readonly KubeObject[];

/** True, or what is wrong as a clause: `three pods for one widget`. `false` says no more than the claim. */
export type Predicate = (objects: ObjectsOf) => boolean | string;

/** A claim about every state: judged after each change, from the first. */
export function always(name: string, about: string, predicate: Predicate): Property {
  return {
    name,
    kind: 'safety',
    about,
    check: (history) => {
      const state = new LiveState();
      for (const revision of history.revisions) {
        state.apply(revision);
        const answer = predicate(state.of);
        if (answer === true) continue;
        const { resource, revision: number, op, at, actor } = revision;
        const whose = `${actor}'s change of ${resource}/${history.names[revision.uid] ?? revision.name} (version ${number})`;
        const violation: Violation = {
          signature: { property: name, class: 'always', actors: [roleOf(actor)], kind: resource, field: '' },
          sentence: `${clause(answer, about)} after ${whose}`,
          operations: op >= 0 ? [op] : [],
          revisions: [number],
          at,
          severity: 'error',
        };
        return { result: 'violated', violations: [violation] };
      }
      return HOLDS;
    },
  };
}

/** A claim about the state at rest. Inconclusive when the run never came to rest. */
export function eventually(name: string, about: string, predicate: Predicate): Property {
  return {
    name,
    kind: 'liveness',
    about,
    check: (history) => {
      if (history.settlement.result !== 'quiescent') {
        return { result: 'inconclusive', reason: `the run did not come to rest (${history.settlement.result})` };
      }
      const answer = predicate(stateAtEnd(history).of);
      return answer === true ? HOLDS : brokenAtRest(history, name, about, answer);
    },
  };
}

function brokenAtRest(history: History, name: string, about: string, answer: false | string): CheckResult {
  const last = history.revisions.at(-1);
  const violation: Violation = {
    signature: { property: name, class: 'eventually', actors: ['target'], kind: '', field: '' },
    sentence: `${clause(answer, about)} at rest`,
    operations: last === undefined || last.op < 0 ? [] : [last.op],
    revisions: last === undefined ? [] : [last.revision],
    at: history.phases.at(-1)?.at ?? 0,
    severity: 'error',
  };
  return { result: 'violated', violations: [violation] };
}

/** A claim that is no run's to keep or break: see {@link neverReached}. */
export interface Sometimes extends Property {
  /** Whether it came true at some moment of a run. */
  reached(history: History): boolean;
}

/** A state that a campaign has to come by at least once. Holds in every single run. */
export function sometimes(name: string, about: string, predicate: Predicate): Sometimes {
  return {
    name,
    kind: 'liveness',
    about,
    check: () => HOLDS,
    reached: (history) => {
      const state = new LiveState();
      return history.revisions.some((revision) => {
        state.apply(revision);
        return predicate(state.of) === true;
      });
    },
  };
}

export function isSometimes(property: Property): property is Sometimes {
  return 'reached' in property;
}

/**
 * Adds one run to a campaign's counts by property name. Start with `{}`; runs after the first success cost nothing.
 */
export function tallySometimes(
  counts: { [property: string]: number },
  properties: readonly Property[],
  history: History,
): void {
  for (const property of properties) {
    if (!isSometimes(property) || (counts[property.name] ?? 0) > 0) continue;
    counts[property.name] = property.reached(history) ? 1 : 0;
  }
}

/** The `sometimes` claims that no run of the campaign reached: about these it was vacuous. */
export function neverReached(
  counts: { readonly [property: string]: number },
  properties: readonly Property[],
): readonly Property[] {
  return properties.filter((property) => isSometimes(property) && (counts[property.name] ?? 0) === 0);
}

function clause(answer: false | string, about: string): string {
  return typeof answer === 'string' ? answer : `it is not true that ${about}`;
}

function stateAtEnd(history: History): LiveState {
  const state = new LiveState();
  for (const revision of history.revisions) state.apply(revision);
  return state;
}

/** The objects as they are after some changes, by kind. */
class LiveState {
  readonly #kinds = new Map<string, Map<string, KubeObject>>();
  readonly of: ObjectsOf = (kind) => [...(this.#kinds.get(kind)?.values() ?? [])];

  apply({ type, object, uid }: Revision): void {
    let objects = this.#kinds.get(object.kind);
    if (objects === undefined) this.#kinds.set(object.kind, (objects = new Map()));
    if (type === 'DELETED') objects.delete(uid);
    else objects.set(uid, object);
  }
}
