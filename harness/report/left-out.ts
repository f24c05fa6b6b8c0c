/** Describes what a campaign left out for lack of time, and gives the command that continues. */
import { z } from 'zod';
import { signatureText } from '../model/signature.ts';
import type { CampaignResult, Finding } from '../model/finding.ts';
import { addedUp, type LeftOut } from '../model/left-out.ts';
import type { CorpusSummary } from './corpus-summary.ts';
import { countText } from './count-text.ts';
import { quoted } from './shell-word.ts';

export interface LeftOutLine {
  /** For example `unbounded-rate-97311d: shrinking it`. */
  readonly what: string;
  /** The command that continues, without the program's name: `replay .stalemate/failures/unbounded-rate-97311d.json --shrink`. */
  readonly command: string;
}

export const leftOutSchema: z.ZodType<LeftOutLine> = z
  .strictObject({ what: z.string(), command: z.string() })
  .meta({ description: 'What was skipped for lack of time, and the arguments of stalemate that continue' });

/** How a search was started, for the command that continues it: the arguments that matter, as they were typed. */
export interface Again {
  readonly command: string;
  readonly flags: readonly string[];
  /** The arguments that matter when findings of the corpus are replayed. */
  readonly corpus: readonly string[];
  /** The arguments after `--`. */
  readonly program: readonly string[];
}

const PLAIN: Again = { command: 'run', flags: [], corpus: [], program: [] };

export interface LeftOutFacts {
  readonly again?: Again | undefined;
  readonly seed: number;
  readonly elapsedMs: number;
  /** Returns the path of a finding's counterexample, by signature; undefined if it could not be written. */
  readonly pathOf: (signature: string) => string | undefined;
}

/** Returns what a whole campaign skipped for lack of time, including findings of the corpus. */
export function leftOutOf(
  { leftOut = [], seed, elapsedMs, findings }: CampaignResult,
  pathOf: (finding: Finding) => string | undefined,
  corpus: CorpusSummary | undefined,
  again?: Again,
): readonly LeftOutLine[] {
  const paths = new Map(findings.map((finding) => [signatureText(finding.violation.signature), pathOf(finding)]));
  const kept = corpus?.entries.filter(({ outcome }) => outcome === 'not-reached').length ?? 0;
  const left: readonly LeftOut[] = kept === 0 ? leftOut : [...leftOut, { what: 'corpus', count: kept }];
  return leftOutLines(left, { again, seed, elapsedMs, pathOf: (signature) => paths.get(signature) });
}

/** Budgets to suggest: `short`, or `long` if the search took at least `after` ms. */
const MORE = { after: 300_000, short: '10m', long: '1h' } as const;

export function leftOutLines(left: readonly LeftOut[], facts: LeftOutFacts): readonly LeftOutLine[] {
  const { again: typed = PLAIN, seed, elapsedMs, pathOf } = facts;
  const next = ['--budget', elapsedMs < MORE.after ? MORE.short : MORE.long, '--seed', String(seed)];
  const again = commandText([typed.command, ...typed.flags, ...next], typed);
  const all = addedUp(left);
  return all.flatMap(({ what, count, signature = '' }): readonly LeftOutLine[] => {
    const path = pathOf(signature);
    const replay = path === undefined ? again : `replay ${quoted(path)}`;
    const about = path === undefined ? 'a finding' : (/([^/]*?)(?:\.json)?$/.exec(path)?.[1] ?? path);
    const isShrunkToo = all.some((other) => other.what === 'shrink' && other.signature === signature);
    switch (what) {
      case 'measuring':
        return [{ what: 'the search: the undisturbed runs before it did not end', command: again }];
      case 'changes':
        return [{ what: `undisturbed runs with ${countText(count, 'change')} of the spec`, command: again }];
      case 'runs':
        return [{ what: `${countText(count, 'run')}: cut short at the end of the search`, command: again }];
      case 'unproved':
        return [{ what: `${countText(count, 'violation')}: seen once, and not run again`, command: again }];
      case 'shrink':
        return [{ what: `${about}: shrinking it further`, command: path === undefined ? again : `${replay} --shrink` }];
      case 'proof':
        if (isShrunkToo) return [];
        return [
          {
            what: `${about}: reproduce it 10 times`,
            command: path === undefined ? again : `${replay} --shrink`,
          },
        ];
      case 'base':
        return [{ what: `${about}: running it on the base build`, command: again }];
      case 'confirm':
        return [
          {
            what: `${about}: confirm on a real API server`,
            command: path === undefined ? again : `${replay} --cluster envtest`,
          },
        ];
      case 'corpus':
        return [
          {
            what: `${countText(count, 'corpus finding')}: replaying ${count === 1 ? 'it' : 'them'}`,
            command: commandText(['corpus', 'run', ...typed.corpus], typed),
          },
        ];
      default:
        return what satisfies never;
    }
  });
}

function commandText(words: readonly string[], { program }: Again): string {
  return [...words, ...(program.length === 0 ? [] : ['--', ...program])].map(quoted).join(' ');
}
