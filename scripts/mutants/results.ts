/** The recorded results of mutants: which mutants count, and how each of them was killed. Stored in `results.json`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeWhole } from '../../harness/report/write-files.ts';
import { type Mutant, ROOT } from './generate.ts';
import type { Kill } from './jobs.ts';

const FILE = fileURLToPath(new URL('results.json', import.meta.url));

/** The result of one mutant. */
export interface MutantResult {
  readonly id: string;
  /** The digest of the mutant's sources; if it differs, the result is out of date. */
  readonly digest: string;
  /** Why the mutant does not count: it fails undisturbed, or does not compile. */
  readonly left?: string;
  /** How the mutant was killed; `null` if the budget ended first; absent if the mutant was never searched. */
  readonly kill?: Kill | null;
  /** The number of runs of a search that found nothing. */
  readonly runs?: number;
}

export interface Results {
  readonly version: 1;
  /** The date of the measurement. */
  readonly measured: string;
  readonly mutants: readonly MutantResult[];
}

export function readResults(): Results {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Results;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return { version: 1, measured: '', mutants: [] };
  }
}

/** Writes one mutant per line, so that a change of one result is a change of one line. */
export function writeResults({ version, measured, mutants }: Results): void {
  const lines = mutants
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((mutant) => `    ${JSON.stringify(mutant)}`)
    .join(',\n');
  writeWhole(
    FILE,
    `{\n  "version": ${version},\n  "measured": ${JSON.stringify(measured)},\n  "mutants": [\n${lines}\n  ]\n}\n`,
  );
}

/** Returns a digest of the mutated file and the other files of its controller. */
export function digestOf({ source, file, text }: Mutant): string {
  const hash = createHash('sha256');
  for (const name of source.files) hash.update(name === file ? text : readFileSync(ROOT + name, 'utf8'));
  return hash.digest('hex').slice(0, 12);
}
