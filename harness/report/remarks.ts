/** Converts the warnings of properties to parts of documents and to text. Such warnings do not fail the run. */
import { z } from 'zod';
import type { Remark } from '../model/finding.ts';
import { countText } from './count-text.ts';
import { shownSignature, SIGNATURE_FIELDS, type ShownSignature } from './shown-signature.ts';

export interface RemarkLine extends ShownSignature {
  /** The sentence of the first run that showed it. */
  readonly sentence: string;
  /** Number of runs that showed it. */
  readonly count: number;
}

export const remarksSchema: z.ZodType<readonly RemarkLine[]> = z
  .array(
    z.strictObject({
      ...SIGNATURE_FIELDS,
      sentence: z.string().meta({ description: 'Of the first run that showed it' }),
      count: z.int().meta({ description: 'Runs that showed it' }),
    }),
  )
  .meta({ description: 'Warnings of properties, which fail no run; absent where there are none' });

/** Maximum number of warnings shown in a terminal or on a page; the rest are only counted. */
const SHOWN_MAX = 5;

export const REMARKS_HEAD = 'warnings, which fail no run:';

/** Converts warnings for documents. */
export function remarksOf(remarks: readonly Remark[]): readonly RemarkLine[] {
  return remarks.map(({ signature, sentence, count }) => ({ ...shownSignature(signature), sentence, count }));
}

/** Returns a line for each of the first warnings. */
export function remarkLines(remarks: readonly RemarkLine[] = []): readonly string[] {
  const lines = remarks
    .slice(0, SHOWN_MAX)
    .map(({ property, sentence, count }) => `${property}: ${sentence} (${countText(count, 'run')})`);
  const more = remarks.length - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more, in the JSON summary`];
}
