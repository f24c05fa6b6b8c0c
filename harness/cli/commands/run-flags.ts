/** The flags of a search, most of which `run`, `ci` and `soak` share. */
import type { Command } from 'commander';
import type { StalemateOptions } from '../../execution/config/options.ts';
import { CONFIRM_ON, type ConfirmChoice } from '../../model/confirmation.ts';
import {
  budgetArgument,
  choice,
  collect,
  corpusBudgetArgument,
  countArgument,
  faultsArgument,
  seedArgument,
} from '../arguments.ts';
import type { Again } from '../../report/left-out.ts';
import { FORMAT_NAMES, reportArgument, type ReportRequest } from '../reports.ts';
import { mergeTargetFlags, withTargetFlags, type TargetFlags } from './target-flags.ts';
import { given } from '../../model/given.ts';

export interface RunFlags extends TargetFlags {
  /** `false` for `--no-corpus`. */
  readonly corpus?: string | boolean;
  readonly corpusBudget?: string;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly faults?: { readonly [name: string]: boolean };
  readonly dryRun?: boolean;
  readonly property?: readonly string[];
  readonly budget?: string;
  readonly seed?: number;
  readonly confirm?: ConfirmChoice;
  readonly stopAfter?: number;
  readonly reportDir?: string;
  readonly report?: readonly ReportRequest[];
  readonly all?: boolean;
  readonly json?: boolean;
  /** How to start the search again, from the arguments as typed; absent if the search was not started from a command line. */
  readonly again?: Again;
}

/** Adds all flags of one campaign. */
export function withRunFlags(command: Command): Command {
  return withSearchFlags(command, '60s, 5m, or a number of runs (default: 60s)').option(
    '--seed <n>',
    'root seed of everything that is drawn',
    seedArgument,
  );
}

/** Adds the flags of any search. */
export function withSearchFlags(command: Command, budget: string): Command {
  return withTargetFlags(command)
    .option('--faults <names>', 'also these: "connection", or its kinds by name (toxiproxy)', faultsArgument)
    .option('--dry-run', 'for --cluster existing: list what would be changed there, and exit')
    .option('--property <name>', 'judge this property only; may be given several times', collect)
    .option('--budget <budget>', budget, budgetArgument)
    .addOption(
      choice('--confirm <where>', 'try findings on a real server (default: envtest, where it is here)', [
        ...CONFIRM_ON,
        'none',
      ]),
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
    .option('--no-corpus', 'do not replay the corpus')
    .option('--corpus-budget <time>', 'how long replaying them may take (default: 60s)', corpusBudgetArgument)
    .option('--baseline <file>', 'request counts to compare with (default: .stalemate/baseline.json, if it exists)')
    .option('--update-baseline', 'write the baseline from what this run measured')
    .option('--json', 'print the summary as JSON on stdout');
}

/** Applies the flags to the options of the configuration file. */
export function mergeRunFlags(base: StalemateOptions, flags: RunFlags): StalemateOptions {
  const { faults, budget, seed, stopAfter, reportDir, baseline, corpusBudget } = flags;
  const folder = typeof flags.corpus === 'string' ? flags.corpus : undefined;
  return {
    ...mergeTargetFlags(base, flags),
    ...(faults === undefined ? {} : { faults: { ...base.faults, ...faults } }),
    ...given({ budget, seed, stopAfter, reportDir, baseline }),
    corpus: { ...base.corpus, ...given({ folder, budget: corpusBudget }) },
  };
}
