/** Which declared answer an HTTP request gets. */
import type { HttpAnswer } from './declared-answers.ts';
import { goRegExp } from './go-regexp.ts';

/** The first that fits. `path` has its query. */
export function httpAnswerTo(
  answers: readonly HttpAnswer[],
  { method, path }: { readonly method: string; readonly path: string },
  /** Of the same server, as `POST /path`. */
  earlier: readonly string[] = [],
): HttpAnswer | undefined {
  return answers.find(
    (one) =>
      (one.method === undefined || one.method.toUpperCase() === method) &&
      hasHad(one.after, earlier) &&
      (one.path === undefined || goRegExp(`^(?:${one.path})$`)?.test(path) === true),
  );
}

/** Whether one of the earlier requests, or commands, was such as has to come first. */
export function hasHad(after: string | undefined, earlier: readonly string[]): boolean {
  if (after === undefined) return true;
  const pattern = goRegExp(after);
  return earlier.some((one) => pattern?.test(one) === true);
}

/** What the body is taken for, unless the answer says so itself. */
export function headersOf({ headers = {}, body = '' }: HttpAnswer): { readonly [name: string]: string } {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (named['content-type'] !== undefined || body === '') return named;
  return { 'content-type': /^\s*[[{]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8', ...named };
}
