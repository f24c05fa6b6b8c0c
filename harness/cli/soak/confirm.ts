/** Confirms the findings of a soak on a real server once its budget is used up, and writes each result as a line. */
import type { RunConfig } from '../../execution/config/run-config.ts';
import { causeKey } from '../../model/cause.ts';
import type { SoakLine } from '../../model/soak.ts';
import type { Soak } from '../../report/soak/merge.ts';
import { confirmRun, type ConfirmContext, type ConfirmPlan } from '../confirm.ts';

export interface SoakConfirmContext extends Omit<ConfirmContext, 'confirmed'> {
  readonly config: RunConfig;
  readonly plan: ConfirmPlan;
  readonly append: (line: SoakLine) => void;
}

/** Confirms the examples that have no result yet: a soak that was continued has different or additional examples. */
export async function confirmSoak(
  { result, examples }: Soak,
  { config, plan, append, ...manner }: SoakConfirmContext,
): Promise<void> {
  const findings = result.findings.filter(({ counterexample }) => counterexample.confirmed === undefined);
  await confirmRun({ ...result, findings }, plan, config, {
    ...manner,
    confirmed: ({ violation, counterexample }) => {
      const key = causeKey(violation);
      const line = examples.find(({ record }) => causeKey(record.violation) === key);
      // Everything else in the line stays the same, even its time: nothing new was found, and the line must not reopen a shard
      // that has ended.
      if (line !== undefined) append({ ...line, record: { ...line.record, counterexample } });
    },
  });
}
