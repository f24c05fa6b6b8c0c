/** Writes and shows findings as they come. A write that fails costs the file, never the story. */
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
  /** Messages of the writes that failed. */
  readonly failures: string[] = [];
  /** The first fault of the harness itself; the campaign goes on and ends with it. */
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

  /** Does something with what was found, and returns whether it succeeded; a fault in that waits until the campaign has ended. */
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

  /** Writes and shows a finding, without its secrets. Returns whether its counterexample is on disk. */
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

  /** Writes the files of a finding that was reported before; what is given holds no secret. */
  restore(finding: Finding): void {
    if (this.#write(finding) !== undefined) this.#writePage(finding);
  }

  /** Writes those findings again of which more is known now than when they were reported: in which ways they show. */
  completed({ findings }: Pick<CampaignResult, 'findings'>): void {
    for (const finding of findings)
      if ((finding.stats.symptoms ?? []).length > 1) this.guard(() => this.restore(finding));
  }

  /** Writes a finding again that a real server was asked about; it was reported before. */
  confirmed(found: Finding): void {
    this.guard(() => this.restore(redactFinding(found, this.#vault)));
  }

  /** A fault of the story must not cost the finding either: its sentence is always there. */
  #story(finding: Finding, options: TerminalOptions): string {
    const story = this.#guarded(() => renderStory(tellStory(finding), options));
    return story ?? `${finding.violation.sentence}\nreplay: ${options.replay}\n`;
  }

  /** What a summary may be made of; a finding whose secrets cannot be taken out costs the others nothing. */
  withoutSecrets(result: CampaignResult): CampaignResult {
    const redacted = (finding: Finding): Finding => redactFinding(finding, this.#vault);
    return { ...result, findings: result.findings.flatMap((one) => this.#guarded(() => redacted(one)) ?? []) };
  }

  /** Where a finding's counterexample was written, relative to the working directory. */
  pathOf(finding: Finding): string | undefined {
    return this.pathsOf(finding).counterexample ?? undefined;
  }

  /** Where all its files are, relative to the working directory. */
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

  /** A page that cannot be made or written costs nothing else. */
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

  /** What goes wrong with one file costs nothing else. */
  readonly note = (error: unknown): void => {
    if (error instanceof HarnessError) this.failures.push(error.message);
    else this.fault ??= error;
  };

  #write(finding: Finding): string | undefined {
    const stem = fileStem(finding.violation);
    try {
      const counterexample = writeCounterexample(this.#reportDir, finding, encodeCounterexample);
      this.#paths.set(stem, { counterexample });
      // It is much larger, and replay does without it.
      this.#paths.set(stem, { counterexample, record: writeRecord(this.#reportDir, finding, encodeRecord) });
    } catch (error) {
      this.note(error);
    }
    return this.pathOf(finding);
  }

  /** Where the report folder takes nothing more: the counterexample in the system's folder for temporary files, which is often another disk. */
  #writeElsewhere({ violation, counterexample }: Finding): string | undefined {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(tmpdir(), 'stalemate-findings-'));
      const path = join(folder, `${fileStem(violation)}.json`);
      writeWhole(path, encodeCounterexample(counterexample));
      return path;
    } catch {
      // What is wrong with the report folder is noted already.
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
  }
}
