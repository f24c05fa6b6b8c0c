/** Schemas of what a campaign says of a finding: the violation, and what stands behind it. Parts of a record. */
import { z } from 'zod';
import type { Violation } from '../../model/check-result.ts';
import type { Counterfactual, FindingStats, Reproduced } from '../../model/finding.ts';
import { signature, type Shape } from './common.ts';

export const violation: z.ZodType<Violation> = z
  .strictObject({
    signature,
    sentence: z.string(),
    operations: z.array(z.int()).meta({ description: 'Ids of operations, guilty first' }),
    revisions: z.array(z.int()),
    at: z.number(),
    severity: z.enum(['error', 'warning']),
  } satisfies Shape<Violation>)
  .meta({ id: 'Violation', description: 'What the property said of the shrunk run' });

export const findingStats: z.ZodType<FindingStats> = z
  .strictObject({
    stepsBefore: z.int(),
    stepsAfter: z.int(),
    actorsBefore: z.int(),
    actorsAfter: z.int(),
    executions: z.int().meta({ description: 'Runs that shrinking took' }),
    preemptions: z.int(),
    holds: z.int(),
    faults: z.int(),
    heldItems: z.int(),
    reproduced: z.strictObject({ k: z.int(), n: z.int() } satisfies Shape<Reproduced>),
    count: z.int().meta({ description: 'Runs that failed this way when it was written' }),
    grade: z.enum(['everyday', 'restart-or-HA', 'pathological']),
    counterfactuals: z.array(
      z.strictObject({
        deviation: z.string(),
        without: z.enum(['passes', 'still fails', 'other']),
      } satisfies Shape<Counterfactual>),
    ),
  } satisfies Shape<FindingStats>)
  .meta({ id: 'FindingStats', description: 'What stands behind a finding: how it was shrunk and reproduced' });
