/**
 * Writes the reports of a whole run: its page, and the formats of `--report FORMAT[=PATH]`.
 *
 * Owns: which formats are written where. Does not own: the formats (`report/run/formats.ts`). A report that cannot be written
 * does not affect the rest.
 */
import { appendFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { HarnessError } from '../model/errors.ts';
import { runPage } from '../report/html/run/run-page.ts';
import type { RunDocument } from '../report/run/document.ts';
import { FORMATS } from '../report/run/formats.ts';
import { writeWhole } from '../report/write-files.ts';
import { drawSecretKey } from '../determinism/secret-key.ts';
import { usage } from './arguments.ts';
import type { Console } from './console.ts';

export interface ReportRequest {
  readonly format: string;
  /** `-` for stdout. Absent for the format's default path. */
  readonly path?: string;
}

const TEXT = 'text';
const STDOUT = '-';
const PAGE = 'index.html';
export const FORMAT_NAMES: readonly string[] = [TEXT, ...Object.keys(FORMATS)];

/** Parses `--report`, which may be repeated, and adds it to the earlier values. */
export function reportArgument(text: string, before: readonly ReportRequest[] | undefined): readonly ReportRequest[] {
  const [, format = '', path] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (!FORMAT_NAMES.includes(format)) {
    const folder =
      /[./]/.test(text) || path === undefined ? '; a folder for all that is found is named with --report-dir' : '';
    throw usage(`got --report "${text}", expected one of ${FORMAT_NAMES.join(', ')}, or FORMAT=PATH${folder}`);
  }
  if (path === '') throw usage(`got --report "${text}", expected a path after "="; leave "=" out for the default path`);
  const request = { format, ...(path === undefined ? {} : { path }) };
  const all = [...(before ?? []), request];
  if (all.filter((one) => one.path === STDOUT).length > 1) {
    throw usage(`got two reports for stdout, expected at most one "=-"; give each other one a path`);
  }
  return all;
}

export interface ReportContext {
  readonly console: Console;
  readonly reportDir: string;
  /** Prints to stdout, or to stderr if a document is written to stdout. */
  readonly print: (text: string) => void;
  readonly env: { readonly [name: string]: string | undefined };
}

/** The reports of one run. */
export class Reports {
  /** Messages of failed writes. */
  readonly failures: string[] = [];
  readonly #requests: readonly ReportRequest[];
  readonly #context: ReportContext;
  #printed = '';
  #resume: string | undefined;

  constructor(requests: readonly ReportRequest[], context: ReportContext) {
    this.#requests = requests;
    this.#context = context;
  }

  /** Reports whether a document is written to stdout. */
  static claimStdout(requests: readonly ReportRequest[]): boolean {
    return requests.some(({ path }) => path === STDOUT);
  }

  /**
   * Disables workflow commands between {@link begin} and {@link write}. On GitHub, a line of a log can be a command: text from
   * a controller or an object must never be one.
   */
  begin(): void {
    if (!this.#requests.some(toGithub)) return;
    const token = drawSecretKey().toString('hex');
    this.#resume = `::${token}::\n`;
    this.#context.print(`::stop-commands::${token}\n`);
  }

  /** Prints a text, and records it for `text=PATH`. */
  readonly print = (text: string): void => {
    this.#context.print(text);
    this.#printed += text;
  };

  /** Enables workflow commands again; harmless if called twice. */
  end(): void {
    if (this.#resume !== undefined) this.#context.print(this.#resume);
    this.#resume = undefined;
  }

  /** Writes all requested formats, and prints their paths. */
  write(run: RunDocument): void {
    this.end();
    this.#guard(() => this.#page(run));
    for (const { format, path } of this.#requests) this.#guard(() => this.#one(run, format, path));
  }

  /** Writes the page, which is always written. */
  #page(run: RunDocument): void {
    const { console, reportDir } = this.#context;
    const file = join(reportDir, PAGE);
    writeWhole(
      file,
      runPage(run, (path) => linkFrom(reportDir, resolve(console.cwd, path))),
    );
    this.print(`report: ${relative(console.cwd, file)}\n`);
  }

  #one(run: RunDocument, format: string, path: string | undefined): void {
    const { console, reportDir, print } = this.#context;
    const known = FORMATS[format];
    const file = path ?? (known?.file === undefined ? undefined : join(reportDir, known.file));
    // Text has already been printed to the terminal.
    if (known === undefined && (file === undefined || file === STDOUT)) return;
    const text = known === undefined ? stripVTControlCharacters(this.#printed) : known.render(run);
    if (format === 'markdown') this.#stepSummary(text);
    if (file === STDOUT) console.out(text);
    else if (file === undefined) print(text);
    else {
      const place = resolve(console.cwd, file);
      writeWhole(place, text);
      print(`${format}: ${relative(console.cwd, place)}\n`);
    }
  }

  /** Appends to the file that GitHub shows on the page of the job; other steps may have written to it. */
  #stepSummary(text: string): void {
    const file = this.#context.env['GITHUB_STEP_SUMMARY'] ?? '';
    if (file === '') return;
    try {
      appendFileSync(file, text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.failures.push(`could not write the job summary to GITHUB_STEP_SUMMARY: ${reason}`);
    }
  }

  #guard(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      this.failures.push(error.message);
    }
  }
}

/** Returns the link from a page in a folder to a file. */
export function linkFrom(folder: string, file: string): string {
  return relative(folder, file).split(sep).map(encodeURIComponent).join('/');
}

function toGithub({ format, path }: ReportRequest): boolean {
  return format === 'github' && (path === undefined || path === STDOUT);
}

/**
 * Returns the path of a file for annotations: relative to the root of the repository if GitHub provides it, else to the working
 * directory.
 */
export function annotated(file: string, cwd: string, env: ReportContext['env']): string {
  const root = env['GITHUB_WORKSPACE'] ?? '';
  const inRoot = root === '' ? '..' : relative(resolve(root), file);
  const shown = inRoot.startsWith('..') ? relative(cwd, file) : inRoot;
  return shown.replaceAll('\\', '/');
}
