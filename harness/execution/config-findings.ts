/** Configuration of what becomes of findings: where they are kept. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseBudget } from './budget.ts';
import type { CorpusConfig } from './run-config.ts';

/** The part of the options that is about findings, not about runs. */
export interface FindingOptions {
  /** Findings kept beside the code, which are replayed first on every run. */
  readonly corpus?: {
    /** Folder of the kept findings; default `.stalemate/corpus` of the working directory. */
    readonly folder?: string;
    /** How long they may take before a search begins, `60s` (default) or `5m`. */
    readonly budget?: string;
  };
}

const time = z.string().refine((text) => parseBudget(text)?.unit === 'ms', 'expected a time like "60s" or "5m"');

const corpusOptions: z.ZodType<NonNullable<FindingOptions['corpus']>> = z.strictObject({
  folder: z.string().min(1).exactOptional(),
  budget: time.exactOptional(),
});

/** Fields of the schema of options. */
export const findingOptions: { readonly corpus: z.ZodExactOptional<typeof corpusOptions> } = {
  corpus: corpusOptions.exactOptional(),
};

const CORPUS_FOLDER = '.stalemate/corpus';
const CORPUS_BUDGET_MS = 60_000;

/** The same with every default filled in. */
export function resolveCorpus({ corpus = {} }: FindingOptions, cwd: string): CorpusConfig {
  const budget = parseBudget(corpus.budget ?? '');
  return {
    folder: resolve(cwd, corpus.folder ?? CORPUS_FOLDER),
    budgetMs: budget?.unit === 'ms' ? budget.timeMs : CORPUS_BUDGET_MS,
  };
}

/** Paths of a configuration file are relative to it. */
export function absoluteFindingOptions({ corpus }: FindingOptions, from: (path: string) => string): FindingOptions {
  return corpus?.folder === undefined ? {} : { corpus: { ...corpus, folder: from(corpus.folder) } };
}
