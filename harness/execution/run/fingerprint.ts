/** Compares two histories of the same workload and schedule, and finds their first difference. */
import type { History } from '../../model/history.ts';

/** Returns everything that happened in a run as text; equal texts mean byte-identical histories. */
export function historyText(history: History): string {
  const { reference: _, probes: __, ...happened } = history;
  return JSON.stringify(happened);
}

interface Happening {
  readonly at: number;
  readonly text: string;
}

/** Returns the records of a history in order, one line each. */
function happenings(history: History): readonly Happening[] {
  const out: Happening[] = [];
  for (const operation of history.operations) {
    out.push({
      at: operation.invoked.at,
      text: `${operation.label} sent by its actor with ${JSON.stringify(operation.body ?? null)}`,
    });
    if (operation.sent !== undefined)
      out.push({ at: operation.sent.at, text: `${operation.label} reaches the server` });
    if (operation.answered !== undefined) {
      out.push({ at: operation.answered.at, text: `${operation.label} answered ${JSON.stringify(operation.outcome)}` });
    }
  }
  for (const delivery of history.deliveries) {
    out.push({
      at: delivery.at,
      text: `${delivery.stream}@${delivery.k} ${delivery.type} at version ${delivery.revision}`,
    });
  }
  for (const process of history.processes)
    out.push({ at: process.at, text: `${process.actor} ${process.kind} ${process.detail}` });
  for (const end of history.streamEnds) out.push({ at: end.at, text: `${end.stream} ended: ${end.why}` });
  return out.toSorted((a, b) => a.at - b.at);
}

/** Describes the first difference of two histories; undefined if they are the same. */
export function firstDivergence(a: History, b: History): string | undefined {
  if (historyText(a) === historyText(b)) return undefined;
  const left = happenings(a);
  const right = happenings(b);
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const one = left[index];
    const two = right[index];
    if (one?.text === two?.text && one?.at === two?.at) continue;
    const part = partingOf(one?.text, two?.text);
    return `at record ${index}: first run "${clip(one?.text, part)}", second run "${clip(two?.text, part)}"`;
  }
  return 'the records are the same, but times or details differ';
}

/** Returns the index of the first difference of two texts. */
function partingOf(one = '', two = ''): number {
  let at = 0;
  while (at < one.length && at < two.length && one[at] === two[at]) at++;
  return at;
}

/** How many characters of a long record a message shows: from its beginning, and before and after the difference. */
const HEAD_LENGTH = 90;
const BEFORE_LENGTH = 40;
const AFTER_LENGTH = 80;

function clip(text: string | undefined, part: number): string {
  if (text === undefined) return '(nothing more)';
  const from = part - BEFORE_LENGTH;
  const end = part + AFTER_LENGTH;
  const tail = end < text.length ? '…' : '';
  if (from <= HEAD_LENGTH) return text.slice(0, end) + tail;
  return `${text.slice(0, HEAD_LENGTH)}… ${text.slice(from, end)}${tail}`;
}
