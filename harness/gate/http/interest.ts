/**
 * Which requests a schedule names, by what is known before a body has been read.
 *
 * Owns: erring on the side of too many. A label counts how often it came, so that either all requests of one verb and resource pass the
 * gate or none. Start at {@link interestOf}.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { RequestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ActorId } from '../../model/actor.ts';
import { partsOf } from '../../model/label.ts';
import type { Schedule } from '../../model/schedule.ts';

/** Answers whether a schedule may be about a request of `actor`. */
export function interestOf(schedule: Schedule, actor: ActorId): (info: RequestInfo | undefined) => boolean {
  const labels = labelsOf(schedule).filter((label) => label.startsWith(`${actor}/`));
  // A generated name is known from its create.
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
