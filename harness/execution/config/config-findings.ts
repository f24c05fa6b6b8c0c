/** Options about findings: where they are stored, waivers, and declarations about fields. */
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { CONFIRM_ON, type ConfirmChoice } from '../../model/confirmation.ts';
import type { HarnessError } from '../../model/errors.ts';
import { waiverText, type Waiver } from '../../model/waiver.ts';
import type { Declarations, DeclaredField } from '../../model/declarations.ts';
import { parseBudget } from './budget.ts';
import type { CorpusConfig, RunConfig } from './run-config.ts';
import { configInvalid } from '../config-invalid.ts';

/** The options about findings, as opposed to runs. */
export interface FindingOptions {
  /** The corpus: findings stored beside the code, which are replayed first on every run. */
  readonly corpus?: {
    /** Folder of the corpus; default `.stalemate/corpus` in the working directory. */
    readonly folder?: string;
    /** How long replaying the corpus may take before the search begins, `60s` (default) or `5m`. */
    readonly budget?: string;
  };
  /**
   * The real server on which `run`, `ci` and `soak` confirm findings of the embedded one: `envtest` (default, if its binaries are found),
   * `kind`, or `none`.
   */
  readonly confirm?: ConfirmChoice;
  /** The baseline file with the budgets; default `.stalemate/baseline.json` in the working directory. */
  readonly baseline?: string;
  /** Findings that are accepted until a date, with a reason. Each finding prints the waiver to paste. */
  readonly waivers?: readonly Waiver[];
  /** Fields that the target shares with another party by agreement: the last write wins. */
  readonly coOwned?: readonly DeclaredField[];
  /** Fields whose values differ from run to run; they are never compared. */
  readonly volatile?: readonly DeclaredField[];
}

const time = z.string().refine((text) => parseBudget(text)?.unit === 'ms', 'expected a time like "60s" or "5m"');

const corpusOptions: z.ZodType<NonNullable<FindingOptions['corpus']>> = z.strictObject({
  folder: z.string().min(1).exactOptional(),
  budget: time.exactOptional(),
});

const name = z.string().min(1);

const confirm: z.ZodType<ConfirmChoice> = z.enum(['none', ...CONFIRM_ON]);

const waiver: z.ZodType<Waiver> = z.strictObject({
  property: name,
  kind: name.exactOptional(),
  field: name.exactOptional(),
  writer: name.exactOptional(),
  reason: z.string().refine((text) => text.trim() !== '', 'expected a reason'),
  expires: z.string().refine(isDay, 'expected the last day on which it is valid, like "2027-01-31"'),
});

const declaredField: z.ZodType<DeclaredField> = z.strictObject({ kind: name, field: name });

/** The schema of these options. */
export const findingOptions: {
  readonly corpus: z.ZodExactOptional<typeof corpusOptions>;
  readonly confirm: z.ZodExactOptional<typeof confirm>;
  readonly baseline: z.ZodExactOptional<z.ZodString>;
  readonly waivers: z.ZodExactOptional<z.ZodArray<typeof waiver>>;
  readonly coOwned: z.ZodExactOptional<z.ZodArray<typeof declaredField>>;
  readonly volatile: z.ZodExactOptional<z.ZodArray<typeof declaredField>>;
} = {
  corpus: corpusOptions.exactOptional(),
  confirm: confirm.exactOptional(),
  baseline: z.string().min(1).exactOptional(),
  waivers: z.array(waiver).exactOptional(),
  coOwned: z.array(declaredField).exactOptional(),
  volatile: z.array(declaredField).exactOptional(),
};

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The names that waivers and declarations may refer to. */
export interface FindingNames {
  readonly properties: readonly string[];
  readonly writers: readonly string[];
  /** Reports whether a resource such as `deployments.apps` exists. */
  readonly resources: (name: string) => boolean;
  /** Today's date, such as `2026-11-22`. */
  readonly today: string;
}

/** Resolves these options, with defaults. @throws {CONFIG_INVALID} */
export function resolveFindings(
  options: FindingOptions,
  { cwd, configFile, ...names }: FindingNames & { readonly cwd: string; readonly configFile: string | null },
): Pick<RunConfig, 'corpus' | 'confirm' | 'baseline' | 'waivers' | 'declared'> {
  return {
    corpus: resolveCorpus(options, cwd, configFile),
    confirm: options.confirm ?? null,
    baseline: resolve(cwd, options.baseline ?? BASELINE_FILE),
    waivers: resolveWaivers(options, names),
    declared: resolveDeclarations(options, names.resources),
  };
}

/**
 * Returns the waivers, after checking that all of them are valid today.
 *
 * @throws {CONFIG_INVALID} naming a waiver that has expired or can never cover anything.
 */
function resolveWaivers({ waivers = [] }: FindingOptions, names: FindingNames): readonly Waiver[] {
  waivers.forEach((one, index) => {
    const { property, kind, writer, reason, expires } = one;
    const which = `waiver ${index + 1} (${waiverText(one)})`;
    if (!names.properties.includes(property)) {
      throw invalid(`${which} is about property "${property}", expected one of ${names.properties.join(', ')}`);
    }
    if (kind !== undefined && !names.resources(kind)) throw invalid(`${which} is about "${kind}", ${RESOURCE_FORM}`);
    if (writer !== undefined && !names.writers.includes(writer)) {
      throw invalid(`${which} is about writer "${writer}", expected one of ${names.writers.join(', ')}`);
    }
    if (expires < names.today) {
      throw invalid(
        `${which}, for "${reason}", expired on ${expires}, and today is ${names.today}; fix what it covers and remove it, or give it a later day`,
      );
    }
  });
  return waivers;
}

/** @throws {CONFIG_INVALID} if a declaration names a resource that does not exist. */
function resolveDeclarations(
  { coOwned = [], volatile = [] }: FindingOptions,
  resources: (name: string) => boolean,
): Declarations {
  for (const [option, fields] of Object.entries({ coOwned, volatile })) {
    const unknown = fields.find(({ kind }) => !resources(kind));
    if (unknown !== undefined) throw invalid(`"${option}" is about "${unknown.kind}", ${RESOURCE_FORM}`);
  }
  return { coOwned, volatile };
}

const RESOURCE_FORM = 'expected a resource by its plural name and group, such as deployments.apps';

function invalid(message: string): HarnessError {
  return configInvalid(message);
}

const CORPUS_FOLDER = '.stalemate/corpus';
export const BASELINE_FILE = '.stalemate/baseline.json';

/** Resolves the corpus options, with defaults. */
export function resolveCorpus(
  { corpus = {} }: FindingOptions,
  cwd: string,
  configFile: string | null = null,
): CorpusConfig {
  const budget = parseBudget(corpus.budget ?? '');
  const folder = resolve(cwd, corpus.folder ?? CORPUS_FOLDER);
  const around = dirname(dirname(folder));
  const project = join(around, CORPUS_FOLDER) === folder ? around : cwd;
  return {
    folder,
    home: configFile === null ? project : dirname(resolve(cwd, configFile)),
    budgetMs: budget?.unit === 'ms' ? budget.timeMs : null,
  };
}

/** Returns the options with absolute paths; relative ones are relative to the configuration file. */
export function absoluteFindingOptions(
  { corpus, baseline }: FindingOptions,
  from: (path: string) => string,
): FindingOptions {
  return {
    ...(corpus?.folder === undefined ? {} : { corpus: { ...corpus, folder: from(corpus.folder) } }),
    ...(baseline === undefined ? {} : { baseline: from(baseline) }),
  };
}
