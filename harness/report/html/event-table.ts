/**
 * The raw history as columns: one row per request, watch event, decision, process event and log line, sorted by tick.
 *
 * Owns: the table and its encoding (each text once in a list, and columns of indexes into it), so that 100,000 events stay
 * small and quick to filter. Does not own: which event caused which (`causes.ts`).
 */
import { objectKey } from 'stalemate-apiserver/objects/object';
import { assertNever } from '../../model/errors.ts';
import { isWrite, type History, type Operation } from '../../model/history.ts';
import { type HistoryIndex, bare } from '../history-index.ts';
import { logText } from '../log-line.ts';
import { answerText, requestText, type TextContext } from '../operation-text.ts';
import { EVENT_KINDS, type RawEvent } from './raw-event.ts';
import { causesOf } from './causes.ts';

/** Columns of equal length; an index of `-1` means none. */
export interface EventTable {
  readonly texts: readonly string[];
  readonly at: readonly number[];
  readonly timeMs: readonly number[];
  /** Index into {@link EVENT_KINDS}. */
  readonly kind: readonly number[];
  readonly actor: readonly number[];
  readonly verb: readonly number[];
  readonly object: readonly number[];
  readonly text: readonly number[];
  /** The label by which a schedule refers to the item. */
  readonly label: readonly number[];
  /** Rows that this event follows from. */
  readonly causes: readonly (readonly number[])[];
  /** Request bodies as text by row, up to the size limit. */
  readonly bodies: { readonly [row: string]: string };
}

/** Maximum number of characters of one body, and of all bodies on a page. The record contains them in full. */
const BODY_MAX = 6_000;
const BODIES_MAX = 250_000;

export function eventTable(index: HistoryIndex, field: string): EventTable {
  const events = rawEvents(index, field).sort((a, b) => a.at - b.at);
  const texts: string[] = [];
  const places = new Map<string, number>();
  const place = (text: string): number => {
    if (text === '') return -1;
    let known = places.get(text);
    if (known === undefined) {
      known = texts.push(text) - 1;
      places.set(text, known);
    }
    return known;
  };
  return {
    texts,
    at: events.map(({ at }) => at),
    timeMs: events.map(({ timeMs }) => Math.round(timeMs)),
    kind: events.map(({ kind }) => EVENT_KINDS.indexOf(kind)),
    actor: events.map(({ actor }) => place(actor)),
    verb: events.map(({ verb }) => place(verb)),
    object: events.map(({ object }) => place(object)),
    text: events.map(({ text }) => place(text)),
    label: events.map(({ label }) => place(label)),
    causes: causesOf(index, events),
    bodies: bodiesOf(index, events),
  };
}

function bodiesOf(index: HistoryIndex, events: readonly RawEvent[]): EventTable['bodies'] {
  const bodies: { [row: string]: string } = {};
  let room = BODIES_MAX;
  events.forEach(({ op }, row) => {
    const body = op === undefined ? undefined : index.operation(op)?.body;
    if (body === undefined || room <= 0) return;
    const text = JSON.stringify(body, null, 2);
    bodies[row] =
      text.length <= BODY_MAX
        ? text
        : `${text.slice(0, BODY_MAX)}\n… ${text.length - BODY_MAX} more characters in the record`;
    room -= text.length;
  });
  return bodies;
}

function rawEvents(index: HistoryIndex, field: string): RawEvent[] {
  const { history } = index;
  const context: TextContext = { index, field, nameObjects: true, leavesMax: 3 };
  return [
    ...history.operations.map((operation) => operationEvent(index, operation, context)),
    ...deliveryEvents(index),
    ...otherEvents(history),
  ];
}

function operationEvent(index: HistoryIndex, operation: Operation, context: TextContext): RawEvent {
  const write = isWrite(operation.verb);
  const { outcome } = operation;
  const request = requestText(operation, context);
  const fault = operation.fault === undefined ? '' : `  ↯ ${operation.fault}`;
  const mark = operation.sent ?? operation.invoked;
  const [key, ...more] = index.keysOf(operation);
  return {
    ...mark,
    kind: outcome.type === 'fail' ? 'refused' : write ? 'write' : 'read',
    actor: operation.actor,
    verb: operation.verb,
    object: key === undefined || more.length > 0 ? bare(operation.resource) : index.shortName(key),
    text: `${request}${write ? ` ▶ ${answerText(operation, context)}` : ''}${fault}`,
    label: operation.label,
    op: operation.id,
  };
}

function deliveryEvents(index: HistoryIndex): RawEvent[] {
  return index.history.deliveries.map((delivery) => {
    const { at, timeMs, actor, type, resource, object, revision, stream, k, available } = delivery;
    const { namespace = '', name = '' } = object?.metadata ?? {};
    const behind = at - available.at > 1 ? `  ◔ ${Math.round(timeMs - available.timeMs)} ms late` : '';
    const about = name === '' ? bare(resource) : index.shortName(objectKey(resource, namespace, name));
    return {
      at,
      timeMs,
      kind: 'delivery',
      actor,
      verb: 'event',
      object: about,
      text: `◀ ${type} ${about} ${revision}${timeMs > available.timeMs ? behind : ''}`,
      label: `${stream}@${k}`,
      revision,
    };
  });
}

function otherEvents(history: History): RawEvent[] {
  const plain = { verb: '', object: '', label: '' } as const;
  return [
    ...history.streamEnds.map(({ at, timeMs, actor, stream, resource, why }): RawEvent => {
      return {
        ...plain,
        at,
        timeMs,
        kind: 'stream',
        actor,
        object: bare(resource),
        text: `watch ended: ${why}`,
        label: stream,
      };
    }),
    ...history.processes.map(({ at, timeMs, actor, kind, detail }): RawEvent => {
      return { ...plain, at, timeMs, kind: 'process', actor, text: detail === '' ? kind : `${kind}: ${detail}` };
    }),
    ...history.decisions.map(({ at, timeMs, kind, label, detail }): RawEvent => {
      return {
        ...plain,
        at,
        timeMs,
        kind: 'decision',
        actor: 'schedule',
        verb: kind,
        text: `${decisionWord(kind)} ${detail}`.trim(),
        label,
      };
    }),
    ...history.phases.map(({ at, timeMs, phase }): RawEvent => {
      return { ...plain, at, timeMs, kind: 'phase', actor: 'schedule', text: `phase: ${phase}` };
    }),
    ...(history.logs ?? []).map(({ at, timeMs, actor, line }): RawEvent => {
      const text = logText(line);
      // The original line, if it differs from the text.
      return { ...plain, at, timeMs, kind: 'log', actor, text: `“${text}”`, label: text === line ? '' : line };
    }),
  ];
}

function decisionWord(kind: History['decisions'][number]['kind']): string {
  switch (kind) {
    case 'preemption':
      return 'preemption:';
    case 'hold':
      return 'hold:';
    case 'release':
      return 'released';
    case 'fault':
      return 'fault:';
    default:
      return assertNever(kind);
  }
}
