/**
 * Writes the files of a finding under a common stem: a counterexample to replay, a record to check again and a page to read.
 *
 * Owns: names and folders. Does not own: the formats (`schedule/codec`), which the caller passes.
 */
import { join, relative } from 'node:path';
import type { Counterexample } from '../model/counterexample.ts';
import type { FindingRecord, InconclusiveRun } from '../model/finding.ts';
import type { UnjudgedRun } from '../model/recording.ts';
import { findingPage } from './html/index.ts';
import type { StoryInput } from './story.ts';
import { fileStem } from './title.ts';
import { writeWhole } from './write-files.ts';
import { given } from '../model/given.ts';

/** Encodes both documents as text. */
export interface Encoders {
  counterexample(counterexample: Counterexample): string;
  record(record: FindingRecord): string;
}

export interface FindingFiles {
  /** Path of the counterexample. */
  readonly counterexample: string;
  /** Path of the record: counterexample and history. */
  readonly record: string;
  /** Path of the page for people. */
  readonly page: string;
}

/**
 * Returns the paths of a finding's files below a report folder. Findings of one bug share their names, so a later example
 * replaces an earlier one.
 */
export function findingFiles(reportDir: string, finding: StoryInput): FindingFiles {
  const stem = fileStem(finding.violation);
  return {
    counterexample: join(reportDir, 'failures', `${stem}.json`),
    record: join(reportDir, 'records', `${stem}.json`),
    page: join(reportDir, 'reports', `${stem}.html`),
  };
}

/**
 * Writes a finding: the counterexample first, because it cannot be recomputed.
 *
 * @throws {OUTPUT_FAILED}
 */
export function writeFinding(reportDir: string, finding: StoryInput, encoders: Encoders): FindingFiles {
  writeCounterexample(reportDir, finding, (counterexample) => encoders.counterexample(counterexample));
  writeRecord(reportDir, finding, (record) => encoders.record(record));
  return findingFiles(reportDir, finding);
}

/**
 * Writes the counterexample of a finding, and returns its path.
 *
 * @throws {OUTPUT_FAILED}
 */
export function writeCounterexample(
  reportDir: string,
  finding: StoryInput,
  encode: Encoders['counterexample'],
): string {
  const path = findingFiles(reportDir, finding).counterexample;
  writeWhole(path, encode(finding.counterexample));
  return path;
}

/**
 * Writes the record of a finding, and returns its path.
 *
 * @throws {OUTPUT_FAILED}
 */
export function writeRecord(reportDir: string, finding: StoryInput, encode: Encoders['record']): string {
  const path = findingFiles(reportDir, finding).record;
  writeWhole(path, encode(recordOf(finding)));
  return path;
}

/**
 * Writes the page of a finding beside its other files, and returns its path; commands on it name files relative to `cwd`.
 *
 * @throws {OUTPUT_FAILED}
 */
export function writePage(reportDir: string, finding: StoryInput, cwd: string): string {
  const { page, counterexample, record } = findingFiles(reportDir, finding);
  const places = { counterexample: relative(cwd, counterexample), record: relative(cwd, record) };
  writeWhole(page, findingPage(finding, places));
  return page;
}

/** Converts a finding to the document that `recheck` and `report` read. */
export function recordOf({ violation, stats, neighbour, counterexample, record: history }: StoryInput): FindingRecord {
  return {
    version: 3,
    kind: 'record',
    violation,
    ...given({ stats, neighbour }),
    counterexample,
    history,
  };
}

/** Converts an inconclusive run to the document that `recheck` and `report` read. */
export function recordingOf({ property, reason, schedule, history }: InconclusiveRun): UnjudgedRun {
  const actors: { [actor: string]: string } = {};
  for (const { actor, userAgent } of history.operations) actors[actor] ??= userAgent ?? '';
  return {
    version: 2,
    kind: 'recording',
    source: 'run',
    inconclusive: { property, reason },
    actors,
    notes: [],
    schedule,
    history,
  };
}
