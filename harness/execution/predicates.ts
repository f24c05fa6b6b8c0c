/**
 * The user's own claims: predicates over objects, turned into properties.
 *
 * `always` is judged on every revision since contention began, `eventually` on the state at rest; `sometimes` has to come true on some
 * revision of a campaign, or the campaign proved nothing about it. A claim is a function, or a CEL expression (`cel-claims.ts`).
 */
import { HarnessError } from '../model/errors.ts';
import type { CheckResult, Violation } from '../model/check-result.ts';
import { phaseStart, type History, type Revision } from '../model/history.ts';
import { objectKey, type KubeObject } from '../model/object.ts';
import type { Property } from '../oracle/property.ts';
import { celPredicate, type CelClaim } from './cel-claims.ts';

export interface Predicate {
  /** Kebab-case, as given to `--property`. */
  readonly name: string;
  /** The resource that it is about: `pods`, `widgets.example.com`. */
  readonly resource: string;
  /**
   * Whether the claim holds for an object. `objects` is everything that exists at that moment. A text is the reason why it does
   * not hold. `before` is the version that the object replaced, if it is a change that is judged. Must be pure.
   */
  check(object: KubeObject, objects: readonly KubeObject[], before?: KubeObject): boolean | string;
}

/** A claim about every version of every object of a resource. */
export function always(claim: Predicate | CelClaim): Property {
  const predicate = 'cel' in claim ? celPredicate(claim, 'change') : claim;
  return {
    name: predicate.name,
    kind: 'safety',
    about: `always: ${predicate.name} holds for every version of ${predicate.resource}`,
    check: (history) => judge(history, predicate, versionsSinceContention(history, predicate.resource), 'always'),
  };
}

/** A claim about the objects of a resource at rest. */
export function eventually(claim: Predicate | CelClaim): Property {
  const predicate = 'cel' in claim ? celPredicate(claim, 'state') : claim;
  return {
    name: predicate.name,
    kind: 'liveness',
    about: `eventually: ${predicate.name} holds for ${predicate.resource} at rest`,
    check: (history) => {
      if (history.settlement.result !== 'quiescent') {
        return { result: 'inconclusive', reason: 'the run never came to rest, and the claim is about objects at rest' };
      }
      const last = [...liveAt(history, Number.POSITIVE_INFINITY).values()];
      return judge(
        history,
        predicate,
        last.filter(({ resource }) => resource === predicate.resource),
        'eventually',
      );
    },
  };
}

/** A state that a campaign has to come by at least once. Holds in every single run. */
export function sometimes(claim: Predicate | CelClaim): Property {
  const predicate = 'cel' in claim ? celPredicate(claim, 'change') : claim;
  return {
    name: predicate.name,
    kind: 'liveness',
    about: `sometimes: ${predicate.name} comes true for ${predicate.resource} at least once in a campaign`,
    check: () => ({ result: 'holds' }),
    reached: (history) =>
      versionsSinceContention(history, predicate.resource).some((revision) => comesTrue(history, predicate, revision)),
  };
}

/** What cannot be asked of a version has not come true in it. */
function comesTrue(history: History, predicate: Predicate, { object, at, before }: Revision): boolean {
  const objects = [...liveAt(history, at).values()].map((revision) => revision.object);
  try {
    return predicate.check(object, objects, before) === true;
  } catch {
    return false;
  }
}

function judge(
  history: History,
  predicate: Predicate,
  revisions: readonly Revision[],
  mode: 'always' | 'eventually',
): CheckResult {
  for (const revision of revisions) {
    const at = mode === 'always' ? revision.at : Number.POSITIVE_INFINITY;
    const objects = [...liveAt(history, at).values()].map(({ object }) => object);
    const answer = predicate.check(revision.object, objects, mode === 'always' ? revision.before : undefined);
    if (answer !== true) {
      return { result: 'violated', violations: [violationOf(history, predicate, revision, mode, answer)] };
    }
  }
  return { result: 'holds' };
}

function violationOf(
  history: History,
  predicate: Predicate,
  revision: Revision,
  mode: 'always' | 'eventually',
  answer: string | false,
): Violation {
  const name = history.names[revision.uid] ?? revision.name;
  const reason = answer === false ? '' : `: ${answer}`;
  const when = mode === 'always' ? `at version ${revision.revision}, written by ${revision.actor}` : 'at rest';
  return {
    signature: {
      property: predicate.name,
      class: mode === 'always' ? 'broken-always' : 'broken-at-rest',
      actors: ['target'],
      kind: predicate.resource,
      field: '',
    },
    sentence: `${predicate.name} does not hold for ${predicate.resource} ${name} ${when}${reason}`,
    operations: [revision.op],
    revisions: [revision.revision],
    at: mode === 'always' ? revision.at : (history.phases.at(-1)?.at ?? revision.at),
    severity: 'error',
  };
}

function versionsSinceContention(history: History, resource: string): readonly Revision[] {
  const start = phaseStart(history, 'contention');
  return history.revisions.filter(
    (revision) => revision.resource === resource && revision.type !== 'DELETED' && revision.at >= start,
  );
}

/** The last version of every object that exists right after a tick. */
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
 * A claim about a resource that nobody can create would hold for ever.
 *
 * @param examples resources to name in the message beside a built-in one.
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
    throw new HarnessError(
      'CONFIG_INVALID',
      `the predicate "${name}" is about "${resource}", expected a resource by its plural name and group, such as ${such}`,
    );
  }
}

type Claims = {
  readonly [kind in 'always' | 'eventually' | 'sometimes']?: readonly Pick<Predicate, 'name' | 'resource'>[];
};
