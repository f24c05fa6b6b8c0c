/**
 * Reports a search from its first line to its exit code, for both campaigns and soaks.
 *
 * Owns: what is printed to stdout and stderr, and that an error comes last: the results so far are reported first, in every
 * format. Does not own: the results and the outcome.
 */
import type { RunConfig } from '../../execution/config/run-config.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { printedIn } from '../../report/last-words.ts';
import { Vault } from '../../report/redaction/vault.ts';
import type { Scenario } from '../../report/run/document.ts';
import { renderSummary } from '../../report/summary-text.ts';
import type { Summary } from '../../report/summary.ts';
import type { RunFlags } from '../commands/run-flags.ts';
import type { Console } from '../console.ts';
import { exitOf } from '../exit-code.ts';
import { FindingKeeper } from '../finding-keeper.ts';
import { explain } from '../explain.ts';
import { Reports } from '../reports.ts';
import { runDocument } from '../scenario.ts';

export interface Reporting {
  readonly config: RunConfig;
  readonly console: Console;
  readonly json: boolean;
  /** Prints to stdout, or to stderr if a document is written to stdout. */
  readonly print: (text: string) => void;
  readonly vault: Vault;
  readonly keeper: FindingKeeper;
  readonly reports: Reports;
}

/** Sets up the output of a search and calls `work` with it; closes the output even if `work` throws. */
export async function withReporting<T>(
  config: RunConfig,
  { report: requests = [], json = false }: Pick<RunFlags, 'report' | 'json'>,
  console: Console,
  work: (reporting: Reporting) => Promise<T>,
): Promise<T> {
  const out = json || Reports.claimStdout(requests) ? console.err : console.out;
  const reports = new Reports(requests, { console, reportDir: config.reportDir, print: out, env: process.env });
  const { print } = reports;
  const vault = new Vault();
  vault.sources.push(secretSources(config));
  const keeper = new FindingKeeper(config.reportDir, console, print, vault);
  reports.begin();
  try {
    return await work({ config, console, json, print, vault, keeper, reports });
  } finally {
    reports.end();
  }
}

/** The error that ended a search early. */
export interface Broken {
  readonly error: unknown;
}

/** Runs `work`; returns the error that it threw, or undefined. */
export async function brokenBy(work: () => Promise<void>): Promise<Broken | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Removes the target's last output from the summary if the error shows it already. */
function withoutRepeatedOutput(summary: Summary, broken: Broken | undefined): Summary {
  if (printedIn(broken?.error).length === 0) return summary;
  const { printed: _, ...rest } = summary;
  return rest;
}

/**
 * Reports the results so far, and then the error. If there are results, they determine the exit code.
 *
 * @param results `after` is printed after the text of the summary; the JSON document does not contain it.
 * @throws the error, unless a finding fails the run.
 */
export function printEnd(
  { config, console, json, print, vault, keeper, reports }: Reporting,
  {
    summary,
    scenario,
    after = '',
  }: { readonly summary: Summary; readonly scenario: Scenario; readonly after?: string },
  broken: Broken | undefined,
): ExitCode {
  if (json) console.out(`${JSON.stringify(summary, null, 2)}\n`);
  else print(`${renderSummary(withoutRepeatedOutput(summary, broken), console)}${after}`);
  reports.write(runDocument(scenario, config, vault));
  const failures = [...keeper.failures, ...reports.failures];
  for (const message of failures) console.err(`stalemate: ${message}\n`);
  const error = broken === undefined ? keeper.fault : broken.error;
  if (error === undefined) return exitOf(summary, failures.length > 0);
  if (summary.outcome !== 'violated') throw error;
  explain(error, console);
  return EXIT.violated;
}
