/** What properties warn of, as documents and people have it: worth telling, and it fails nothing. */
import { z } from 'zod';
import type { Remark } from '../model/finding.ts';
import { countText } from './count-text.ts';

export interface RemarkLine {
  readonly property: string;
  readonly class: string;
  readonly resource: string;
  readonly field: string;
  /** Of the first run that showed it. */
  readonly sentence: string;
  /** Runs that showed it. */
  readonly count: number;
}

export const remarksSchema: z.ZodType<readonly RemarkLine[]> = z
  .array(
    z.strictObject({
      property: z.string(),
      class: z.string(),
      resource: z.string(),
      field: z.string(),
      sentence: z.string().meta({ description: 'Of the first run that showed it' }),
      count: z.int().meta({ description: 'Runs that showed it' }),
    }),
  )
  .meta({ description: 'What properties warn of: it fails nothing; absent where there is nothing' });

/** Beyond these a terminal or a page says how many more there are. */
const TOLD_MAX = 5;

export const REMARKS_HEAD = 'warned of, fails nothing:';

/** As documents have them. */
export function remarksOf(remarks: readonly Remark[]): readonly RemarkLine[] {
  return remarks.map(({ signature: { property, class: kind, kind: resource, field }, sentence, count }) => ({
    ...{ property, class: kind, resource, field, sentence, count },
  }));
}

/** A line for each of the first few. */
export function remarkLines(remarks: readonly RemarkLine[] = []): readonly string[] {
  const lines = remarks
    .slice(0, TOLD_MAX)
    .map(({ property, sentence, count }) => `${property}: ${sentence} (${countText(count, 'run')})`);
  const more = remarks.length - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more, in the JSON summary`];
}
