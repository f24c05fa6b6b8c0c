/** The results of searches for known bugs: stored next to the pairs, and shown in docs/track-record.md. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeWhole } from '../../harness/report/write-files.ts';
import { markdownTable, withTable } from '../page-tables.ts';
import { PAIRS_FOLDER, type Pair } from './pairs.ts';

/** One search of the release with the bug. */
export interface Search {
  readonly seed: number;
  readonly found: boolean;
  /** Time until the finding was shrunk and reproduced, or until the search ended. */
  readonly seconds: number;
  readonly runs: number;
  /** The load average of the last minute at the end. */
  readonly load: number;
  readonly property?: string;
  readonly sentence?: string;
  /** Preemptions, holds and faults of the shrunk schedule. */
  readonly deviations?: number;
  readonly steps?: number;
  readonly reproduced?: Share;
  /** Other findings that were reported before it. */
  readonly others: readonly string[];
  /** Outcome and reasons, if it was not found. */
  readonly ended?: string;
}

/** k of n. */
export interface Share {
  readonly k: number;
  readonly n: number;
}

/** The search of the release without the bug. */
export interface Without {
  readonly runs: number;
  readonly seconds: number;
  readonly accused: boolean;
  readonly others: readonly string[];
}

export interface Result {
  readonly name: string;
  readonly measured: string;
  readonly searches: readonly Search[];
  readonly replays?: Share;
  readonly confirmed?: Share;
  readonly without?: Without;
}

const RESULTS = join(PAIRS_FOLDER, 'results.json');
const PAGE = fileURLToPath(new URL('../../docs/track-record.md', import.meta.url));
/** A bug counts as found if at least this many seeds find it. */
const SEEDS_MIN = 3;

export function readResults(): readonly Result[] {
  return existsSync(RESULTS)
    ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as { readonly results: readonly Result[] }).results
    : [];
}

/** Adds measurements to the result of a pair; a search replaces the one with the same seed. */
export function keepResult(name: string, part: Partial<Omit<Result, 'name' | 'measured'>>, measured: string): void {
  const results = readResults();
  const before = results.find((result) => result.name === name) ?? { name, searches: [] };
  const again = part.searches ?? [];
  const kept = before.searches.filter(({ seed }) => !again.some((search) => search.seed === seed));
  const searches = [...kept, ...again].toSorted((a, b) => a.seed - b.seed);
  const all = [...results.filter((result) => result.name !== name), { ...before, ...part, searches, measured }];
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  writeWhole(RESULTS, `${JSON.stringify({ version: 1, results: sorted }, undefined, 2)}\n`);
}

/** Writes the table of all pairs into the page, between its markers. */
export function writePage(pairs: readonly Pair[]): void {
  writeWhole(PAGE, withTable(readFileSync(PAGE, 'utf8'), 'known-bugs', tableText(pairs, readResults())));
}

const COLUMNS = [
  'bug',
  'family',
  'releases',
  'found as',
  'seeds',
  'time',
  'runs',
  'size',
  'replays',
  'on envtest',
  'without the bug',
  'not found because',
];

export function tableText(pairs: readonly Pair[], results: readonly Result[]): string {
  const rows = pairs.map((pair) =>
    cellsOf(
      pair,
      results.find(({ name }) => name === pair.name),
    ),
  );
  const found = pairs.filter(({ name }) => isFound(results.find((result) => result.name === name))).length;
  const languages = new Set(pairs.map(({ language }) => language)).size;
  const families = new Set(pairs.map(({ family }) => family)).size;
  const loads = results.flatMap(({ searches }) => searches.map(({ load }) => load));
  const days = [...new Set(results.map(({ measured }) => measured))].toSorted();
  const when =
    loads.length === 0
      ? ''
      : ` Measured ${days.join(', ')} at a load of ${Math.min(...loads)} to ${Math.max(...loads)}.`;
  return [
    `${pairs.length} pairs in ${languages} languages and ${families} families; found with at least ${SEEDS_MIN} seeds: ${found}.${when}`,
    '',
    markdownTable(COLUMNS, rows),
    '',
  ].join('\n');
}

function isFound(result: Result | undefined): boolean {
  return (result?.searches.filter(({ found }) => found).length ?? 0) >= SEEDS_MIN;
}

function cellsOf(pair: Pair, result: Result | undefined): readonly string[] {
  const { project, language, family, issue, what, withBug, withoutBug, fix, notFound = '' } = pair;
  const searches = result?.searches ?? [];
  const hits = searches.filter(({ found }) => found);
  const properties = [...new Set(hits.map(({ property }) => property))].map((name) => `\`${name ?? ''}\``);
  const { without, replays, confirmed } = result ?? {};
  return [
    `${project} (${language}): [${what}](${issue})`,
    family,
    `${withBug} → [${withoutBug}](${fix})`,
    properties.join(', '),
    searches.length === 0 ? 'not tried' : `${hits.length} of ${searches.length}`,
    hits.length === 0
      ? ''
      : rangeOf(
          hits.map(({ seconds }) => seconds),
          ' s',
        ),
    hits.length === 0
      ? ''
      : rangeOf(
          hits.map(({ runs }) => runs),
          '',
        ),
    hits.length === 0
      ? ''
      : rangeOf(
          hits.map(({ deviations = 0 }) => deviations),
          '',
        ),
    shareText(replays),
    shareText(confirmed),
    without === undefined ? '' : `${without.accused ? 'reported too' : 'silent'} in ${without.runs} runs`,
    notFound,
  ];
}

/** Returns the median and the range. */
function rangeOf(numbers: readonly number[], unit: string): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
  return least === most ? `${median}${unit}` : `${median}${unit} (${least}–${most})`;
}

function shareText(share: Share | undefined): string {
  return share === undefined ? '' : `${share.k} of ${share.n}`;
}
