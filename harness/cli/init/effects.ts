/**
 * Reads the effect of a group of objects from an undisturbed run: what the target wrote, what it requested and did not get, and
 * what the server refused.
 *
 * Pure. Start at {@link effectOf}.
 */
import { mapOf, textOf } from 'stalemate-apiserver/objects/json';
import { isEvent } from '../../model/aside.ts';
import { roleOf } from '../../model/actor.ts';
import { isWrite, type History, type Operation, type Revision } from '../../model/history.ts';
import { lockHolder } from '../../oracle/leadership.ts';
import { isRestless } from '../../oracle/rest.ts';
import { countText } from '../../report/count-text.ts';

/** An object that the target requested by name and did not get. */
export interface MissingObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Effect {
  /** How useful the sample is for a search: higher with more distinct effects and fewer requests; 0 without any effect. */
  readonly score: number;
  /** Number of the target's requests, which determine the cost of a run. */
  readonly requests: number;
  /** For example `creates 1 deployments.apps; writes the status of widgets.example.com`. Empty without any effect. */
  readonly written: string;
  readonly wanted: readonly MissingObject[];
  /** Whether the target never came to rest: runs with it take long, and show little about the effect of other writers. */
  readonly restless: boolean;
  /** Why the API server refused one of the objects; empty if it accepted all of them. */
  readonly refused: string;
  /** The first refused write of the target, if none succeeded; empty otherwise. */
  readonly denied: string;
  /** Failed requests of the target, one line each. */
  readonly failed: readonly string[];
  /** Messages of events that the target recorded. */
  readonly events: readonly string[];
}

/**
 * The score of each type of write. Children count most, because convergence, cardinality and ownership are about them; a status
 * may just report that something is missing.
 */
const WORTH = { creates: 4, changes: 2, 'writes the status of': 1 } as const;
/** Factor of the score if the target never comes to rest. */
const RESTLESS_SHARE = 0.5;
type Action = keyof typeof WORTH;

/** Returns the factor for further objects of the same kind: a second one adds some value, a tenth none. */
function moreOf(others: number): number {
  return 1 + Math.min(others, 4) / 8;
}

/** @param alone - The run of the target without the objects: writes that also occur in that run are not an effect of the objects. */
export function effectOf(history: History, alone: History | undefined): Effect {
  const before = new Set(alone === undefined ? [] : writesOf(alone).map(keyOf));
  const actions = new Map<string, Write>();
  const subresources = new Map(history.operations.map(({ id, subresource }) => [id, subresource]));
  for (const revision of writesOf(history)) {
    if (before.has(keyOf(revision))) continue;
    const action =
      revision.type === 'ADDED'
        ? 'creates'
        : subresources.get(revision.op) === 'status'
          ? 'writes the status of'
          : 'changes';
    actions.set(`${action} ${keyOf(revision)}`, { action, resource: revision.resource });
  }
  const restless = isRestless(history);
  const sorts = sortsOf([...actions.values()]);
  const worth = sorts.reduce((sum, { action, count }) => sum + WORTH[action] * moreOf(count - 1), 0);
  const requests = history.operations.filter(({ actor }) => roleOf(actor) === 'target').length;
  const score = worth / Math.sqrt(Math.max(1, requests));
  return {
    score: restless ? score * RESTLESS_SHARE : score,
    requests,
    restless,
    written: sortsText(sorts),
    wanted: wantedIn(history),
    refused: refusedIn(history),
    denied: actions.size === 0 ? deniedIn(history) : '',
    failed: failedIn(history),
    events: eventsIn(history),
  };
}

/** Returns the target's writes, except for events and leases. */
function writesOf({ revisions }: History): readonly Revision[] {
  return revisions.filter(
    ({ actor, resource, object }) =>
      roleOf(actor) === 'target' && !isEvent(resource) && lockHolder(object) === undefined,
  );
}

function keyOf({ resource, namespace, name }: Revision): string {
  return `${resource}/${namespace}/${name}`;
}

interface Write {
  readonly action: Action;
  readonly resource: string;
}

/** Groups writes by action and resource, and counts the objects of each group. */
function sortsOf(actions: readonly Write[]): readonly (Write & { readonly count: number })[] {
  return [...Map.groupBy(actions, ({ action, resource }) => `${action} ${resource}`).values()].flatMap((same) =>
    same.slice(0, 1).map((first) => ({ ...first, count: same.length })),
  );
}

function sortsText(sorts: ReturnType<typeof sortsOf>): string {
  return (Object.keys(WORTH) as Action[])
    .flatMap((action) => {
      const what = sorts.flatMap((one) =>
        one.action === action ? [one.count === 1 ? one.resource : `${one.count} ${one.resource}`] : [],
      );
      return what.length === 0 ? [] : [`${action} ${what.join(', ')}`];
    })
    .join('; ');
}

/** Returns the objects for which the target got a 404 and never a success, except for those that it created later itself. */
function wantedIn({ operations, revisions }: History): readonly MissingObject[] {
  const made = new Set(revisions.map(keyOf));
  const wanted = new Map<string, MissingObject>();
  for (const { actor, verb, resource, namespace, name, outcome } of operations) {
    if (roleOf(actor) !== 'target' || verb !== 'get' || resource === '' || name === '') continue;
    const key = `${resource}/${namespace}/${name}`;
    if (outcome.type === 'fail' && outcome.code === 404 && !made.has(key))
      wanted.set(key, { resource, namespace, name });
  }
  return [...wanted.values()];
}

function refusedIn({ operations }: History): string {
  for (const { actor, verb, resource, outcome } of operations)
    if (actor === 'user' && verb === 'create' && outcome.type === 'fail')
      return `${resource}: ${outcome.message.split('\n')[0] ?? ''}`;
  return '';
}

function deniedIn({ operations }: History): string {
  const writes = operations.filter(({ verb, resource }) => isWrite(verb) && !isEvent(resource));
  return writes.map(failureText).find((text) => text !== '') ?? '';
}

/** Describes a failed request of the target; empty for a success, and for a conflict, which is normal. */
function failureText(operation: Operation): string {
  const { actor, outcome } = operation;
  if (roleOf(actor) !== 'target' || outcome.type !== 'fail' || outcome.code === 409) return '';
  return `${askedText(operation)}: ${outcome.code} ${outcome.message.split('\n')[0] ?? ''}`.trimEnd();
}

function failedIn({ operations }: History): readonly string[] {
  const lines = new Map<string, number>();
  for (const line of operations.map(failureText)) if (line !== '') lines.set(line, (lines.get(line) ?? 0) + 1);
  return [...lines].map(([line, count]) => (count === 1 ? line : `${line} (${countText(count, 'time')})`));
}

function askedText({ verb, resource, namespace, name }: Operation): string {
  return [verb, resource, [namespace, name].filter((part) => part !== '').join('/')]
    .filter((part) => part !== '')
    .join(' ');
}

function eventsIn({ operations }: History): readonly string[] {
  const lines = operations.flatMap(({ actor, verb, resource, body }): readonly string[] => {
    if (roleOf(actor) !== 'target' || !isEvent(resource) || !isWrite(verb)) return [];
    const { reason, message, note } = mapOf(body);
    const text = `${textOf(reason)}: ${textOf(message) || textOf(note)}`;
    return text === ': ' ? [] : [text];
  });
  return [...new Set(lines)];
}
