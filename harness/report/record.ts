/**
 * What is written for a finding, and where: a counterexample to replay and a record to judge again, under one stem.
 *
 * Owns: names and folders. Does not own: the formats (`schedule/codec`), which whoever writes brings along.
 */
import { join } from 'node:path';
import type { Counterexample } from '../model/counterexample.ts';
import type { FindingRecord } from '../model/finding.ts';
import type { Told } from './story.ts';
import { fileStem } from './title.ts';
import { writeWhole } from './write-files.ts';

/** How the two documents become text. */
export interface Encoders {
  counterexample(counterexample: Counterexample): string;
  record(record: FindingRecord): string;
}

export interface FindingFiles {
  /** Path of the counterexample. */
  readonly counterexample: string;
  /** Path of the record: counterexample and history. */
  readonly record: string;
}

/** Where a finding goes below a report folder. The same signature has the same name, so a later, smaller example replaces it. */
export function findingFiles(reportDir: string, finding: Told): FindingFiles {
  const stem = fileStem(finding.violation.signature);
  return {
    counterexample: join(reportDir, 'failures', `${stem}.json`),
    record: join(reportDir, 'records', `${stem}.json`),
  };
}

/**
 * Writes a finding: the counterexample first, for it is the one that cannot be had again.
 *
 * @throws {OUTPUT_FAILED}
 */
export function writeFinding(reportDir: string, finding: Told, encoders: Encoders): FindingFiles {
  const files = findingFiles(reportDir, finding);
  writeWhole(files.counterexample, encoders.counterexample(finding.counterexample));
  const { counterexample, record: history } = finding;
  writeWhole(files.record, encoders.record({ version: 1, kind: 'record', counterexample, history }));
  return files;
}
