/** Handles the baseline of a project: reads it before a run, compares it with the run's result, and overwrites it on request. */
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { isAbout, storedTarget, targetFrom } from '../execution/search/counterexample.ts';
import { BASELINE_FILE } from '../execution/config/config-findings.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import {
  BASELINE_RATIO,
  BASELINE_RUNS_MIN,
  checkBudgets,
  type Baseline,
  type BaselineConditions,
  type BudgetCheck,
} from '../model/baseline.ts';
import { HarnessError } from '../model/errors.ts';
import type { CampaignResult } from '../model/finding.ts';
import { countText } from '../report/count-text.ts';
import { redactConfigured } from '../report/redaction/index.ts';
import { Vault } from '../report/redaction/vault.ts';
import { writeWhole } from '../report/write-files.ts';
import { decodeBaseline, encodeBaseline } from '../schedule/codec/baseline.ts';
import { usage } from './arguments.ts';
import { readText } from './read-text.ts';
import { secretSources } from '../execution/config/secret-sources.ts';

/**
 * Reads the committed baseline; undefined if there is none.
 *
 * @throws {TARGET_MISMATCH} if it belongs to another target. {USAGE} if a file that the user named does not exist.
 */
export function readBaseline(config: RunConfig, cwd: string, isUpdated: boolean): Baseline | undefined {
  const source = relative(cwd, config.baseline);
  if (!existsSync(config.baseline)) {
    if (isUpdated || config.baseline === resolve(cwd, BASELINE_FILE)) return undefined;
    throw usage(
      `got baseline "${source}", which does not exist, expected a file that --update-baseline wrote; correct the path, or add --update-baseline to create it`,
    );
  }
  const baseline = decodeBaseline(readText(config.baseline, 'baseline'), source);
  const [theirs, ours] = [programOf(baseline.target), programOf(storedTarget(config))];
  if (theirs === ours || isAbout(baseline.target, config)) return baseline;
  throw new HarnessError(
    'TARGET_MISMATCH',
    `"${source}" is the baseline of "${theirs}", and this run is about "${ours}"; name another one with --baseline, or, if the target was renamed, delete the file and run with --update-baseline`,
  );
}

interface Budgets {
  readonly checks: readonly BudgetCheck[];
  /** The measures that were not compared, with the reason. */
  readonly notes: readonly string[];
}

function compareWith(baseline: Baseline, config: RunConfig, result: CampaignResult): Budgets {
  const sameConditions = JSON.stringify(baseline.conditions) === JSON.stringify(conditionsOf(config, result));
  const notes: string[] = [];
  if (!sameConditions)
    notes.push(
      'averages are not compared: the baseline was taken with other writers or faults, on another cluster, or unlike this one not from a soak',
    );
  else if (Math.min(result.runs, baseline.runs) < BASELINE_RUNS_MIN)
    notes.push(
      `averages are not compared: of ${countText(Math.min(result.runs, baseline.runs), 'run')} they say little`,
    );
  return { checks: checkBudgets(baseline, result.measures ?? {}, result.runs, sameConditions), notes };
}

/**
 * Writes the measures, and keeps ratios that a user has set.
 *
 * @throws {OUTPUT_FAILED} {USAGE} if the run has measured nothing.
 */
function updateBaseline(before: Baseline | undefined, config: RunConfig, result: CampaignResult): void {
  const { measures = {}, runs } = result;
  if (Object.keys(measures).length === 0 || runs === 0) {
    throw new HarnessError('USAGE', 'the run has measured nothing to make a baseline of; give it a longer budget');
  }
  const baseline: Baseline = {
    version: 1,
    kind: 'baseline',
    // The file is committed, so secrets in the command are redacted.
    target: redactConfigured(
      targetFrom(storedTarget(config), config.cwd, config.corpus.home),
      secretSources(config),
      new Vault(),
    ),
    conditions: conditionsOf(config, result),
    runs,
    ratio: before?.ratio ?? BASELINE_RATIO,
    ...(before?.ratios === undefined ? {} : { ratios: before.ratios }),
    measures,
  };
  writeWhole(config.baseline, encodeBaseline(baseline), undefined, '--baseline');
}

/** The baseline of a project, and whether to update it. */
export interface KeptBaseline {
  readonly baseline: Baseline | undefined;
  /** Whether to overwrite the baseline. */
  readonly update: boolean;
}

export interface BudgetManner {
  readonly print: (text: string) => void;
  /** Receives the messages of failed writes. */
  readonly failures: string[];
  readonly cwd: string;
}

/** Compares a result with the baseline, or overwrites the baseline. */
export function budgetsOf(
  { baseline, update }: KeptBaseline,
  config: RunConfig,
  result: CampaignResult,
  { print, failures, cwd }: BudgetManner,
): readonly BudgetCheck[] | undefined {
  if (update) {
    try {
      updateBaseline(baseline, config, result);
      print(`baseline: what this run measured is in ${relative(cwd, config.baseline)}\n`);
    } catch (error) {
      // A failed write does not prevent the report of the run.
      if (!(error instanceof HarnessError)) throw error;
      failures.push(error.message);
    }
    return undefined;
  }
  if (baseline === undefined) return undefined;
  const { checks, notes } = compareWith(baseline, config, result);
  for (const note of notes) print(`budgets: ${note}\n`);
  return checks;
}

function conditionsOf({ cluster, writers, faults }: RunConfig, { soak }: CampaignResult): BaselineConditions {
  return { cluster, writers, faults, ...(soak === undefined ? {} : { soak: true }) };
}

function programOf(target: Baseline['target']): string {
  return 'module' in target ? target.module : (target.command[0] ?? '');
}
