/**
 * The report pages that are checked: one for each typical kind of finding, and one of a run. Generated reproducibly.
 *
 * Owns: which pages, and where they are written. Does not own: what is checked in them (`check-report.ts`, `screenshots.ts`).
 */
import { join } from 'node:path';
import { findingPage } from '../../harness/report/html/index.ts';
import { runPage } from '../../harness/report/html/run/run-page.ts';
import { redactFinding } from '../../harness/report/redaction/index.ts';
import type { Scenario } from '../../harness/report/run/document.ts';
import { makeRun } from '../../harness/report/run/make-document.ts';
import { green, withFinding } from '../../harness/report/run/test-run.ts';
import type { StoryInput } from '../../harness/report/story.ts';
import { writeWhole } from '../../harness/report/write-files.ts';
import { example, found, ofProcess } from './findings.ts';

export interface FindingPage {
  readonly name: string;
  readonly make: () => StoryInput | Promise<StoryInput>;
}

const search = (name: string, controller: string, seed: number, property?: string): FindingPage => ({
  name,
  make: () => found(controller, seed, property),
});

export const LOST_UPDATE: FindingPage = { name: 'lost-update', make: example };
export const FOUND: readonly FindingPage[] = [
  search('too-many-children', 'worker-pools/duplicates-on-stale-list', 13),
  search('unbounded-rate', 'releases/retries-forever', 11),
  search('not-converged', 'releases/ignores-conflict', 11),
  search('foreign-finalizer', 'buckets/removes-foreign-finalizers', 11),
];
/** For screenshots only: the checks would learn nothing new from them. */
export const MORE: readonly FindingPage[] = [
  search('not-survived', 'buckets/floats-promises', 11, 'survival'),
  search('broken-deletion', 'buckets/gives-up-cleaning', 11, 'deletion-completes'),
  { name: 'of-a-process', make: ofProcess },
];

/** Writes the page of a finding; returns its file and size in bytes. */
export function writeFinding(
  folder: string,
  name: string,
  told: StoryInput,
): { readonly file: string; readonly bytes: number } {
  const stem = join('.stalemate', 'failures', `${name}.json`);
  const text = findingPage(redactFinding(told), { counterexample: stem, record: stem.replace('failures', 'records') });
  const file = join(folder, `${name}.html`);
  writeWhole(file, text);
  return { file, bytes: text.length };
}

export function writeRun(folder: string, name: string, scenarios: readonly Scenario[] = usualRun()): string {
  const file = join(folder, `${name}.html`);
  const run = makeRun(scenarios, { stalemate: '0.1.0', node: '24.0.0' });
  writeWhole(
    file,
    runPage(run, (path) => path),
  );
  return file;
}

function usualRun(): readonly Scenario[] {
  return [...withFinding(example()).scenarios, ...green().scenarios];
}
