/** Results of probes. */
import type { History } from '../model/history.ts';
import type { ProbeResult } from '../model/probe.ts';

/** Returns the latest result of a probe; undefined if there is none. */
export function lastProbe<P extends ProbeResult['probe']>(
  { probes }: Pick<History, 'probes'>,
  wanted: P,
): Extract<ProbeResult, { probe: P }> | undefined {
  return probes.findLast((probe): probe is Extract<ProbeResult, { probe: P }> => probe.probe === wanted);
}
