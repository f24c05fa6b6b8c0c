/** `stalemate merge`: combines the shards of a soak. */
import { existsSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { filesBelow } from '../../report/read-files.ts';
import { Command } from 'commander';
import { versions } from '../../execution/versions.ts';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import type { CampaignOutcome } from '../../model/finding.ts';
import type { SoakEntry } from '../../model/soak.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { mergeSoak, type Soak } from '../../report/soak/merge.ts';
import { lockFolder } from '../../report/folder-lock.ts';
import { makeRun } from '../../report/run/make-document.ts';
import { countText } from '../../report/count-text.ts';
import { renderSummary } from '../../report/summary-text.ts';
import { checkFolder, writeWhole } from '../../report/write-files.ts';
import { usage } from '../arguments.ts';
import { FindingKeeper } from '../finding-keeper.ts';
import { InconclusiveKeeper } from '../inconclusive-keeper.ts';
import type { CommandContext } from '../command-context.ts';
import { FORMAT_NAMES, reportArgument, Reports, type ReportRequest } from '../reports.ts';
import { readSoakFile, SOAK_FILE } from '../soak/log.ts';
import { redactEntry } from '../soak/redact-line.ts';
import { soakScenario, soakSummary } from '../soak/scenario.ts';
import { EXIT_BY_OUTCOME } from '../exit-code.ts';

interface MergeFlags {
  readonly output?: string;
  readonly report?: readonly ReportRequest[];
}

const HELP = `
Takes soak.jsonl files, or folders that hold them at any depth. The order does not matter, nor whether one is named twice; the same lines
give the same report, byte for byte. Of a soak that still runs it reports the progress; it changes no file that it reads.
With --output, the folder gets index.html, the pages, counterexamples and records of the findings, junit.xml, run.jsonl, and all lines
in one soak.jsonl, which can be merged again. It never loses a line: a folder with lines that were not named is refused.

Examples:
  stalemate merge .stalemate/soak
  stalemate merge shard-*/soak.jsonl --output merged --report markdown

Exit codes: 0 all is there and holds, 1 something fails, 3 shards are missing or not finished, or inconclusive`;

export function mergeCommand(context: CommandContext): Command {
  return new Command('merge')
    .description('Merge the shards of a soak, in any order.')
    .argument('<path...>', `${SOAK_FILE} files, or folders that hold them`)
    .option('--output <dir>', 'where the report goes (default: to the terminal only)')
    .option(
      '--report <format[=path]>',
      `with --output, also (several times): ${FORMAT_NAMES.join(', ')}`,
      reportArgument,
    )
    .addHelpText('after', HELP)
    .action((paths: readonly string[], flags: MergeFlags) => {
      context.finish(merge(paths, flags, context));
    });
}

function merge(paths: readonly string[], { output, report = [] }: MergeFlags, { console }: CommandContext): ExitCode {
  if (output === undefined && report.length > 0) throw usage('got --report without --output, expected a folder for it');
  const vault = new Vault();
  const entries = new Map<string, SoakEntry>();
  for (const file of paths.flatMap((path) => soakFiles(path, console.cwd)))
    for (const entry of linesOf(file, console)) {
      const redacted = redactEntry(entry, vault);
      entries.set(redacted.text, redacted);
    }
  const soaks = mergeSoak(entries.values(), { allShards: true });
  if (soaks.length === 0) throw usage('got files without a whole line of a soak, expected at least one that has begun');
  if (output === undefined) {
    for (const soak of soaks) printSoak(soak, soaks.length > 1, console.out, console, () => undefined);
  } else {
    const folder = resolve(console.cwd, output);
    checkFolder(folder);
    const release = lockFolder(folder, '--output');
    try {
      writeLines([...entries.keys()].sort(), join(folder, SOAK_FILE), console.cwd, vault);
      const failures = writeReport(soaks, folder, report, console);
      for (const message of failures) console.err(`stalemate: ${message}\n`);
      if (failures.length > 0) return EXIT.inconclusive;
    } finally {
      release();
    }
  }
  return exitOf(soaks);
}

/** @throws {USAGE} if the existing file contains a line that is not among `lines` and would be lost. */
function writeLines(lines: readonly string[], path: string, cwd: string, vault: Vault): void {
  if (existsSync(path)) {
    const source = relative(cwd, path);
    const merged = new Set(lines);
    const others = readSoakFile(path, source).entries.filter(
      (entry) => !merged.has(redactEntry(entry, vault).text),
    ).length;
    if (others > 0)
      throw usage(
        `"${source}" has ${countText(others, 'line')} of a soak that would be lost; name that file among those to merge, or another folder with --output`,
      );
  }
  writeWhole(path, lines.map((line) => `${line}\n`).join(''), undefined, '--output');
}

/** Writes the same reports as a run, for all soaks together. */
function writeReport(
  soaks: readonly Soak[],
  reportDir: string,
  asked: readonly ReportRequest[],
  console: CommandContext['console'],
): readonly string[] {
  const usual = ['junit', 'jsonl'].filter((format) => !asked.some((one) => one.format === format));
  const requests = [...usual.map((format) => ({ format })), ...asked];
  const print = Reports.claimStdout(requests) ? console.err : console.out;
  const reports = new Reports(requests, { console, reportDir, print, env: process.env });
  reports.begin();
  try {
    const kept = soaks.map((soak) => {
      // The same failure of two targets has the same file name, so each soak gets its own folder.
      const folder = soaks.length > 1 ? join(reportDir, soak.digest) : reportDir;
      const keeper = new FindingKeeper(folder, console, reports.print);
      for (const finding of soak.result.findings) keeper.restore(finding);
      const unjudged = new InconclusiveKeeper(folder, console.cwd, keeper.note);
      for (const recording of soak.unjudged) unjudged.keep(() => recording);
      const filed = { ...soak, result: unjudged.filed(soak.result) };
      printSoak(filed, soaks.length > 1, reports.print, console, (finding) => keeper.pathOf(finding));
      return { keeper, scenario: soakScenario(filed, keeper, unjudged) };
    });
    const scenarios = kept.map(({ scenario }) => scenario);
    reports.write(makeRun(scenarios, versions()));
    for (const { keeper } of kept) if (keeper.fault !== undefined) throw keeper.fault;
    return [...kept.flatMap(({ keeper }) => keeper.failures), ...reports.failures];
  } finally {
    reports.end();
  }
}

function printSoak(
  soak: Soak,
  isNamed: boolean,
  print: (text: string) => void,
  console: CommandContext['console'],
  pathOf: Parameters<typeof soakSummary>[1],
): void {
  if (isNamed) print(`\n${soak.about.name}\n`);
  print(renderSummary(soakSummary(soak, pathOf), console));
}

/** Outcomes from the worst to the best. */
const BY_WEIGHT: readonly CampaignOutcome[] = ['violated', 'interrupted', 'inconclusive', 'vacuous', 'holds'];

function exitOf(soaks: readonly Soak[]): ExitCode {
  const outcomes = soaks.map((soak) => soakSummary(soak, () => undefined).outcome);
  const worst = BY_WEIGHT.find((outcome) => outcomes.includes(outcome)) ?? 'inconclusive';
  return EXIT_BY_OUTCOME[worst];
}

function linesOf(file: string, { cwd, err }: CommandContext['console']): readonly SoakEntry[] {
  const source = relative(cwd, file);
  const { entries, cut } = readSoakFile(file, source);
  if (entries.length === 0 && cut > 0)
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${source}" holds no line of a soak; expected a ${SOAK_FILE} as "stalemate soak" writes it`,
    );
  if (cut > 0) err(`warning: ${source}: ${countText(cut, 'line')} cut short by a kill, skipped\n`);
  return entries;
}

function soakFiles(named: string, cwd: string): readonly string[] {
  const place = resolve(cwd, named);
  if (!existsSync(place))
    throw usage(`"${named}" does not exist, expected a ${SOAK_FILE}, or a folder that holds some`);
  if (!statSync(place).isDirectory()) return [place];
  const unreadable = (folder: string, reason: string): never => {
    throw usage(`"${relative(cwd, folder)}" ${reason}, and may hold a ${SOAK_FILE}; expected folders that can be read`);
  };
  const files = filesBelow(place, unreadable)
    .filter((name) => basename(name) === SOAK_FILE)
    .sort()
    .map((name) => join(place, name));
  if (files.length === 0) throw usage(`"${named}" holds no ${SOAK_FILE}, expected what "stalemate soak" has written`);
  return files;
}
