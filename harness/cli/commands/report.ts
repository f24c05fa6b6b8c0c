/** `stalemate report`: renders the page of a finding from its record. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { ownProperties } from '../../execution/config/options.ts';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import type { Property } from '../../oracle/property.ts';
import { findingPage } from '../../report/html/index.ts';
import { recordingPage, recordingSentence } from '../../report/html/recording-page.ts';
import { plainText } from '../../report/plain-text.ts';
import { redactFinding, redactRecording } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import type { StoryInput } from '../../report/story.ts';
import { writeWhole } from '../../report/write-files.ts';
import { kindOf, parseJson } from '../../schedule/codec/format.ts';
import { decodeRecord } from '../../schedule/codec/record.ts';
import { decodeRecording } from '../../schedule/codec/recording.ts';
import { usage } from '../arguments.ts';
import type { Console } from '../console.ts';
import { readConfig } from '../configured.ts';
import type { CommandContext } from '../command-context.ts';
import { readText } from '../read-text.ts';
import { recordBeside } from '../record-beside.ts';
import { given } from '../../model/given.ts';

interface ReportFlags {
  readonly open?: boolean;
  readonly out?: string;
  readonly config?: string;
}

const HELP = `
The page is one HTML file that needs no network. Records of older versions work too: what they lack about the finding is
found by judging their history again. Pages go to DIR/reports next to DIR/records, else next to the record. The page of a recording
(stalemate record) shows the result of each property; for a counterexample, the record next to it is used.

Examples:
  stalemate report .stalemate/records/lost-update-9669dc.json --open
  stalemate report .stalemate --out pages`;

export function reportCommand(context: CommandContext): Command {
  return new Command('report')
    .description('Write a finding as one HTML page: story, versions, caches, rates, the whole history.')
    .argument('<path>', 'a record, a recording, or a folder of them')
    .option('--out <file>', 'where the page goes; for a folder of records, a folder')
    .option('--open', 'open it in the browser')
    .option('--config <file>', 'configuration file with properties of your own')
    .addHelpText('after', HELP)
    .action(async (path: string, flags: ReportFlags) => {
      context.finish(await reportPath(path, flags, context));
    });
}

async function reportPath(path: string, flags: ReportFlags, { console }: CommandContext): Promise<ExitCode> {
  const { cwd } = console;
  const place = resolve(cwd, path);
  const { folder, files } = recordFiles(path, place, console);
  const own = ownProperties((await readConfig(flags.config, cwd)).options);
  const pages: string[] = [];
  let code: ExitCode = EXIT.holds;
  const out = flags.out === undefined ? undefined : resolve(cwd, flags.out);
  for (const file of files) {
    try {
      const page = pageOf(file, out, folder);
      if (out !== undefined) requireOurs(page, relative(cwd, page));
      pages.push(await writeReport(file, page, own, console));
    } catch (error) {
      // An unreadable record in a folder does not prevent the pages of the other records.
      if (!folder || !(error instanceof HarnessError)) throw error;
      console.err(`stalemate: ${error.message}\n`);
      code = error.exitCode;
    }
  }
  const [first] = pages;
  if (flags.open === true && first !== undefined) await openInBrowser(first);
  return code;
}

/** Refuses to overwrite any file except an earlier page. */
function requireOurs(page: string, given: string): void {
  if (!existsSync(page) || isPage(readText(page, 'page'))) return;
  throw usage(`got --out "${given}", which is a file, but no page of stalemate; expected a new file, name another`);
}

function isPage(text: string): boolean {
  return text.startsWith('<!doctype html>') && text.includes('<script type="application/json" id="');
}

async function writeReport(
  file: string,
  page: string,
  own: readonly Property[],
  { cwd, out }: Console,
): Promise<string> {
  const name = relative(cwd, file);
  const text = readText(file, 'record');
  const kind = kindOf(parseJson(text, name, 'record'));
  if (kind === 'recording') {
    const { judgeRecording } = await import('../library.ts');
    const recording = redactRecording(decodeRecording(text, name), new Vault());
    const opinions = judgeRecording(recording, own);
    writeWhole(page, recordingPage(recording, opinions, name));
    out(`${relative(cwd, page)}\n  ${plainText(recordingSentence(recording, opinions))}\n`);
    return page;
  }
  // Records of earlier versions may contain secrets.
  const redacted = redactFinding(await readFinding(text, name, own));
  writeWhole(page, findingPage(redacted, placesOf(file, cwd)));
  out(`${relative(cwd, page)}\n  ${plainText(redacted.violation.sentence)}\n`);
  return page;
}

/** Reads the finding from a record; for version 1, recomputes it from the history. */
async function readFinding(text: string, file: string, own: readonly Property[]): Promise<StoryInput> {
  const record = decodeRecord(text, file);
  const { counterexample, history, stats, neighbour } = record;
  const { recheck } = await import('../library.ts');
  const violation = record.violation ?? recheck(record, own).violation;
  if (violation === undefined) {
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${file}" was written before records said what is wrong, and today's "${counterexample.signature.property}" no longer finds it in its history; ` +
        'expected a record whose violation can still be seen, find the failure again with "stalemate run"',
      { details: { file } },
    );
  }
  return {
    violation,
    counterexample,
    record: history,
    ...given({ stats, neighbour }),
  };
}

/** Subfolders of a report folder from which pages are rendered. */
const STORED: readonly string[] = ['records', 'recordings'];

/**
 * Returns the path of a record's page: `DIR/records/x.json` → `DIR/reports/x.html`. The page of a record elsewhere is beside
 * the record.
 */
function pageOf(record: string, out: string | undefined, folder: boolean): string {
  const name = `${basename(record, '.json')}.html`;
  if (out !== undefined) return folder ? join(out, name) : out;
  const parent = dirname(record);
  return STORED.includes(basename(parent)) ? join(dirname(parent), 'reports', name) : join(parent, name);
}

/** Returns the path of a record, and that of its counterexample if it is where `run` writes it. */
function placesOf(record: string, cwd: string): { readonly record: string; readonly counterexample?: string } {
  const counterexample = join(dirname(dirname(record)), 'failures', basename(record));
  return {
    record: relative(cwd, record),
    ...(existsSync(counterexample) ? { counterexample: relative(cwd, counterexample) } : {}),
  };
}

function recordFiles(
  named: string,
  place: string,
  console: Console,
): { readonly folder: boolean; readonly files: readonly string[] } {
  if (!existsSync(place)) throw usage(`"${named}" does not exist, expected a record or a folder of records`);
  if (!statSync(place).isDirectory())
    return { folder: false, files: [recordBeside(place, 'the page is made of its record', console)] };
  const inner = STORED.map((name) => join(place, name)).filter((path) => existsSync(path));
  const files = (inner.length === 0 ? [place] : inner).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(folder, name)),
  );
  if (files.length === 0)
    throw usage(`"${named}" holds no record, expected .json files as "stalemate run" writes them to DIR/records`);
  return { folder: true, files };
}

const OPENERS: { readonly [platform: string]: readonly string[] } = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Starts the browser and leaves it running; resolves once it has started. */
async function openInBrowser(page: string): Promise<void> {
  const [program = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const url = pathToFileURL(page).href;
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
    child.once('error', () => {
      reject(usage(`got --open, but "${program}" cannot be started here; open ${page} in a browser yourself`));
    });
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
