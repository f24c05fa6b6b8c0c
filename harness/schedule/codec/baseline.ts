/** The stored form of a baseline. */
import { z } from 'zod';
import {
  MEASURES,
  type Baseline,
  type BaselineConditions,
  type MeasureName,
  type Measures,
} from '../../model/baseline.ts';
import { CLUSTERS } from '../../model/cluster.ts';
import type { Shape } from './common.ts';
import { counterexampleTarget } from './counterexample.ts';
import { decode, encode, type Format } from './format.ts';

/** Returns a schema with one optional number for each measure. */
export function byMeasure(value: z.ZodType<number>): z.ZodType<Measures> {
  const shape = Object.fromEntries(
    Object.entries(MEASURES).map(([name, description]) => [name, value.exactOptional().meta({ description })]),
  ) as { [name in MeasureName]: z.ZodExactOptional<z.ZodType<number>> };
  return z.strictObject(shape);
}

const schema: z.ZodType<Baseline> = z
  .strictObject({
    version: z.literal(1),
    kind: z.literal('baseline'),
    target: counterexampleTarget,
    conditions: z.strictObject({
      cluster: z.enum(CLUSTERS),
      writers: z.array(z.string()),
      faults: z.array(z.string()),
      soak: z.literal(true).exactOptional().meta({ description: 'Taken from a soak' }),
    } satisfies Shape<BaselineConditions>),
    runs: z.int().min(1).meta({ description: 'Runs of the campaign that it was taken from' }),
    ratio: z.number().min(1).meta({ description: 'How many times the baseline a measure may reach' }),
    ratios: byMeasure(z.number().min(1)).exactOptional().meta({ description: 'The same for single measures' }),
    measures: byMeasure(z.number().min(0)),
  } satisfies Shape<Baseline>)
  .meta({ id: 'Baseline', description: 'How the target used the API server when it was last measured' });

export const BASELINE: Format<Baseline> = { kind: 'baseline', version: 1, schema, upgrades: [] };

/** Encodes the baseline as versioned JSON. */
export function encodeBaseline(baseline: Baseline): string {
  return encode(BASELINE, baseline);
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeBaseline(text: string, source: string): Baseline {
  return decode(BASELINE, text, source);
}
