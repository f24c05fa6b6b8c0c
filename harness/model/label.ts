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
 *
 * What a schedule has delayed comes back under its label with `!late` behind it.
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
/** Of an item that comes back to the gate once its delay is over. */
export const LATE = '!late';

/** What a label of any form says. */
export interface LabelParts {
  readonly actor: string;
  /** `timer` for timers. */
  readonly verb: string;
  /** `pods` or `deployments.apps`; empty for timers. */
  readonly resource: string;
  /** What stands behind the resource: subresource if any, namespace and name; or the scope of a stream with its selector. */
  readonly rest: readonly string[];
  /** All that stands before the number. */
  readonly stem: string;
  /** Absent from labels that have not been numbered. */
  readonly occurrence?: number;
  /** `!sent`, `!answered`, `!setup`, or several; empty for streams, their events and timers. */
  readonly marks: string;
  /** The event of the stream that is meant, and not the stream. */
  readonly event?: { readonly name: string; readonly k: number };
}

/** As short a stem as there can be: an object may have `#` in its name, and so may the one that an event is about. */
const NUMBERED =
  /^(?<stem>.*?)#(?<occurrence>\d+)(?<marks>(?:![a-z]+)*)(?<event>(?:\/(?<name>.*))?@(?<k>-?\d+))?(?:!late)?$/s;

/** Takes a label apart, whatever it is of. */
export function partsOf(label: Label): LabelParts {
  const { stem = label, occurrence, marks = '', event, name = '', k } = NUMBERED.exec(label)?.groups ?? {};
  const [actor = '', verb = '', resource = '', ...rest] = stem.split('/');
  return {
    actor,
    verb,
    resource,
    rest,
    stem,
    marks,
    ...(occurrence === undefined ? {} : { occurrence: Number(occurrence) }),
    ...(event === undefined ? {} : { event: { name, k: Number(k) } }),
  };
}

/** What a request's label says besides its number; absent for streams, their events and timers. */
export function withoutOccurrence(label: Label): string | undefined {
  const { stem, marks, event } = partsOf(label);
  return event === undefined && (marks === SENT || marks === ANSWERED) ? stem : undefined;
}

/** The label that is so many occurrences later (or earlier); absent where none is, and for events, which are numbered by their stream. */
export function laterOccurrence(label: Label, by: number): Label | undefined {
  const { stem, occurrence, marks, event } = partsOf(label);
  if (occurrence === undefined || event !== undefined || occurrence + by < 0) return undefined;
  return `${stem}#${occurrence + by}${marks}`;
}
