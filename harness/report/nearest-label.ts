/**
 * For a label that never came up: the one that did and is most like it, to fix a counterexample by hand.
 *
 * Owns: what is most alike. The kind of request counts before the names in it. Pure.
 */
import type { History } from '../model/history.ts';
import { partsOf, type Label, type LabelParts } from '../model/label.ts';
import { editDistance } from '../model/similar.ts';

/** For each label that was missed, the nearest of those that occurred; left out where nothing of its kind did. */
export function nearestLabels(missed: readonly Label[], history: History): ReadonlyMap<Label, Label> {
  const requests = history.operations.flatMap(({ label }) => [`${label}!sent`, `${label}!answered`]);
  const events = history.deliveries.map(({ stream, object, k }) => {
    const { uid = '', name = '' } = object?.metadata ?? {};
    return `${stream}/${history.names[uid] ?? name}@${k}`;
  });
  const streams = history.operations.flatMap(({ label, verb }) => (verb === 'watch' ? [label] : []));
  const occurred = [...new Set([...requests, ...events, ...streams])].filter((label) => !label.includes('!setup'));
  return new Map(
    missed.flatMap((label): readonly (readonly [Label, Label])[] => {
      const found = nearest(label, occurred);
      return found === undefined ? [] : [[label, found]];
    }),
  );
}

function nearest(label: Label, occurred: readonly Label[]): Label | undefined {
  let best: Label | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of occurred) {
    const distance = distanceOf(label, other);
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}

/** Another verb is further away than any other name. */
const FAR = 100;

function distanceOf(one: Label, other: Label): number {
  if (momentOf(one) !== momentOf(other)) return Number.POSITIVE_INFINITY;
  const here = partsOf(one);
  const there = partsOf(other);
  // What one actor waits for another one's request cannot stand for.
  if (roleIn(here.actor) !== roleIn(there.actor)) return Number.POSITIVE_INFINITY;
  const kinds = (here.verb === there.verb ? 0 : 2 * FAR) + (here.resource === there.resource ? 0 : FAR);
  const names = editDistance(behindResource(one, here), behindResource(other, there));
  return kinds + editDistance(here.actor, there.actor) + names;
}

/** Before the server sees it, before the actor sees the answer, an event, a stream: also where a label lacks its number. */
function momentOf(label: Label): string {
  return /!(sent|answered)$/.exec(label)?.[1] ?? (/@-?\d+$/.test(label) ? 'event' : 'stream');
}

function behindResource(label: Label, { rest, stem }: LabelParts): string {
  return rest.join('/') + label.slice(stem.length);
}

/** Without which life, replica or writer it is. */
function roleIn(actor: string): string {
  return actor.replace(/[~-]\d+$/, '');
}
