/**
 * Finds, for a label that never occurred, the most similar label that did, to help users who repair a counterexample by hand.
 *
 * Owns: the distance. The type of request counts more than the names in it. Pure.
 */
import { nameInLabels, type History } from '../model/history.ts';
import { partsOf, type Label, type LabelParts } from '../model/label.ts';
import { editDistance } from '../model/similar.ts';

/** Returns, for each missed label, the nearest one that occurred; absent if no label of its type occurred. */
export function nearestLabels(missed: readonly Label[], history: History): ReadonlyMap<Label, Label> {
  const requests = history.operations.flatMap(({ label }) => [`${label}!sent`, `${label}!answered`]);
  const events = history.deliveries.map(({ stream, object, k }) => {
    const { uid = '', namespace = '', name = '' } = object?.metadata ?? {};
    return `${stream}/${nameInLabels(history, { uid, namespace, name })}@${k}`;
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

/** Distance between different resources; different verbs have twice that distance. Larger than any difference of names. */
const FAR = 100;

function distanceOf(one: Label, other: Label): number {
  if (momentOf(one) !== momentOf(other)) return Number.POSITIVE_INFINITY;
  const wanted = partsOf(one);
  const candidate = partsOf(other);
  // Labels of actors with different roles are never similar.
  if (roleIn(wanted.actor) !== roleIn(candidate.actor)) return Number.POSITIVE_INFINITY;
  const kinds = (wanted.verb === candidate.verb ? 0 : 2 * FAR) + (wanted.resource === candidate.resource ? 0 : FAR);
  const names = editDistance(behindResource(one, wanted), behindResource(other, candidate));
  return kinds + editDistance(wanted.actor, candidate.actor) + names;
}

/**
 * Returns the type of moment: before the server receives the request, before the actor receives the answer, an event or a
 * stream. Works for labels without a number as well.
 */
function momentOf(label: Label): string {
  return /!(sent|answered)$/.exec(label)?.[1] ?? (/@-?\d+$/.test(label) ? 'event' : 'stream');
}

function behindResource(label: Label, { rest, stem }: LabelParts): string {
  return rest.join('/') + label.slice(stem.length);
}

/** Returns the actor without the number of its incarnation, replica or writer. */
function roleIn(actor: string): string {
  return actor.replace(/[~-]\d+$/, '');
}
