/**
 * The target of a request: path and query, parsed as by Go's `net/url`.
 *
 * Owns: splitting and decoding. The path stays encoded, because the router decodes it segment by segment.
 */

export interface Target {
  readonly path: string;
  readonly query: { readonly [key: string]: string };
  /** All values of each key that is repeated. */
  readonly repeated?: { readonly [key: string]: readonly string[] };
}

const NOTHING_ASKED: Omit<Target, 'path'> = { query: Object.freeze({}) };

/** Splits a target; undefined for an invalid escape in its path. */
export function parseTarget(target: string): Target | undefined {
  const mark = target.indexOf('?');
  let path = mark < 0 ? target : target.slice(0, mark);
  // Proxies send an absolute URL.
  if (!path.startsWith('/')) path = /^https?:\/\/[^/]*(\/.*)?$/i.exec(path)?.[1] ?? '/';
  if (path.includes('%') && !/^(?:[^%]|%[\da-f]{2})*$/i.test(path)) return undefined;
  // The router treats an escaped slash as a slash.
  if (path.includes('%2')) path = path.replaceAll(/%2f/gi, '/');
  return { path, ...(mark < 0 ? NOTHING_ASKED : parseQuery(target.slice(mark + 1))) };
}

/** Parses a query. The first value of each key counts; pairs with a semicolon or an invalid escape are dropped. */
function parseQuery(text: string): Omit<Target, 'path'> {
  if (text === '') return NOTHING_ASKED;
  const query: { [key: string]: string } = {};
  let repeated: { [key: string]: string[] } | undefined;
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const key = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    if (!Object.hasOwn(query, key)) query[key] = value;
    else ((repeated ??= {})[key] ??= [query[key] ?? '']).push(value);
  }
  return repeated === undefined ? { query } : { query, repeated };
}

function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
