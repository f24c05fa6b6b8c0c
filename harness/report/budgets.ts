/** Renders budgets as text, and defines their schema in the `--json` document. */
import { z } from 'zod';
import { MEASURE_NAMES, MEASURES, type BudgetCheck } from '../model/baseline.ts';

export const budgetSchema: z.ZodType<BudgetCheck> = z
  .strictObject({
    name: z.enum(MEASURE_NAMES),
    measured: z.number(),
    baseline: z.number(),
    limit: z.number(),
    exceeded: z.boolean(),
  })
  .meta({ id: 'BudgetCheck', description: 'A measure beside its baseline' });

/** Returns a line for each exceeded budget, or a single line if none is exceeded. */
export function budgetLines(checks: readonly BudgetCheck[]): readonly string[] {
  const over = checks.filter(({ exceeded }) => exceeded);
  if (over.length === 0) return [`budgets: ${checks.length} measures are within those of the baseline`];
  return over.map(({ name, measured, baseline, limit }) => {
    const times = baseline === 0 ? '' : ` (×${(measured / baseline).toFixed(1)})`;
    return `  ✗ over budget: ${MEASURES[name]}: ${short(measured)}${times}, the baseline is ${short(baseline)}, at most ${short(limit)} are allowed`;
  });
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
