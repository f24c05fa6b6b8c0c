/** Does a correct controller stay unaccused, however long it is tried? */
import { run } from '../../harness/index.ts';
import type { CampaignResult, ControllerUnderTest } from '../../harness/index.ts';
import { nameOf, optionsFor } from '../catalogue.ts';

export interface FalseAlarmsResult {
  readonly name: string;
  readonly result: CampaignResult;
  /** Megabytes that this process, workers included, has more than before. */
  readonly grownMb: number;
}

/** One long campaign against a correct controller. */
export async function checkFalseAlarms(
  entry: ControllerUnderTest,
  trials: number,
  seed: number,
): Promise<FalseAlarmsResult> {
  const before = process.memoryUsage().rss;
  const result = await run(optionsFor(entry, { budget: trials, seed }));
  return { name: nameOf(entry), result, grownMb: (process.memoryUsage().rss - before) / 2 ** 20 };
}

export function falseAlarmsLine({ name, result, grownMb }: FalseAlarmsResult): string {
  const perSecond = (result.runs / result.elapsedMs) * 1000;
  const { conflicts = 0, staleReads = 0 } = result.contention;
  return (
    `${name.padEnd(42)} ${String(result.runs).padStart(7)} trials  ${perSecond.toFixed(0).padStart(5)}/s  ` +
    `${String(result.findings.length).padStart(2)} findings  ${conflicts} conflicts, ${staleReads} stale reads  ` +
    `inconclusive ${result.inconclusive.count}  memory +${grownMb.toFixed(0)} MB  ${result.outcome}`
  );
}
