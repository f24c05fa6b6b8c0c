/**
 * Keeps a violation on disk while it is shrunk and reproduced, so that it is not lost however the process ends.
 *
 * Owns: `DIR/unproved/NAME.json`, which is deleted once the violation has become a finding or has turned out not to be one.
 */
import { rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { SeenViolation } from '../execution/api.ts';
import { HarnessError } from '../model/errors.ts';
import { redactFinding } from '../report/redaction/index.ts';
import type { Vault } from '../report/redaction/vault.ts';
import { fileStem } from '../report/title.ts';
import { writeWhole } from '../report/write-files.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import type { Console } from './console.ts';

export class UnprovedKeeper {
  readonly #reportDir: string;
  readonly #console: Pick<Console, 'cwd' | 'err' | 'called'>;
  readonly #vault: Vault;
  readonly #printAtExit: () => void;
  /** The violation of the last path is in progress; those of the earlier paths were given up for lack of time. */
  #paths: readonly string[] = [];

  constructor(reportDir: string, console: Pick<Console, 'cwd' | 'err' | 'called'>, vault: Vault) {
    this.#reportDir = reportDir;
    this.#console = console;
    this.#vault = vault;
    // Also runs if a second Ctrl-C ends the process at once.
    this.#printAtExit = () => this.close();
    process.once('exit', this.#printAtExit);
  }

  /** Writes a violation without its secrets. A folder that is not writable does not affect the search. */
  seen(violation: SeenViolation): void {
    try {
      const redacted = redactFinding(violation, this.#vault);
      const path = join(this.#reportDir, 'unproved', `${fileStem(redacted.violation)}.json`);
      writeWhole(path, encodeCounterexample(redacted.counterexample));
      this.#paths = [...this.#paths.filter((other) => other !== path), path];
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
    }
  }

  /** Deletes the last violation, which has become a finding with files of its own, or has turned out not to be one. */
  settled(): void {
    const path = this.#paths.at(-1);
    this.#paths = this.#paths.slice(0, -1);
    if (path === undefined) return;
    rmSync(path, { force: true });
    try {
      rmdirSync(dirname(path));
    } catch {
      // The folder still contains violations that were given up, in this or another run.
    }
  }

  /** Prints the remaining violations, once. */
  close(): void {
    process.off('exit', this.#printAtExit);
    const { cwd, err, called } = this.#console;
    for (const path of this.#paths) {
      const file = relative(cwd, path);
      err(`seen, and not proved: ${file}; "${called} replay ${file} --shrink" shrinks and proves it\n`);
    }
    this.#paths = [];
  }
}
