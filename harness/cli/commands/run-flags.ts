/** The flags of a search: `run`, `ci` and `soak` have most of them in common. */
import type { Command } from 'commander';
import type { StalemateOptions } from '../../execution/config/options.ts';
import type { ConfirmChoice } from '../../model/confirmation.ts';
import {
  budgetArgument,
  collect,
  corpusBudgetArgument,
  countArgument,
  faultsArgument,
  seedArgument,
} from '../arguments.ts';
import { confirmArgument } from '../confirm.ts';
import type { Again } from '../../report/left-out.ts';
import { FORMAT_NAMES, reportArgument, type ReportRequest } from '../reports.ts';
import { mergeTargetFlags, withTargetFlags, type TargetFlags } from './target-flags.ts';

export interface RunFlags extends TargetFlags {
  /** `false`: `--no-corpus`. */
  readonly corpus?: string | boolean;
  readonly corpusBudget?: string;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly faults?: { readonly [name: string]: boolean };
  readonly dryRun?: boolean;
  readonly property?: readonly string[];
  readonly budget?: string;
  readonly seed?: number;
  readonly warm?: boolean;
  readonly confirm?: ConfirmChoice;
  readonly stopAfter?: number;
  readonly reportDir?: string;
  readonly report?: readonly ReportRequest[];
  readonly all?: boolean;
  readonly json?: boolean;
  /** How all of this was typed; absent where it was not. */
  readonly again?: Again;
}

/** All that one campaign can be told. */
export function withRunFlags(command: Command): Command {
  return withSearchFlags(command, '60s, 5m, or a number of runs (default: 60s)').option(
    '--seed <n>',
    'root seed of everything that is drawn',
    seedArgument,
  );
}

/** All that any search can be told. */
export function withSearchFlags(command: Command, budget: string): Command {
  return withTargetFlags(command)
    .option('--faults <names>', 'also these: "connection", or its kinds by name (toxiproxy)', faultsArgument)
    .option('--dry-run', 'for --cluster existing: list what would be changed there, and exit')
    .option('--property <name>', 'judge this property only; may be given several times', collect)
    .option('--budget <budget>', budget, budgetArgument)
    .option('--warm', 'for a program: search on one long-lived process, prove on fresh ones')
    .option(
      '--confirm <where>',
      'try findings on a real server: envtest (the default, where it is here), kind, none',
      confirmArgument,
    )
    .option('--stop-after <n>', 'end after this many distinct findings', countArgument('--stop-after'))
    .option('--all', 'report every symptom as a finding, not one finding for each cause')
    .option('--report-dir <dir>', 'folder for what is found (default: .stalemate)')
    .option(
      '--report <format[=path]>',
      `further report formats (several times): ${FORMAT_NAMES.join(', ')}`,
      reportArgument,
    )
    .option('--corpus <dir>', 'the corpus, replayed first (default: .stalemate/corpus)')
    .option('--no-corpus', 'replay none')
    .option('--corpus-budget <time>', 'how long replaying them may take (default: 60s)', corpusBudgetArgument)
    .option('--baseline <file>', 'budgets to compare with (default: .stalemate/baseline.json, if it exists)')
    .option('--update-baseline', 'write the budgets again, from what this run measured')
    .option('--json', 'print the summary as JSON on stdout');
}

/** What a configuration file says, and on top of it what the flags say. */
export function mergeRunFlags(base: StalemateOptions, flags: RunFlags): StalemateOptions {
  return {
    ...mergeTargetFlags(base, flags),
    ...(flags.faults === undefined ? {} : { faults: { ...base.faults, ...flags.faults } }),
    ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.warm === undefined ? {} : { warm: flags.warm }),
    ...(flags.stopAfter === undefined ? {} : { stopAfter: flags.stopAfter }),
    ...(flags.reportDir === undefined ? {} : { reportDir: flags.reportDir }),
    ...(flags.baseline === undefined ? {} : { baseline: flags.baseline }),
    ...mergeCorpusFlags(base, flags),
  };
}

function mergeCorpusFlags({ corpus }: StalemateOptions, flags: RunFlags): Pick<StalemateOptions, 'corpus'> {
  const folder = typeof flags.corpus === 'string' ? { folder: flags.corpus } : {};
  const budget = flags.corpusBudget === undefined ? {} : { budget: flags.corpusBudget };
  return { corpus: { ...corpus, ...folder, ...budget } };
}
