/**
 * What a group of objects led to, read from an undisturbed run: what the target wrote, asked for in vain and was refused.
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

/** An object that the target asked for by name and did not get. */
export interface Wanted {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Effect {
  /** What it is worth to a search: more of different things, with few requests. 0 when it led to nothing. */
  readonly score: number;
  /** Requests of the target, which are what a run costs. */
  readonly requests: number;
  /** In words: `creates 1 deployments.apps; writes the status of widgets.example.com`. Empty when it led to nothing. */
  readonly written: string;
  readonly wanted: readonly Wanted[];
  /** It went on and on: a run with it takes long, and says little of what others do to it. */
  readonly restless: boolean;
  /** Why the API server refused one of the objects; empty when it took all of them. */
  readonly refused: string;
  /** The first write of the target that was refused, if none succeeded; empty otherwise. */
  readonly denied: string;
  /** Requests of the target that failed, one line each. */
  readonly failed: readonly string[];
  /** Messages of events that the target recorded. */
  readonly events: readonly string[];
}

/** A child is what convergence, cardinality and ownership are about; a status may only say that something is missing. */
const WORTH = { creates: 4, changes: 2, 'writes the status of': 1 } as const;
/** What is left of the worth of a sample that the target never comes to rest with. */
const RESTLESS_SHARE = 0.5;
type Deed = keyof typeof WORTH;

/** Of one kind, more objects are more of the same: a second one is worth something, a tenth nothing. */
function moreOf(others: number): number {
  return 1 + Math.min(others, 4) / 8;
}

/** @param alone the run of the target without the objects: what it writes there as well is not their effect. */
export function effectOf(history: History, alone: History | undefined): Effect {
  const before = new Set(alone === undefined ? [] : writesOf(alone).map(keyOf));
  const deeds = new Map<string, Done>();
  const subresources = new Map(history.operations.map(({ id, subresource }) => [id, subresource]));
  for (const revision of writesOf(history)) {
    if (before.has(keyOf(revision))) continue;
    const deed =
      revision.type === 'ADDED'
        ? 'creates'
        : subresources.get(revision.op) === 'status'
          ? 'writes the status of'
          : 'changes';
    deeds.set(`${deed} ${keyOf(revision)}`, { deed, resource: revision.resource });
  }
  const restless = isRestless(history);
  const sorts = sortsOf([...deeds.values()]);
  const worth = sorts.reduce((sum, { deed, count }) => sum + WORTH[deed] * moreOf(count - 1), 0);
  const requests = history.operations.filter(({ actor }) => roleOf(actor) === 'target').length;
  const score = worth / Math.sqrt(Math.max(1, requests));
  return {
    score: restless ? score * RESTLESS_SHARE : score,
    requests,
    restless,
    written: sortsText(sorts),
    wanted: wantedIn(history),
    refused: refusedIn(history),
    denied: deeds.size === 0 ? deniedIn(history) : '',
    failed: failedIn(history),
    events: eventsIn(history),
  };
}

/** What the target wrote that is neither an event nor a lock. */
function writesOf({ revisions }: History): readonly Revision[] {
  return revisions.filter(
    ({ actor, resource, object }) =>
      roleOf(actor) === 'target' && !isEvent(resource) && lockHolder(object) === undefined,
  );
}

function keyOf({ resource, namespace, name }: Revision): string {
  return `${resource}/${namespace}/${name}`;
}

interface Done {
  readonly deed: Deed;
  readonly resource: string;
}

/** How many objects it did the same with, by deed and resource. */
function sortsOf(deeds: readonly Done[]): readonly (Done & { readonly count: number })[] {
  return [...Map.groupBy(deeds, ({ deed, resource }) => `${deed} ${resource}`).values()].flatMap((same) =>
    same.slice(0, 1).map((first) => ({ ...first, count: same.length })),
  );
}

function sortsText(sorts: ReturnType<typeof sortsOf>): string {
  return (Object.keys(WORTH) as Deed[])
    .flatMap((deed) => {
      const what = sorts.flatMap((one) =>
        one.deed === deed ? [one.count === 1 ? one.resource : `${one.count} ${one.resource}`] : [],
      );
      return what.length === 0 ? [] : [`${deed} ${what.join(', ')}`];
    })
    .join('; ');
}

/** What it got a 404 for, and never got. What it made itself later it did not want from anybody. */
function wantedIn({ operations, revisions }: History): readonly Wanted[] {
  const made = new Set(revisions.map(keyOf));
  const wanted = new Map<string, Wanted>();
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

/** What the target was refused; empty for what succeeded, and for conflicts, which are part of the work. */
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
