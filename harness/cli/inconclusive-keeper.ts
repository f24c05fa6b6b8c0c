/**
 * Keeps the runs that a campaign cannot judge, to be looked at: for each reason one, `DIR/recordings/inconclusive-NAME.json` with a page
 * in `DIR/reports`. What comes in has no secrets any more.
 */
import { join, relative } from 'node:path';
import { reasonText, type CampaignResult } from '../model/finding.ts';
import type { UnjudgedRun } from '../model/recording.ts';
import { recordingPage } from '../report/html/recording-page.ts';
import { shortHash } from '../report/title.ts';
import { writeWhole } from '../report/write-files.ts';
import { encodeRecording } from '../schedule/codec/recording.ts';

/** Characters; a run that never comes to rest may have any number of steps. */
const TEXT_MAX = 20_000_000;

export class InconclusiveKeeper {
  /** Where the runs are, by reason, relative to the working directory. */
  readonly files: { [reason: string]: string } = {};
  readonly #pages = new Map<string, string>();
  readonly #reportDir: string;
  readonly #cwd: string;
  readonly #note: (error: unknown) => void;

  /** @param note - Takes what goes wrong, which costs nothing but the run that is kept. */
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
      const page = recordingPage(recording, [itsOpinion(recording)], this.files[reason]);
      this.#pages.set(reason, this.#write(join('reports', `${stem}.html`), page));
    } catch (error) {
      this.#note(error);
    }
  }

  /** Where the page of a reason's run is, relative to the working directory. */
  pageOf(reason: string): string | undefined {
    return this.#pages.get(reason);
  }

  /** A result that says where its runs are. */
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

/** The verdicts of the others are left to a later recheck. */
function itsOpinion({ inconclusive: { property, reason } }: UnjudgedRun): Parameters<typeof recordingPage>[1][number] {
  return { property, result: { result: 'inconclusive', reason }, exercised: true };
}
