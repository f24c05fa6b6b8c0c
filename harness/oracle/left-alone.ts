/** What a target that was left alone for half an hour has corrected by itself. */
import type { ProbeRequest, ProbeResult } from '../model/probe.ts';
import type { History } from '../model/history.ts';
import { lastProbe } from './last-probe.ts';

export type Alone = Extract<ProbeResult, { probe: 'left-alone' }>;

/** Returns the probe that is still to be made; none if it was made, or there is no time for it. */
export function leftAloneNeeds(history: History): readonly ProbeRequest[] {
  const { aloneMs } = history.reference ?? {};
  return aloneMs === undefined || lastProbe(history, 'left-alone') !== undefined
    ? []
    : [{ probe: 'left-alone', ms: aloneMs }];
}

/** Returns the result if the target was observed, and changed something. */
export function changedAlone(history: History): Alone | undefined {
  const alone = lastProbe(history, 'left-alone');
  return alone === undefined || alone.ms === 0 || alone.changedMs === undefined ? undefined : alone;
}

/** Returns `only after 30 min at rest, by a resync or a poll`. */
export function lateText({ changedMs = 0 }: Alone): string {
  return `only after ${Math.max(1, Math.round(changedMs / 60_000))} min at rest, by a resync or a poll`;
}
