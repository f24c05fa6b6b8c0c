/**
 * Turns the user's claims, which are predicates over objects, into properties.
 *
 * `always` is judged on every revision since contention began, `eventually` on the state at rest; `sometimes` has to be true for some
 * revision of a campaign, otherwise the campaign proved nothing about it. A claim that reads all objects is evaluated whenever the target
 * changes any object: the change that violates it is often to another object. A claim is a function, or a CEL expression (`cel-claims.ts`).
 */
import { objectKey } from 'stalemate-apiserver/objects/object';
import type { CheckResult, Violation } from '../../model/check-result.ts';
import { roleOf } from '../../model/actor.ts';
import { phaseStart, type History, type Revision } from '../../model/history.ts';
import type { Property } from '../../oracle/property.ts';
import type { Predicate } from './predicate.ts';
import { celPredicate, type CelClaim } from './cel-claims.ts';
import { configInvalid } from '../config-invalid.ts';

/** Returns the property for a claim about every version of every object of a resource. */
export function always(claim: Predicate | CelClaim): Property {
  const predicate = 'cel' in claim ? celPredicate(claim, 'change') : claim;
  return {
    name: predicate.name,
    kind: 'safety',
    about: `always: ${predicate.name} holds for every version of ${predicate.resource}`,
    source: sourceOf(claim),
    check: (history) => judge(history, predicate, momentsSinceContention(history, predicate), 'always'),
  };
}

/** Returns the property for a claim about the objects of a resource at rest. */
export function eventually(claim: Predicate | CelClaim): Property {
  const predicate = 'cel' in claim ? celPredicate(claim, 'state') : claim;
  return {
    name: predicate.name,
    kind: 'liveness',
    about: `eventually: ${predicate.name} holds for ${predicate.resource} at rest`,
    source: sourceOf(claim),
    check: (history) => {
      if (history.settlement.result !== 'quiescent') {
        return { result: 'inconclusive', reason: 'the run never came to rest, and the claim is about objects at rest' };
      }
      const last = [...liveAt(history, Number.POSITIVE_INFINITY).values()];
      return judge(
        history,
        predicate,
        last
          .filter(({ resource }) => resource === predicate.resource)
          .map((revision) => ({ by: revision, of: revision })),
        'eventually',
      );
    },
  };
}

/** Returns the property for a state that must occur at least once in a campaign; no single run can violate it. */
export function sometimes(claim: Predicate | CelClaim): Property {
  const predicate = 'cel' in claim ? celPredicate(claim, 'change') : claim;
  return {
    name: predicate.name,
    kind: 'liveness',
    about: `sometimes: ${predicate.name} is true for ${predicate.resource} at least once in a campaign`,
    source: sourceOf(claim),
    check: () => ({ result: 'holds' }),
    reached: (history) =>
      momentsSinceContention(history, predicate).some((moment) => comesTrue(history, predicate, moment)),
  };
}

function sourceOf(claim: Predicate | CelClaim): string {
  return 'cel' in claim ? claim.cel : claim.check.toString();
}

/** Reports whether a claim is true for a version; false if it cannot be evaluated. */
function comesTrue(history: History, predicate: Predicate, { by, of }: Moment): boolean {
  const objects = [...liveAt(history, by.at).values()].map((revision) => revision.object);
  try {
    return predicate.check(of.object, objects, of.before) === true;
  } catch {
    return false;
  }
}

function judge(
  history: History,
  predicate: Predicate,
  moments: readonly Moment[],
  mode: 'always' | 'eventually',
): CheckResult {
  for (const moment of moments) {
    const at = mode === 'always' ? moment.by.at : Number.POSITIVE_INFINITY;
    const objects = [...liveAt(history, at).values()].map(({ object }) => object);
    const answer = predicate.check(moment.of.object, objects, mode === 'always' ? moment.of.before : undefined);
    if (answer !== true) {
      return { result: 'violated', violations: [violationOf(history, predicate, moment, mode, answer)] };
    }
  }
  return { result: 'holds' };
}

function violationOf(
  history: History,
  predicate: Predicate,
  { by, of }: Moment,
  mode: 'always' | 'eventually',
  answer: string | false,
): Violation {
  const nameOf = ({ uid, name }: Revision): string => history.names[uid] ?? name;
  const reason = answer === false ? '' : `: ${answer}`;
  const change =
    by === of
      ? `at version ${by.revision}, written by ${by.actor}`
      : `once ${by.actor} has ${DONE[by.type]} ${by.resource} ${nameOf(by)} (version ${by.revision})`;
  const when = mode === 'always' ? change : 'at rest';
  return {
    signature: {
      property: predicate.name,
      class: mode === 'always' ? 'broken-always' : 'broken-at-rest',
      actors: ['target'],
      kind: predicate.resource,
      field: '',
    },
    sentence: `${predicate.name} does not hold for ${predicate.resource} ${nameOf(of)} ${when}${reason}`,
    operations: [by.op],
    revisions: [by.revision],
    at: mode === 'always' ? by.at : (history.phases.at(-1)?.at ?? by.at),
    severity: 'error',
  };
}

/** One evaluation of a claim: for the version `of`, right after the change `by`, which may be a change of another object. */
interface Moment {
  readonly by: Revision;
  readonly of: Revision;
}

const DONE: { readonly [type in Revision['type']]: string } = {
  ADDED: 'created',
  MODIFIED: 'changed',
  DELETED: 'deleted',
};

function momentsSinceContention(history: History, predicate: Predicate): readonly Moment[] {
  const { resource } = predicate;
  const looksAround = predicate.looksAround ?? predicate.check.length === 2;
  const start = phaseStart(history, 'contention');
  return history.revisions
    .filter(({ at }) => at >= start)
    .flatMap((by): readonly Moment[] => {
      if (by.resource === resource && by.type !== 'DELETED') return [{ by, of: by }];
      // The target is not responsible for what other actors add or remove.
      if (!looksAround || roleOf(by.actor) !== 'target') return [];
      const there = [...liveAt(history, by.at).values()].filter((revision) => revision.resource === resource);
      return there.map((of) => ({ by, of }));
    });
}

/** Returns the latest version of every object that exists right after tick `at`, by object. */
function liveAt(history: History, at: number): ReadonlyMap<string, Revision> {
  const live = new Map<string, Revision>();
  for (const revision of history.revisions) {
    if (revision.at > at) break;
    const key = objectKey(revision.resource, revision.namespace, revision.name);
    if (revision.type === 'DELETED') live.delete(key);
    else live.set(key, revision);
  }
  return live;
}

/**
 * Checks the resources of claims: a claim about a resource that does not exist would always hold.
 *
 * @param examples Resources to name in the message in addition to a built-in one.
 * @throws {CONFIG_INVALID}
 */
export function checkPredicates(
  { always: every = [], eventually: atRest = [], sometimes: once = [] }: Claims,
  resources: (name: string) => boolean,
  examples: readonly string[],
): void {
  for (const { name, resource } of [...every, ...atRest, ...once]) {
    if (resources(resource)) continue;
    const such = [...examples.slice(-3), 'deployments.apps'].join(', ');
    throw configInvalid(
      `the predicate "${name}" is about "${resource}", expected a resource by its plural name and group, such as ${such}`,
    );
  }
}

type Claims = {
  readonly [kind in 'always' | 'eventually' | 'sometimes']?: readonly Pick<Predicate, 'name' | 'resource'>[];
};
