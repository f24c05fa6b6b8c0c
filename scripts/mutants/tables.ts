/** The tables of the benchmark: kill rates with confidence intervals, times, and kills by property. */
import { median, shown } from '../soak-self/statistics.ts';
import type { Mutant } from './generate.ts';
import { wilson } from './intervals.ts';
import type { Kill } from './jobs.ts';

/** One search of one mutant. */
export interface Measured {
  readonly mutant: Pick<Mutant, 'id' | 'operator' | 'source'>;
  readonly kill: Kill | null;
  /** True for an equivalent mutant, which is not included in any rate. */
  readonly isEquivalent: boolean;
}

interface Group {
  readonly name: string;
  readonly of: readonly Measured[];
}

function grouped(measured: readonly Measured[], nameOf: (one: Measured) => string): readonly Group[] {
  const groups = Map.groupBy(measured, nameOf);
  return [...groups].map(([name, of]) => ({ name, of })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const percent = (share: number): string => (100 * share).toFixed(0);

/** Returns a rate, for example `41/43 95 % (85–99)`. */
function rate(killed: number, of: number): string {
  const { low, high } = wilson(killed, of);
  return (
    `${killed}/${of}`.padStart(8) +
    `${percent(killed / Math.max(of, 1))} %`.padStart(7) +
    ` (${percent(low)}–${percent(high)})`.padEnd(10)
  );
}

function times(of: readonly Measured[]): string {
  const kills = of.flatMap(({ kill }) => kill ?? []);
  const [ms, runs] = [median(kills.map((kill) => kill.ms)), median(kills.map((kill) => kill.runs))];
  return `${shown(ms / 1000)} s`.padStart(8) + `${shown(runs, 0)} runs`.padStart(11);
}

function table(title: string, groups: readonly Group[]): readonly string[] {
  const width = Math.max(28, ...groups.map(({ name }) => name.length + 1));
  const lines = groups.map(({ name, of }) => {
    const killed = of.filter(({ kill }) => kill !== null).length;
    return name.padEnd(width) + rate(killed, of.length) + times(of);
  });
  return [`${title.padEnd(width)}  killed   rate (95 %)       median time   median runs`, ...lines, ''];
}

/** Kill rates by controller, language and operator, and kills by property and strategy. */
export function summary(all: readonly Measured[]): string {
  const measured = all.filter(({ isEquivalent }) => !isEquivalent);
  const kills = measured.flatMap(({ kill }) => kill ?? []);
  const shares = (title: string, names: readonly string[]): readonly string[] => [
    title.padEnd(28) + '  kills    of all (95 %)',
    ...[...Map.groupBy(names, (name) => name)]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([name, of]) => name.padEnd(28) + rate(of.length, kills.length)),
    '',
  ];
  return [
    ...table(
      'controller',
      grouped(measured, ({ mutant: { source } }) => source.controller + (source.isHeldOut ? ' (held out)' : '')),
    ),
    ...table(
      'language',
      grouped(measured, ({ mutant }) => mutant.source.language),
    ),
    ...table(
      'operator',
      grouped(measured, ({ mutant }) => mutant.operator),
    ),
    ...shares(
      'property',
      kills.map(({ property }) => property),
    ),
    ...shares(
      'strategy of the first kill',
      kills.map(({ strategy }) => strategy ?? 'one deviation'),
    ),
    ...table(
      'all',
      grouped(measured, () => 'all'),
    ),
  ].join('\n');
}

/** Compares two series of searches: rates, times, and mutants that only one of them kills. */
export function comparison(a: { readonly name: string; readonly of: readonly Measured[] }, b: typeof a): string {
  const rows = [a, b].flatMap(({ name, of }) =>
    table(
      name,
      grouped(
        of.filter(({ isEquivalent }) => !isEquivalent),
        ({ mutant }) => mutant.operator,
      ).concat({ name: 'all', of: of.filter(({ isEquivalent }) => !isEquivalent) }),
    ),
  );
  const killedBy = ({ of }: typeof a): Set<string> =>
    new Set(of.filter(({ kill }) => kill !== null).map(({ mutant }) => mutant.id));
  const [first, second] = [killedBy(a), killedBy(b)];
  const only = (name: string, ids: Iterable<string>): readonly string[] => [
    `killed by ${name} alone:`,
    ...[...ids].map((id) => `  ${id}`),
    '',
  ];
  return [
    ...rows,
    ...only(
      a.name,
      [...first].filter((id) => !second.has(id)),
    ),
    ...only(
      b.name,
      [...second].filter((id) => !first.has(id)),
    ),
  ].join('\n');
}
