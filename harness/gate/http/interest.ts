/**
 * Selects the requests that a schedule names, by what is known before the body is read.
 *
 * Owns: the selection, which may contain too many requests, but never too few. Labels count occurrences, so either all requests of one verb
 * and resource pass through the gate or none. Start at {@link interestOf}.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { RequestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ActorId } from '../../model/actor.ts';
import { partsOf } from '../../model/label.ts';
import type { Schedule } from '../../model/schedule.ts';

/** Returns a predicate that reports whether the schedule may refer to a request of `actor`. */
export function interestOf(schedule: Schedule, actor: ActorId): (info: RequestInfo | undefined) => boolean {
  const labels = labelsOf(schedule).filter((label) => label.startsWith(`${actor}/`));
  // The gate learns a generated name from the create of the object, so it has to see every request.
  if (labels.some((label) => label.includes('~'))) return () => true;
  const named = new Set(labels.map(partsOf).map(({ verb, resource }) => `${verb}/${resource}`));
  return (info) => named.has(info === undefined ? 'get/raw' : `${info.verb}/${groupResource(info)}`);
}

function labelsOf({ preemptions, holds, faults }: Schedule): readonly string[] {
  return [
    ...preemptions.flatMap(({ before = '', after = '', until = '' }) => [before, after, until]),
    ...holds.flatMap(({ stream, until }) => [stream, until]),
    ...faults.flatMap((fault) => [fault.at, ...('until' in fault ? [fault.until ?? ''] : [])]),
  ];
}
