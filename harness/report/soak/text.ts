/** Renders facts about a soak as text, figures and documents: how much was tried, in addition to what every campaign reports. */
import { z } from 'zod';
import type { SoakBudget } from '../../model/soak.ts';
import type { SoakFacts } from '../../model/soak-facts.ts';
import { spanText } from '../count-text.ts';

export interface Figure {
  readonly name: string;
  readonly value: string;
}

export interface SeenTimes {
  readonly first: string;
  readonly last: string;
}

export const seenSchema: z.ZodType<SeenTimes> = z
  .strictObject({ first: z.string(), last: z.string() })
  .meta({ description: 'Of a soak: when it was first and last seen' });

export const soakSchema: z.ZodType<SoakFacts> = z
  .strictObject({
    epochs: z.array(z.string()),
    shards: z.array(z.string()),
    batches: z.int(),
    cutShort: z.int().meta({ description: 'Batches that were begun and never ended' }),
    failed: z.int(),
    situations: z.int().meta({ description: 'Actor, verb, kind, staleness and outcome, each once' }),
    situationsOnce: z.int().meta({ description: 'Those seen in a single batch only' }),
    behavioursExact: z.boolean(),
    unfinished: z.array(z.string()).meta({ description: 'What is left to run' }),
  } satisfies { readonly [key in keyof SoakFacts]: z.ZodType })
  .meta({ id: 'Soak', description: 'Totals of several campaigns' });

/** Returns the lines of a summary. */
export function soakLines(facts: SoakFacts): readonly string[] {
  return [
    ...soakFigures(facts).map(({ name, value }) => `${name}: ${value}`),
    ...facts.unfinished.slice(0, UNFINISHED_MAX).map((what) => `unfinished: ${what}`),
    ...(facts.unfinished.length > UNFINISHED_MAX
      ? [`unfinished: and ${facts.unfinished.length - UNFINISHED_MAX} more`]
      : []),
  ];
}

const UNFINISHED_MAX = 5;

export function soakFigures(facts: SoakFacts): readonly Figure[] {
  const { epochs, shards, batches, cutShort, failed, situations, situationsOnce } = facts;
  const lost = [...(cutShort === 0 ? [] : [`${cutShort} cut short`]), ...(failed === 0 ? [] : [`${failed} failed`])];
  const [day = '', ...more] = epochs;
  const when = more.length === 0 ? day : `${day} to ${more.at(-1) ?? day}`;
  const share = shards.length === 1 ? `shard ${shards[0] ?? ''}` : `${shards.length} shards`;
  return [
    { name: 'soak', value: `${when}, ${share}, ${[batchText(batches), ...lost].join(', ')}` },
    {
      name: 'situations seen',
      value: `${situations}${situations === 0 ? '' : `, ${situationsOnce} of them in one batch only`}`,
    },
  ];
}

/** Notes that times are added up over shards, although they may have run in parallel: the time searched, not the time waited. */
export function sideBySide({ shards = [] }: Partial<Pick<SoakFacts, 'shards'>> = {}): string {
  return shards.length > 1 ? ` added up over ${shards.length} shards` : '';
}

function batchText(batches: number): string {
  return `${batches} batch${batches === 1 ? '' : 'es'}`;
}

/** Formats when a finding was seen, such as `first 2026-11-22 03:17, last 2026-11-23 04:01`. */
export function seenText({ first, last }: SeenTimes): string {
  const [from, to] = [momentText(first), momentText(last)];
  return from === to ? `seen ${from}` : `first ${from}, last ${to}`;
}

/** Formats a time, such as `2026-11-22 03:17`, in UTC. */
function momentText(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

/** Formats the budget of each shard: `8 h`, `90 s`, `20000 runs`, or `4 × 8 h` for four shards. */
export function soakBudgetText({ timeMs, runs }: SoakBudget, shards: number): string {
  const one = timeMs === undefined ? `${runs ?? 0} runs` : spanText(timeMs);
  return shards === 1 ? one : `${shards} × ${one}`;
}
