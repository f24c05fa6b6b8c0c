/** A table of replayed findings on a real server, by language. */

/** The result of one wrong variant. */
export interface Confirmed {
  readonly name: string;
  readonly language: string;
  readonly cluster: string;
  /** The violated property on the embedded server; null if nothing was found within the budget. */
  readonly found: string | null;
  readonly k: number;
  readonly n: number;
  readonly seconds: number;
}

/** The share of replays that must fail: four of five. */
const CONFIRMED = 0.8;

export function isConfirmed({ k, n }: Confirmed): boolean {
  return n > 0 && k >= n * CONFIRMED;
}

/** One row per language in the order of the results, and a total; variants without a finding do not count as unconfirmed. */
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
