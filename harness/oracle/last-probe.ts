/** What further runs of a trial have shown. */
import type { History } from '../model/history.ts';
import type { ProbeResult } from '../model/probe.ts';

/** The latest result of a probe, of which a run may have several; undefined where there is none. */
export function lastProbe<P extends ProbeResult['probe']>(
  { probes }: Pick<History, 'probes'>,
  wanted: P,
): Extract<ProbeResult, { probe: P }> | undefined {
  return probes.findLast((probe): probe is Extract<ProbeResult, { probe: P }> => probe.probe === wanted);
}
