/** The rows of a story that stand for what the schedule did. */
import type { Counterfactual } from '../model/finding.ts';
import type { Decision, History } from '../model/history.ts';
import { deviationText, type Fault, type Hold, type Preemption, type Schedule } from '../model/schedule.ts';

export interface DeviationRow {
  readonly row: 'deviation';
  readonly at: number;
  readonly kind: 'preemption' | 'hold' | 'release' | 'fault';
  /** `1 of 2` among its kind, `3 to 6 of 9` where the same is said several times; absent for a release. */
  readonly ordinal?: string;
  readonly text: string;
  /** What the run does without it. */
  readonly without?: Counterfactual['without'];
}

/**
 * Every deviation where it took effect: at its decision in the history, else where its anchor happened. One that never took
 * effect has no row; the story lists its label as missed.
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
      // The time that a process is given comes in slices.
      if (index > 0 && deviationText(deviations[index - 1] ?? deviation) === text) return;
      const at = momentOf(history, kind, deviation);
      if (at === undefined) return;
      const without = counterfactuals.find((known) => known.deviation === text)?.without;
      const next = deviations.findIndex((other, later) => later > index && deviationText(other) !== text);
      const last = next === -1 ? deviations.length : next;
      const ordinal = `${index + 1}${last === index + 1 ? '' : ` to ${last}`} of ${deviations.length}`;
      rows.push({ row: 'deviation', at, kind, ordinal, text, ...(without === undefined ? {} : { without }) });
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
  const decision = history.decisions.find(
    (decision) => decision.kind === kind && (decision.label === anchor || decision.label.startsWith(`${anchor}@`)),
  );
  if (decision !== undefined) return decision.at;
  // Half a tick before (or after) the anchored item itself.
  const shift = 'run' in deviation && deviation.before === undefined ? 0.5 : -0.5;
  const item = anchorMoment(history, anchor, 'from' in deviation ? deviation.from : '');
  return item === undefined ? undefined : item + shift;
}

function anchorOf(deviation: Preemption | Hold | Fault): string {
  if ('run' in deviation) return deviation.before ?? deviation.after ?? '';
  return 'stream' in deviation ? deviation.stream : deviation.at;
}

function anchorMoment(history: History, anchor: string, from: string): number | undefined {
  for (const operation of history.operations) {
    if (`${operation.label}!sent` === anchor) return (operation.sent ?? operation.invoked).at;
    if (`${operation.label}!answered` === anchor) return operation.answered?.at;
  }
  const event = from === '' ? anchor : `${anchor}${from}`;
  return history.deliveries.find((delivery) => `${delivery.stream}@${delivery.k}` === event)?.available.at;
}
