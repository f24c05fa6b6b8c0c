/**
 * How a search is reported, from its first line to its exit code: a campaign and a soak alike.
 *
 * Owns: who has stdout, what goes where, and that whatever broke comes last: what was found until then is reported before it, in every
 * format. Does not own: what is found, and what that amounts to.
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
  /** To stdout; to stderr where a document has stdout for itself. */
  readonly print: (text: string) => void;
  readonly vault: Vault;
  readonly keeper: FindingKeeper;
  readonly reports: Reports;
}

/** Does some work and reports it. */
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

/** What kept a search from its end. */
export interface Broken {
  readonly error: unknown;
}

/** Does some work, and hands back what broke it. */
export async function brokenBy(work: () => Promise<void>): Promise<Broken | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** What broke the search shows below its message what the target printed. */
function withoutTwice(summary: Summary, broken: Broken | undefined): Summary {
  if (printedIn(broken?.error).length === 0) return summary;
  const { printed: _, ...rest } = summary;
  return rest;
}

/**
 * Reports what there is, and then what broke. The exit code is that of what was found, where anything was.
 *
 * @throws what broke, where nothing fails.
 */
export function printEnd(
  { config, console, json, print, vault, keeper, reports }: Reporting,
  { summary, scenario }: { readonly summary: Summary; readonly scenario: Scenario },
  broken: Broken | undefined,
): ExitCode {
  if (json) console.out(`${JSON.stringify(summary, null, 2)}\n`);
  else print(renderSummary(withoutTwice(summary, broken), console));
  reports.write(runDocument(scenario, config, vault));
  const failures = [...keeper.failures, ...reports.failures];
  for (const message of failures) console.err(`stalemate: ${message}\n`);
  const error = broken === undefined ? keeper.fault : broken.error;
  if (error === undefined) return exitOf(summary, failures.length > 0);
  if (summary.outcome !== 'violated') throw error;
  explain(error, console);
  return EXIT.violated;
}
