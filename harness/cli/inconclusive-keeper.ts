/**
 * Writes inconclusive runs of a campaign for inspection: one for each reason, `DIR/recordings/inconclusive-NAME.json` with a
 * page in `DIR/reports`. Expects redacted runs.
 */
import { join, relative } from 'node:path';
import { reasonText, type CampaignResult } from '../model/finding.ts';
import type { UnjudgedRun } from '../model/recording.ts';
import { recordingPage } from '../report/html/recording-page.ts';
import { shortHash } from '../report/title.ts';
import { writeWhole } from '../report/write-files.ts';
import { encodeRecording } from '../schedule/codec/recording.ts';

/** Maximum length of a recording, in characters; a run that never comes to rest may have any number of steps. */
const TEXT_MAX = 20_000_000;

export class InconclusiveKeeper {
  /** Paths of the runs, by reason, relative to the working directory. */
  readonly files: { [reason: string]: string } = {};
  readonly #pages = new Map<string, string>();
  readonly #reportDir: string;
  readonly #cwd: string;
  readonly #note: (error: unknown) => void;

  /** @param note - Receives errors. An error only affects the run that could not be written. */
  constructor(reportDir: string, cwd: string, note: (error: unknown) => void) {
    this.#reportDir = reportDir;
    this.#cwd = cwd;
    this.#note = note;
  }

  keep(make: () => UnjudgedRun): void {
    try {
      const recording = make();
      const reason = reasonText(recording.inconclusive);
      const text = encodeRecording(recording);
      if (text.length > TEXT_MAX) return;
      const stem = `inconclusive-${shortHash(reason)}`;
      this.files[reason] = this.#write(join('recordings', `${stem}.json`), text);
      const page = recordingPage(recording, [ownResult(recording)], this.files[reason]);
      this.#pages.set(reason, this.#write(join('reports', `${stem}.html`), page));
    } catch (error) {
      this.#note(error);
    }
  }

  /** Returns the path of the page for a reason, relative to the working directory. */
  pageOf(reason: string): string | undefined {
    return this.#pages.get(reason);
  }

  /** Adds the paths of the runs to the result. */
  filed<T extends Pick<CampaignResult, 'inconclusive'>>(result: T): T {
    if (Object.keys(this.files).length === 0) return result;
    return { ...result, inconclusive: { ...result.inconclusive, files: this.files } };
  }

  /** @throws {OUTPUT_FAILED} */
  #write(name: string, text: string): string {
    const file = join(this.#reportDir, name);
    writeWhole(file, text);
    return relative(this.#cwd, file);
  }
}

/** Returns the result of the property that made the run inconclusive; a later recheck evaluates the other properties. */
function ownResult({ inconclusive: { property, reason } }: UnjudgedRun): Parameters<typeof recordingPage>[1][number] {
  return { property, result: { result: 'inconclusive', reason }, exercised: true };
}
