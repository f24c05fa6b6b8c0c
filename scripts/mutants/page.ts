/** Writes the table of `docs/search-benchmark.md` from the recorded results. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeWhole } from '../../harness/report/write-files.ts';
import { median, shown } from '../soak-self/statistics.ts';
import { markdownTable, withTable } from '../page-tables.ts';
import { equivalents } from './equivalents.ts';
import { allMutants, type Mutant } from './generate.ts';
import { wilson } from './intervals.ts';
import { IDIOMS } from './operators/idioms.ts';
import { digestOf, type MutantResult, type Results } from './results.ts';

const FILE = fileURLToPath(new URL('../../docs/search-benchmark.md', import.meta.url));

interface Row {
  readonly mutant: Mutant;
  readonly result: MutantResult;
}

/** Writes the table into the page. */
export function writePage(results: Results): void {
  writeWhole(FILE, pageWith(readFileSync(FILE, 'utf8'), results));
}

/** Returns the page with the table of these results. */
export function pageWith(page: string, results: Results): string {
  return withTable(page, 'mutants', tables(results));
}

function tables(results: Results): string {
  const byId = new Map(results.mutants.map((result) => [result.id, result]));
  const rows = allMutants().flatMap((mutant): Row[] => {
    const result = byId.get(mutant.id);
    return result?.kill === undefined || result.digest !== digestOf(mutant) ? [] : [{ mutant, result }];
  });
  const counting = rows.filter(({ mutant }) => !equivalents.has(mutant.id));
  const kills = counting.flatMap(({ result }) => result.kill ?? []);
  const shares = (title: string, names: readonly string[]): string =>
    markdownTable(
      [title, 'kills', 'share'],
      [...Map.groupBy(names, (name) => name)]
        .toSorted(([, a], [, b]) => b.length - a.length)
        .map(([name, of]) => [name, String(of.length), share(of.length, kills.length)]),
    );
  return [
    `Measured ${results.measured}: ${rows.length} mutants that do what their original does as long as they are undisturbed, ${rows.length - counting.length} of them equivalent and left out below.`,
    rates('controller', counting, ({ source }) => `${source.controller}${source.isHeldOut ? ' (held out)' : ''}`, true),
    rates('language', counting, ({ source }) => source.language),
    rates('the mutant …', counting, ({ operator }) => `\`${operator}\` ${IDIOMS[operator]}`),
    shares(
      'property that killed',
      kills.map(({ property }) => `\`${property}\``),
    ),
    shares(
      'strategy of the run',
      kills.map(({ strategy }) => (strategy === null ? 'one deviation' : `\`${strategy}\``)),
    ),
  ].join('\n\n');
}

function rates(title: string, rows: readonly Row[], nameOf: (mutant: Mutant) => string, withAll = false): string {
  const groups = [...Map.groupBy(rows, ({ mutant }) => nameOf(mutant))].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (withAll) groups.push(['all', [...rows]]);
  return markdownTable(
    [title, 'killed', 'share', 'median time', 'median runs'],
    groups.map(([name, of]) => {
      const kills = of.flatMap(({ result }) => result.kill ?? []);
      return [
        name,
        `${kills.length} of ${of.length}`,
        share(kills.length, of.length),
        `${shown(median(kills.map(({ ms }) => ms)) / 1000)} s`,
        shown(median(kills.map(({ runs }) => runs)), 0),
      ];
    }),
  );
}

function share(hits: number, of: number): string {
  const { low, high } = wilson(hits, of);
  const percent = (value: number): string => (100 * value).toFixed(0);
  return `${percent(hits / Math.max(of, 1))} % (${percent(low)}–${percent(high)})`;
}
