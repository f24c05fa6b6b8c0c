/** Schemas of a finding's violation and evidence. They are parts of a record. */
import { z } from 'zod';
import type { Symptom } from '../../model/cause.ts';
import type { Violation } from '../../model/check-result.ts';
import type { Counterfactual, FindingStats } from '../../model/finding.ts';
import type { Reproduced } from '../../model/confirmation.ts';
import { cause, signature, type Shape } from './common.ts';

export const symptom: z.ZodType<Symptom> = z
  .strictObject({ signature, count: z.int() } satisfies Shape<Symptom>)
  .meta({ id: 'Symptom', description: 'One symptom of a cause, and in how many runs it showed' });

export const violation: z.ZodType<Violation> = z
  .strictObject({
    signature,
    sentence: z.string(),
    operations: z.array(z.int()).meta({ description: 'Ids of operations, guilty first' }),
    revisions: z.array(z.int()),
    at: z.number(),
    severity: z.enum(['error', 'warning']),
    cause: cause.exactOptional(),
  } satisfies Shape<Violation>)
  .meta({ id: 'Violation', description: 'Sentence of the property about the shrunk run' });

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
    count: z.int().meta({ description: 'Runs that showed this cause when it was written' }),
    symptoms: z
      .array(symptom)
      .exactOptional()
      .meta({ description: 'How the cause showed; absent in files from before causes' }),
    grade: z.enum(['everyday', 'restart-or-HA', 'pathological']),
    counterfactuals: z.array(
      z.strictObject({
        deviation: z.string(),
        without: z.enum(['passes', 'still fails', 'other']),
      } satisfies Shape<Counterfactual>),
    ),
  } satisfies Shape<FindingStats>)
  .meta({ id: 'FindingStats', description: 'Evidence of a finding: how it was shrunk and reproduced' });
