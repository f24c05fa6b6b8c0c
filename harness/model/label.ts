/**
 * Labels: the names by which a schedule refers to single requests, answers and watch events.
 *
 * A label never depends on a position in a list, so a stored schedule survives harmless changes of the controller. Labels are compared as
 * whole strings. `#n` counts occurrences of a label from 0, starting with contention.
 *
 * request  actor/verb/resource[.group][/subresource]/namespace/name#n!sent      before the server sees it
 * answer   actor/verb/resource[.group][/subresource]/namespace/name#n!answered  before the actor sees the answer
 * stream   actor/watch/resource[.group]/scope[?selector]#n
 * event    stream/name@k
 * timer    actor/timer#n                                                        before the earliest timer of that actor fires
 *
 * A delayed item returns under its label with `!late` appended.
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

/** Returns the label of a request without its occurrence number. */
export function requestLabel(parts: RequestLabelParts): Label {
  const sub = parts.subresource === undefined || parts.subresource === '' ? '' : `/${parts.subresource}`;
  return `${parts.actor}/${parts.verb}/${parts.resource}${sub}/${parts.namespace || '-'}/${parts.name || '*'}`;
}

/** Returns the label of a watch stream without its occurrence number. */
export function streamLabel(actor: string, resource: string, namespace: string, selector: string): Label {
  return `${actor}/watch/${resource}/${namespace || '*'}${selector === '' ? '' : `?${selector}`}`;
}

export const SENT = '!sent';
export const ANSWERED = '!answered';
/** The mark of an item that returns to the gate after its delay. */
export const LATE = '!late';

/** The parts of a label of any form. */
export interface LabelParts {
  readonly actor: string;
  /** `timer` for timers. */
  readonly verb: string;
  /** `pods` or `deployments.apps`; empty for timers. */
  readonly resource: string;
  /** The segments after the resource: subresource if any, namespace and name; or the scope of a stream with its selector. */
  readonly rest: readonly string[];
  /** Everything before the number. */
  readonly stem: string;
  /** Absent if the label has no number yet. */
  readonly occurrence?: number;
  /** `!sent`, `!answered`, `!setup`, or several; empty for streams, their events and timers. */
  readonly marks: string;
  /** The event, if the label names one event and not its stream. */
  readonly event?: { readonly name: string; readonly k: number };
}

/** Matches the shortest possible stem: `#` may occur in the name of an object, and therefore in the label of an event. */
const NUMBERED =
  /^(?<stem>.*?)#(?<occurrence>\d+)(?<marks>(?:![a-z]+)*)(?<event>(?:\/(?<name>.*))?@(?<k>-?\d+))?(?:!late)?$/s;

/** Parses a label of any form. */
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

/** Returns a request's label without its number; undefined for streams, their events and timers. */
export function withoutOccurrence(label: Label): string | undefined {
  const { stem, marks, event } = partsOf(label);
  return event === undefined && (marks === SENT || marks === ANSWERED) ? stem : undefined;
}

/**
 * Returns the label `by` occurrences later (earlier if negative); undefined if no such label is possible, and for events, which are
 * numbered by their stream.
 */
export function laterOccurrence(label: Label, by: number): Label | undefined {
  const { stem, occurrence, marks, event } = partsOf(label);
  if (occurrence === undefined || event !== undefined || occurrence + by < 0) return undefined;
  return `${stem}#${occurrence + by}${marks}`;
}
