/** Finds the declared answer to an HTTP request. */
import type { HttpAnswer } from './declared-answers.ts';
import { goRegExp } from './go-regexp.ts';

/** Returns the first declared answer that matches. `path` includes the query. */
export function httpAnswerTo(
  answers: readonly HttpAnswer[],
  { method, path }: { readonly method: string; readonly path: string },
  /** Earlier requests to the same server, as `POST /path`. */
  earlier: readonly string[] = [],
): HttpAnswer | undefined {
  return answers.find(
    (one) =>
      (one.method === undefined || one.method.toUpperCase() === method) &&
      hasHad(one.after, earlier) &&
      (one.path === undefined || goRegExp(`^(?:${one.path})$`)?.test(path) === true),
  );
}

/** Reports whether one of the earlier requests or commands matches the precondition `after`. */
export function hasHad(after: string | undefined, earlier: readonly string[]): boolean {
  if (after === undefined) return true;
  const pattern = goRegExp(after);
  return earlier.some((one) => pattern?.test(one) === true);
}

/** Returns the headers with lower-case names, and a default content type if there is a body. */
export function headersOf({ headers = {}, body = '' }: HttpAnswer): { readonly [name: string]: string } {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (named['content-type'] !== undefined || body === '') return named;
  return { 'content-type': /^\s*[[{]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8', ...named };
}
