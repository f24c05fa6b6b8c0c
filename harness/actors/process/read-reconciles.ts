/** Reads how often a program has reconciled, according to its own metrics. */
import type { Reading } from '../../model/history.ts';
import { ask } from './ask.ts';
import type { Enclosure } from './enclosure.ts';
import { reconcilesIn } from './prometheus.ts';

/** The time limit for reading metrics. */
const METRICS_MS = 1_000;

export async function readReconciles(
  metrics: URL,
  enclosure: Pick<Enclosure, 'connect'>,
): Promise<Pick<Reading, 'reconciles' | 'metricsFailed'>> {
  try {
    const { code, body } = await ask(metrics, enclosure, METRICS_MS);
    if (code !== 200) return { metricsFailed: `it answered ${code}` };
    const reconciles = reconcilesIn(body);
    return reconciles === undefined ? { metricsFailed: 'it has no counter of reconciles' } : { reconciles };
  } catch (error) {
    return { metricsFailed: error instanceof Error ? error.message : String(error) };
  }
}
