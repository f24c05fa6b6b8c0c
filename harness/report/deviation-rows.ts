/** Builds the rows of a story that show the deviations of the schedule. */
import type { Counterfactual } from '../model/finding.ts';
import { phaseStartMs, type Decision, type History } from '../model/history.ts';
import { ANSWERED, partsOf, SENT, type Label } from '../model/label.ts';
import { deviationText, TIME, type Fault, type Hold, type Preemption, type Schedule } from '../model/schedule.ts';
import { spanText } from './count-text.ts';

export interface DeviationRow {
  readonly row: 'deviation';
  readonly at: number;
  readonly kind: 'preemption' | 'hold' | 'release' | 'fault';
  /** For example `1 of 2` among deviations of its type, or `3 to 6 of 9` for several with the same text; absent for a release. */
  readonly ordinal?: string;
  readonly text: string;
  /** The result of the run without this deviation. */
  readonly without?: Counterfactual['without'];
}

/**
 * Returns a row for each deviation at the moment when it took effect: at its decision in the history, else where its anchor
 * happened. A deviation that never took effect has no row; the story lists its label as missed.
 */
export function deviationRows(
  history: History,
  schedule: Schedule,
  counterfactuals: readonly Counterfactual[],
): readonly DeviationRow[] {
  const rows: DeviationRow[] = [];
  const place = (kind: 'preemption' | 'hold' | 'fault', deviations: readonly (Preemption | Hold | Fault)[]): void => {
    deviations.forEach((deviation, index) => {
      const text = deviationText(deviation);
      // A process gets its time in slices. Each slice is a preemption with the same text, so only the first one gets a row.
      if (index > 0 && deviationText(deviations[index - 1] ?? deviation) === text) return;
      const at = momentOf(history, kind, deviation);
      if (at === undefined) return;
      const without = counterfactuals.find((known) => known.deviation === text)?.without;
      const next = deviations.findIndex((other, later) => later > index && deviationText(other) !== text);
      const last = next === -1 ? deviations.length : next;
      const ordinal = `${index + 1}${last === index + 1 ? '' : ` to ${last}`} of ${deviations.length}`;
      const lasted = 'do' in deviation ? '' : lastedText(history, deviation);
      rows.push({
        row: 'deviation',
        at,
        kind,
        ordinal,
        text: text + lasted,
        ...(without === undefined ? {} : { without }),
      });
    });
  };
  place('preemption', schedule.preemptions);
  place('hold', schedule.holds);
  place('fault', schedule.faults);
  for (const decision of history.decisions) {
    if (decision.kind !== 'release') continue;
    rows.push({ row: 'deviation', at: decision.at, kind: 'release', text: releaseText(decision) });
  }
  return rows;
}

function releaseText(decision: Decision): string {
  return decision.detail === '' ? decision.label : `${decision.label} ${decision.detail}`;
}

function momentOf(history: History, kind: Decision['kind'], deviation: Preemption | Hold | Fault): number | undefined {
  const anchor = anchorOf(deviation);
  const decision = decisionOf(history, kind, anchor);
  if (decision !== undefined) return decision.at;
  // Places the row half a tick before (or after) the anchored item itself.
  const shift = 'run' in deviation && deviation.before === undefined ? 0.5 : -0.5;
  const item = anchorMoment(history, anchor, 'from' in deviation ? deviation.from : '');
  return item === undefined ? undefined : item + shift;
}

function anchorOf(deviation: Preemption | Hold | Fault): string {
  if ('run' in deviation) return deviation.before ?? deviation.after ?? '';
  return 'stream' in deviation ? deviation.stream : deviation.at;
}

/** Minimum wait that is shown, in ms: a request may take up to this long anyway. */
const LASTED_MS = 1_000;

/** Describes how long an item of the target waited while run time passed, which is the lag that the failure needs. */
function lastedText(history: History, deviation: Preemption | Hold): string {
  const lastedMs = 'run' in deviation ? overtakenMs(history, deviation) : heldMs(history, deviation);
  return lastedMs >= LASTED_MS && Number.isFinite(lastedMs) ? `, for ${spanText(lastedMs)}` : '';
}

/** Returns how much run time passed from the preemption until the anchored item happened, in ms. */
function overtakenMs(history: History, { before, run, forMs }: Preemption): number {
  const from = before === undefined ? undefined : decisionOf(history, 'preemption', before);
  if (run !== TIME || forMs !== undefined || before === undefined || from === undefined) return 0;
  return (happenedMs(history, before) ?? from.timeMs) - from.timeMs;
}

function heldMs(history: History, { stream }: Hold): number {
  const ofStream = ({ label }: Decision): boolean => label === stream || label.startsWith(`${stream}/`);
  const from = history.decisions.find((decision) => decision.kind === 'hold' && ofStream(decision));
  if (from === undefined) return 0;
  const release = history.decisions.find(
    (one) => one.kind === 'release' && (one.detail === stream || ofStream(one)) && one.at > from.at,
  );
  return (release?.timeMs ?? phaseStartMs(history, 'heal')) - from.timeMs;
}

function happenedMs({ operations, deliveries }: History, label: Label): number | undefined {
  for (const operation of operations) {
    if (`${operation.label}${SENT}` === label) return operation.sent?.timeMs;
    if (`${operation.label}${ANSWERED}` === label) return operation.answered?.timeMs;
  }
  const { event } = partsOf(label);
  return deliveries.find(({ stream, k }) => k === event?.k && label.startsWith(`${stream}/`))?.timeMs;
}

function decisionOf({ decisions }: History, kind: Decision['kind'], anchor: string): Decision | undefined {
  return decisions.find((one) => one.kind === kind && (one.label === anchor || one.label.startsWith(`${anchor}@`)));
}

function anchorMoment(history: History, anchor: string, from: string): number | undefined {
  for (const operation of history.operations) {
    if (`${operation.label}!sent` === anchor) return (operation.sent ?? operation.invoked).at;
    if (`${operation.label}!answered` === anchor) return operation.answered?.at;
  }
  const event = from === '' ? anchor : `${anchor}${from}`;
  return history.deliveries.find((delivery) => `${delivery.stream}@${delivery.k}` === event)?.available.at;
}
