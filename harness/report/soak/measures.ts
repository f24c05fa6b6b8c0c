/** Averages the load that a target puts on the API server, over many batches. */
import { MEASURE_NAMES, rounded, type Measures } from '../../model/baseline.ts';
import type { BatchResult } from '../../model/soak.ts';
import { medianOf } from '../trend.ts';

/** Averages measures per run, weighted by the number of runs of each batch; takes the median of measures of undisturbed runs. */
export function averageMeasures(results: readonly BatchResult[]): Measures {
  const measures: { -readonly [K in keyof Measures]: number } = {};
  for (const name of MEASURE_NAMES) {
    const of = results.flatMap(({ measures: { [name]: value }, runs }) =>
      value === undefined ? [] : [{ value, runs }],
    );
    const runs = of.reduce((sum, one) => sum + one.runs, 0);
    if (of.length === 0) continue;
    if (!name.endsWith('PerRun')) measures[name] = medianOf(of.map(({ value }) => value));
    else if (runs > 0) measures[name] = rounded(of.reduce((sum, one) => sum + one.value * one.runs, 0) / runs);
  }
  return measures;
}
