/** Does a correct controller have no finding, however many trials are run? */
import { run } from '../../harness/index.ts';
import type { CampaignResult } from '../../harness/index.ts';
import { type ControllerUnderTest, nameOf, optionsFor } from '../catalogue.ts';

export interface FalseAlarmsResult {
  readonly name: string;
  readonly result: CampaignResult;
  /** Growth of the supervisor's own heap in MB; workers have their own heaps and are recycled. */
  readonly heapGrownMb: number;
  /** Growth of the whole process in MB, including memory that its last worker has not returned. */
  readonly grownMb: number;
}

/** Runs one long campaign against a correct controller. */
export async function checkFalseAlarms(
  entry: ControllerUnderTest,
  trials: number,
  seed: number,
): Promise<FalseAlarmsResult> {
  const before = process.memoryUsage();
  const result = await run(optionsFor(entry, { budget: trials, seed }));
  const after = process.memoryUsage();
  return {
    name: nameOf(entry),
    result,
    heapGrownMb: (after.heapUsed - before.heapUsed) / 2 ** 20,
    grownMb: (after.rss - before.rss) / 2 ** 20,
  };
}

export function falseAlarmsLine({ name, result, heapGrownMb, grownMb }: FalseAlarmsResult): string {
  const perSecond = (result.runs / result.elapsedMs) * 1000;
  const { conflicts = 0, staleReads = 0 } = result.contention;
  return (
    `${name.padEnd(42)} ${String(result.runs).padStart(7)} trials  ${perSecond.toFixed(0).padStart(5)}/s  ` +
    `${String(result.findings.length).padStart(2)} findings  ${conflicts} conflicts, ${staleReads} stale reads  ` +
    `inconclusive ${result.inconclusive.count}  supervisor heap ${signed(heapGrownMb)}, process ${signed(grownMb)}  ${result.outcome}`
  );
}

function signed(megabytes: number): string {
  return `${megabytes < 0 ? '' : '+'}${megabytes.toFixed(0)} MB`;
}
