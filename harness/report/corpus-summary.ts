/**
 * Results of the corpus: their part of the `--json` document, and their lines in the terminal.
 *
 * Owns: the text for an entry, and the suggested next step. Entries are files that anyone may have edited, so their control
 * characters are stripped before printing.
 */
import pc from 'picocolors';
import { z } from 'zod';
import { signatureText } from '../model/signature.ts';
import {
  CORPUS_STATES,
  isFailure,
  isRegression,
  isSilent,
  saysNothing,
  REVISIT_OUTCOMES,
  type CorpusSummary,
  type CorpusSummaryEntry,
  type Revisited,
} from '../model/corpus.ts';
import type { CampaignOutcome } from '../model/finding.ts';
import { nearestLabels } from './nearest-label.ts';

export type { CorpusSummary, CorpusSummaryEntry };

export const corpusSummarySchema: z.ZodType<CorpusSummary> = z
  .strictObject({
    budgetMs: z.number().nullable().meta({ description: 'Time limit; null for none' }),
    elapsedMs: z.number(),
    entries: z.array(
      z.strictObject({
        name: z.string(),
        state: z.enum(CORPUS_STATES),
        outcome: z.enum(REVISIT_OUTCOMES),
        regression: z.boolean().meta({ description: 'Was fixed, and fails again' }),
        property: z.string(),
        signature: z.string(),
        sentence: z.string(),
        reason: z.string(),
        reproduced: z.strictObject({ k: z.int(), n: z.int() }),
        missedAnchors: z.array(z.string()),
        detail: z.string().exactOptional(),
        moves: z.array(z.strictObject({ from: z.string(), to: z.string() })).exactOptional(),
        waived: z.literal(true).exactOptional().meta({ description: 'Fails, and is covered by a waiver' }),
      }),
    ),
  })
  .meta({ id: 'CorpusSummary', description: 'Results of replaying the corpus' });

export function summariseCorpus(
  revisited: readonly Revisited[],
  { budgetMs, elapsedMs }: { readonly budgetMs: number; readonly elapsedMs: number },
): CorpusSummary {
  return {
    budgetMs: Number.isFinite(budgetMs) ? budgetMs : null,
    elapsedMs: Math.round(elapsedMs),
    entries: revisited.map((one) => ({
      name: one.name,
      state: one.entry.state,
      outcome: one.outcome,
      regression: isRegression(one),
      property: one.entry.signature.property,
      signature: signatureText(one.entry.signature),
      sentence: plain(one.entry.sentence),
      reason: plain(one.entry.reason),
      reproduced: { k: one.k, n: one.n },
      missedAnchors: one.missed,
      ...(one.detail === undefined ? {} : { detail: plain(one.detail) }),
      ...(one.reanchored === undefined ? {} : { moves: one.reanchored.moves }),
      ...(one.waiver === undefined ? {} : { waived: true as const }),
    })),
  };
}

/** Reports whether an entry fails the run. */
export function failsRun({ state, outcome, waived }: CorpusSummaryEntry): boolean {
  return waived !== true && state !== 'quarantined' && (outcome === 'fails' || outcome === 'fails-otherwise');
}

/** Combines the outcome of a campaign with its corpus: a search that finds nothing new does not fix known failures. */
export function outcomeWith(outcome: CampaignOutcome, { entries }: CorpusSummary): CampaignOutcome {
  if (entries.some(failsRun)) return 'violated';
  return outcome === 'holds' && entries.some(saysNothing) ? 'inconclusive' : outcome;
}

/** Returns the counts of failing entries, such as `1 regression` and `2 known failures`. */
export function corpusHeadline({ entries }: CorpusSummary): readonly string[] {
  const failing = entries.filter(failsRun);
  const regressions = failing.filter(({ regression }) => regression).length;
  const known = failing.length - regressions;
  return [
    ...(regressions === 0 ? [] : [`${regressions} regression${regressions === 1 ? '' : 's'}`]),
    ...(known === 0 ? [] : [`${known} known failure${known === 1 ? '' : 's'}`]),
  ];
}

/** Lists the entries that need action, by name. */
export function corpusLines(
  { entries }: CorpusSummary,
  seenAgain: { readonly [signature: string]: number } = {},
): readonly string[] {
  return entries.flatMap((entry) => {
    const { name, state, outcome, sentence, signature } = entry;
    const again = seenAgain[signature] ?? 0;
    const seen = again === 0 ? '' : ` · failed again in ${again} run${again === 1 ? '' : 's'} of the search`;
    if (failsRun(entry))
      return [`  ✗ ${entry.regression ? 'regression' : 'known, open'}: ${name}${seen}`, `    ${sentence}`];
    if (saysNothing(entry)) return [`  ? ${state}, ${outcome}: ${name}${seen}`];
    return again === 0 ? [] : [`  ${state}: ${name}${seen}`];
  });
}

/**
 * Renders one entry: a line with its result, and below it what to do.
 *
 * @param called - The beginning of each command that a user may type.
 */
export function revisitedText(
  revisited: Revisited,
  { color, called }: { readonly color: boolean; readonly called: string },
): string {
  const colors = pc.createColors(color);
  const { name } = revisited;
  const { sign, text, below } = wordsOf(revisited, called);
  const paint = isFailure(revisited)
    ? colors.red
    : isSilent(revisited)
      ? colors.yellow
      : (plainText: string) => plainText;
  return [`  ${paint(sign)} ${name}  ${paint(text)}`, ...below.map((line) => `      ${line}`)].join('\n') + '\n';
}

interface EntryText {
  readonly sign: string;
  readonly text: string;
  readonly below: readonly string[];
}

function wordsOf(revisited: Revisited, called: string): EntryText {
  const { name, entry, outcome, k, n, missed, detail = '', waiver } = revisited;
  const state = stateText(entry);
  const sentence = plain(entry.sentence);
  const moved = movedLines(revisited, called);
  switch (outcome) {
    case 'fails':
    case 'fails-otherwise': {
      const how = outcome === 'fails' ? '' : ', in another way';
      const times = n > 1 ? ` (${k} of ${n})` : '';
      const failure = outcome === 'fails' ? sentence : plain(detail);
      if (waiver !== undefined) {
        const why = `waived until ${waiver.expires} (${waiver.reason})`;
        return { sign: '–', text: `${state}: still fails${how}${times}, ${why}`, below: moved };
      }
      if (entry.state === 'fixed')
        return { sign: '✗', text: `REGRESSION: ${state}, fails again${how}${times}`, below: [failure, ...moved] };
      if (entry.state === 'open')
        return { sign: '✗', text: `${state}, still fails${how}${times}`, below: [failure, ...moved] };
      return { sign: '–', text: `${state}: still fails${how}${times}`, below: moved };
    }
    case 'holds': {
      const advice =
        entry.state === 'fixed'
          ? []
          : [`no longer fails; if it is fixed: ${called} corpus promote ${name} --state fixed`];
      return { sign: '✓', text: `${state}, holds`, below: advice };
    }
    case 'stale':
      return {
        sign: entry.state === 'quarantined' ? '–' : '?',
        text: `STALE: ${state}, and the target no longer does what it is anchored on`,
        below: [
          ...missedLines(revisited, missed),
          `find it again with "stalemate run", or remove it: ${called} corpus prune ${name}`,
        ],
      };
    case 'unclear':
      return { sign: '?', text: `unclear: ${state}`, below: [plain(detail)] };
    case 'not-reached':
      return { sign: '…', text: `not replayed, out of time: ${state}`, below: [] };
    case 'other-target':
      return { sign: '·', text: 'skipped: it is about another target', below: [] };
    default:
      return outcome satisfies never;
  }
}

/** Formats the state of an entry, such as `fixed since 2026-11-01 (reads again)`. */
export function stateText({ state, since, reason }: Revisited['entry']): string {
  return `${state} since ${since}${reason === '' ? '' : ` (${plain(reason)})`}`;
}

function missedLines({ history }: Revisited, missed: readonly string[]): readonly string[] {
  const nearest = history === undefined ? new Map<string, string>() : nearestLabels(missed, history);
  return missed.flatMap((label) => {
    const near = nearest.get(label);
    return [`never happened: ${label}`, ...(near === undefined ? [] : [`  nearest to it: ${near}`])];
  });
}

function movedLines({ reanchored }: Revisited, called: string): readonly string[] {
  if (reanchored === undefined) return [];
  return [
    `the target was edited since; found with labels moved (keep that: ${called} corpus run --update):`,
    ...reanchored.moves.map(({ from, to }) => `  ${from}  is now  ${to}`),
  ];
}

/** Counts entries by result, such as `1 regressed, 2 failing, 3 holding`, the worst first. */
export function corpusCounts(revisited: readonly Revisited[]): string {
  const counts = new Map<string, number>();
  for (const one of revisited) counts.set(wordFor(one), (counts.get(wordFor(one)) ?? 0) + 1);
  const order = [
    'regressed',
    'failing',
    'stale',
    'unclear',
    'not replayed',
    'holding',
    'waived',
    'in quarantine',
    'of another target',
  ];
  return order.flatMap((word) => (counts.has(word) ? [`${counts.get(word)} ${word}`] : [])).join(', ');
}

function wordFor(revisited: Revisited): string {
  const { entry, outcome, waiver } = revisited;
  if (isRegression(revisited)) return 'regressed';
  if (outcome === 'other-target') return 'of another target';
  if (entry.state === 'quarantined') return 'in quarantine';
  if (waiver !== undefined) return 'waived';
  if (isFailure(revisited)) return 'failing';
  if (outcome === 'not-reached') return 'not replayed';
  return outcome === 'holds' ? 'holding' : outcome;
}

/** Replaces control characters, which could repaint a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
}
