/** What came of replaying findings on a real server, added up by language. */

/** One wrong variant. */
export interface Confirmed {
  readonly name: string;
  readonly language: string;
  readonly cluster: string;
  /** The property that was found violated on the embedded server; null when nothing was found in time. */
  readonly found: string | null;
  readonly k: number;
  readonly n: number;
  readonly seconds: number;
}

/** What counts as confirmed: four of five. */
const CONFIRMED = 0.8;

export function isConfirmed({ k, n }: Confirmed): boolean {
  return n > 0 && k >= n * CONFIRMED;
}

/** One line per language in the order of the results, and their sum; what was not found is no finding that could be confirmed. */
export function tableOf(results: readonly Confirmed[]): string {
  const languages = [...new Set(results.map(({ language }) => language))];
  const rows = languages.map((language) =>
    rowOf(
      language,
      results.filter((result) => result.language === language),
    ),
  );
  return [
    '| language | wrong variants | found | confirmed | in fewer |',
    '|---|---|---|---|---|',
    ...rows,
    rowOf('all', results),
  ].join('\n');
}

function rowOf(title: string, results: readonly Confirmed[]): string {
  const found = results.filter(({ found: property }) => property !== null);
  const confirmed = found.filter(isConfirmed);
  const fewer = found.filter((result) => !isConfirmed(result)).map(({ name, k, n }) => `${name} ${k} of ${n}`);
  const share = found.length === 0 ? '' : ` (${Math.floor((confirmed.length / found.length) * 100)} %)`;
  return `| ${title} | ${results.length} | ${found.length} | ${confirmed.length}${share} | ${fewer.join(', ')} |`;
}
