/** Writes and prints findings as they are found. A failed write loses the file, but never the story. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { HarnessError } from '../model/errors.ts';
import type { CampaignResult, Finding } from '../model/finding.ts';
import { writeCounterexample, writePage, writeRecord, type FindingFiles } from '../report/record.ts';
import { redactFinding } from '../report/redaction/index.ts';
import { Vault } from '../report/redaction/vault.ts';
import type { FindingPaths } from '../report/run/make-document.ts';
import { tellStory } from '../report/story.ts';
import { renderStory, type TerminalOptions } from '../report/terminal.ts';
import { fileStem } from '../report/title.ts';
import { writeWhole } from '../report/write-files.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { encodeRecord } from '../schedule/codec/record.ts';
import type { Console } from './console.ts';

export class FindingKeeper {
  /** Messages of failed writes. */
  readonly failures: string[] = [];
  /** The first fault of the harness itself: the campaign continues, and reports the fault at its end. */
  fault: unknown;
  readonly #paths = new Map<string, Pick<FindingFiles, 'counterexample'> & Partial<FindingFiles>>();
  readonly #pages = new Map<string, string>();
  readonly #reportDir: string;
  readonly #console: Console;
  readonly #print: (text: string) => void;

  readonly #vault: Vault;

  constructor(reportDir: string, console: Console, print: (text: string) => void, vault: Vault = new Vault()) {
    this.#vault = vault;
    this.#reportDir = reportDir;
    this.#console = console;
    this.#print = print;
  }

  /** Runs an action on a finding, and returns whether it succeeded; a fault is reported after the campaign has ended. */
  guard(act: () => void): boolean {
    const isDone = this.#guarded(() => {
      act();
      return true;
    });
    return isDone === true;
  }

  #guarded<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.fault ??= error;
      return undefined;
    }
  }

  /** Redacts, writes and prints a finding. Returns whether its counterexample is on disk. */
  keep(found: Finding): boolean {
    const finding = this.#guarded(() => redactFinding(found, this.#vault));
    if (finding === undefined) return false;
    const written = this.#write(finding);
    const path = written ?? this.#writeElsewhere(finding);
    const { color, width, called } = this.#console;
    const replay =
      path === undefined ? 'not possible, the counterexample could not be written' : `${called} replay ${path}`;
    const page = written === undefined ? undefined : this.#writePage(finding);
    const report = page === undefined ? '' : ` report: ${page}\n`;
    this.#print(`\n${this.#story(finding, { color, width, replay })}${report}\n`);
    return path !== undefined;
  }

  /** Writes the files of a finding that was reported before and is redacted already. */
  restore(finding: Finding): void {
    if (this.#write(finding) !== undefined) this.#writePage(finding);
  }

  /** Rewrites findings whose symptoms are only known at the end of the campaign. */
  completed({ findings }: Pick<CampaignResult, 'findings'>): void {
    for (const finding of findings)
      if ((finding.stats.symptoms ?? []).length > 1) this.guard(() => this.restore(finding));
  }

  /** Rewrites the files of a finding that was reported before, with its result on a real server. */
  confirmed(found: Finding): void {
    this.guard(() => this.restore(redactFinding(found, this.#vault)));
  }

  /** Returns the story of a finding, or just its sentence if rendering the story fails. */
  #story(finding: Finding, options: TerminalOptions): string {
    const story = this.#guarded(() => renderStory(tellStory(finding), options));
    return story ?? `${finding.violation.sentence}\nreplay: ${options.replay}\n`;
  }

  /** Redacts the result for a summary; a finding that cannot be redacted is omitted. */
  withoutSecrets(result: CampaignResult): CampaignResult {
    const redacted = (finding: Finding): Finding => redactFinding(finding, this.#vault);
    return { ...result, findings: result.findings.flatMap((one) => this.#guarded(() => redacted(one)) ?? []) };
  }

  /** Returns the path of a finding's counterexample, relative to the working directory. */
  pathOf(finding: Finding): string | undefined {
    return this.pathsOf(finding).counterexample ?? undefined;
  }

  /** Returns the paths of all files of a finding, relative to the working directory. */
  pathsOf({ violation }: Finding): FindingPaths {
    const stem = fileStem(violation);
    const files = this.#paths.get(stem);
    const { cwd } = this.#console;
    return {
      counterexample: files === undefined ? null : relative(cwd, files.counterexample),
      record: files?.record === undefined ? null : relative(cwd, files.record),
      page: this.#pages.get(stem) ?? null,
    };
  }

  /** Writes a page; if that fails, the failure is only noted. */
  #writePage(finding: Finding): string | undefined {
    try {
      const page = relative(this.#console.cwd, writePage(this.#reportDir, finding, this.#console.cwd));
      this.#pages.set(fileStem(finding.violation), page);
      return page;
    } catch (error) {
      this.note(error);
      return undefined;
    }
  }

  /** Records an error about one file, and continues. */
  readonly note = (error: unknown): void => {
    if (error instanceof HarnessError) this.failures.push(error.message);
    else this.fault ??= error;
  };

  #write(finding: Finding): string | undefined {
    const stem = fileStem(finding.violation);
    try {
      const counterexample = writeCounterexample(this.#reportDir, finding, encodeCounterexample);
      this.#paths.set(stem, { counterexample });
      // The record is much larger, and a replay does not need it.
      this.#paths.set(stem, { counterexample, record: writeRecord(this.#reportDir, finding, encodeRecord) });
    } catch (error) {
      this.note(error);
    }
    return this.pathOf(finding);
  }

  /**
   * If the report folder is not writable, writes the counterexample to the system's folder for temporary files, which is often on another
   * disk.
   */
  #writeElsewhere({ violation, counterexample }: Finding): string | undefined {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(tmpdir(), 'stalemate-findings-'));
      const path = join(folder, `${fileStem(violation)}.json`);
      writeWhole(path, encodeCounterexample(counterexample));
      return path;
    } catch {
      // The error of the report folder has been noted already.
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
  }
}
