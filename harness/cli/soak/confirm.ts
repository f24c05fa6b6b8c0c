/** Findings of a soak, asked of a real server once its budget is used up: what that says goes into a line of its own. */
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

/** Asks about the examples that have no answer yet: a soak that goes on has other ones, or more of them. */
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
      // The same line in all else, its time too: nothing was found, and no shard goes on behind its end.
      if (line !== undefined) append({ ...line, record: { ...line.record, counterexample } });
    },
  });
}
