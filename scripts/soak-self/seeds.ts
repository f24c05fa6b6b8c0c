/** Is every wrong variant found with any seed, how soon, and how small is its counterexample? */
import { run, tellStory } from '../../harness/index.ts';
import type { Finding } from '../../harness/index.ts';
import { type ControllerUnderTest, expectedProperties, nameOf, optionsFor } from '../catalogue.ts';
import { median, quantile, shown } from './statistics.ts';

export interface SeedsResult {
  readonly name: string;
  readonly found: number;
  readonly seeds: number;
  readonly secondsMedian: number;
  readonly secondsMax: number;
  readonly deviationsMedian: number;
  readonly stepsMedian: number;
  readonly stepsP90: number;
  readonly actorsMedian: number;
  readonly executionsMedian: number;
  readonly confirmed: number;
  readonly properties: readonly string[];
}

/** Runs one campaign per seed, each until the expected property is violated or its budget ends. */
export async function checkSeeds(
  entry: ControllerUnderTest,
  seeds: readonly number[],
  budget: string,
): Promise<SeedsResult> {
  const expected = expectedProperties(entry);
  const seconds: number[] = [];
  const hits: Finding[] = [];
  for (const seed of seeds) {
    const stop = new AbortController();
    const began = process.hrtime.bigint();
    let hit: Finding | undefined;
    await run(optionsFor(entry, { budget, seed }), {
      signal: stop.signal,
      // The expected property may be a symptom of a cause that was first found through another property.
      allSymptoms: true,
      events: {
        onFinding: (finding) => {
          if (hit !== undefined || !expected.includes(finding.violation.signature.property)) return;
          hit = finding;
          seconds.push(Number(process.hrtime.bigint() - began) / 1e9);
          stop.abort();
        },
      },
    });
    if (hit !== undefined) hits.push(hit);
  }
  const stats = hits.map((finding) => finding.stats);
  const steps = hits.map((finding) => tellStory(finding).rows.filter((row) => row.row === 'operation').length);
  return {
    name: nameOf(entry),
    found: hits.length,
    seeds: seeds.length,
    secondsMedian: median(seconds),
    secondsMax: quantile(seconds, 1),
    deviationsMedian: median(stats.map((of) => of.preemptions + of.holds)),
    stepsMedian: median(steps),
    stepsP90: quantile(steps, 0.9),
    actorsMedian: median(stats.map((of) => of.actorsAfter)),
    executionsMedian: median(stats.map((of) => of.executions)),
    confirmed: stats.filter((of) => of.reproduced.k === of.reproduced.n).length,
    properties: [...new Set(hits.map((finding) => finding.violation.signature.property))].toSorted(),
  };
}

export const SEEDS_HEADER =
  'variant                                    found   median s  max s  deviations  steps  p90  actors  runs  confirmed  by';

export function seedsLine(result: SeedsResult): string {
  return [
    result.name.padEnd(42),
    `${result.found}/${result.seeds}`.padEnd(8),
    shown(result.secondsMedian, 2).padEnd(9),
    shown(result.secondsMax, 1).padEnd(7),
    shown(result.deviationsMedian).padEnd(11),
    shown(result.stepsMedian).padEnd(6),
    shown(result.stepsP90).padEnd(5),
    shown(result.actorsMedian).padEnd(7),
    shown(result.executionsMedian).padEnd(6),
    `${result.confirmed}/${result.found}`.padEnd(10),
    result.properties.join(','),
  ].join(' ');
}
