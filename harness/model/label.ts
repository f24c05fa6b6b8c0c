/**
 * Labels: the names by which a schedule touches single requests, answers and watch events.
 *
 * A label never depends on a position in a list, so a stored schedule survives harmless changes of the controller.
 * Schedules compare labels as wholes. `#n` counts from 0 per label since contention began.
 *
 * request  actor/verb/resource[.group][/subresource]/namespace/name#n!sent      before the server sees it
 * answer   actor/verb/resource[.group][/subresource]/namespace/name#n!answered  before the actor sees the answer
 * stream   actor/watch/resource[.group]/scope[?selector]#n
 * event    stream/name@k
 * timer    actor/timer#n                                                        before the earliest timer of that actor fires
 */

export type Label = string;

export interface RequestLabelParts {
  readonly actor: string;
  readonly verb: string;
  /** `pods` or `deployments.apps`. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Empty for cluster-scoped objects and for all namespaces. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
}

/** The label of a request without its occurrence number. */
export function requestLabel(parts: RequestLabelParts): Label {
  const sub = parts.subresource === undefined || parts.subresource === '' ? '' : `/${parts.subresource}`;
  return `${parts.actor}/${parts.verb}/${parts.resource}${sub}/${parts.namespace || '-'}/${parts.name || '*'}`;
}

/** The label of a watch stream without its occurrence number. */
export function streamLabel(actor: string, resource: string, namespace: string, selector: string): Label {
  return `${actor}/watch/${resource}/${namespace || '*'}${selector === '' ? '' : `?${selector}`}`;
}

export const SENT = '!sent';
export const ANSWERED = '!answered';

/** `stem#n!sent` or `stem#n!answered`: the only labels whose number is looked at, when a schedule is moved. */
const NUMBERED = /^(?<stem>.+)#(?<occurrence>\d+)(?<moment>!sent|!answered)$/;

/** What a request's label says besides its number; absent for streams, their events and timers. */
export function withoutOccurrence(label: Label): string | undefined {
  return NUMBERED.exec(label)?.groups?.['stem'];
}

/** The label of the request that is so many occurrences later (or earlier); absent when there is none. */
export function laterOccurrence(label: Label, by: number): Label | undefined {
  const { stem, occurrence, moment } = NUMBERED.exec(label)?.groups ?? {};
  if (stem === undefined || occurrence === undefined || moment === undefined) return undefined;
  const number = Number(occurrence) + by;
  return number < 0 ? undefined : `${stem}#${number}${moment}`;
}
