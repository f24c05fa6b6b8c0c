/**
 * Finds where two runs of the same schedule diverge, by label, for runs that cannot be byte-identical.
 *
 * Owns: what counts as the same, namely the order of requests at the server and the status codes of their answers. Versions, uids and times
 * differ between servers. Start at {@link partingOf}.
 */
import { phaseStart, type History, type Outcome } from '../../model/history.ts';
import type { Label } from '../../model/label.ts';

export interface Parting {
  /** The label of the last request in common; absent if there is none. */
  readonly after?: Label;
  readonly one: string;
  readonly other: string;
}

/** Returns the first request since contention began in which two runs differ; undefined if there is none. */
export function partingOf(one: History, other: History): Parting | undefined {
  const left = requestsOf(one);
  const right = requestsOf(other);
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [a, b] = [left[at], right[at]];
    if (a !== undefined && a.label === b?.label && a.outcome === b.outcome) continue;
    const after = left[at - 1]?.label;
    return { ...(after === undefined ? {} : { after }), one: textOf(a), other: textOf(b) };
  }
  return undefined;
}

interface Request {
  readonly label: Label;
  readonly outcome: string;
}

function requestsOf(history: History): readonly Request[] {
  const from = phaseStart(history, 'contention');
  return history.operations
    .filter(({ sent, verb }) => sent !== undefined && sent.at >= from && verb !== 'watch')
    .toSorted((a, b) => (a.sent?.at ?? 0) - (b.sent?.at ?? 0))
    .map(({ label, outcome }) => ({ label, outcome: outcomeText(outcome) }));
}

function outcomeText(outcome: Outcome): string {
  return 'code' in outcome ? String(outcome.code) : outcome.type;
}

function textOf(request: Request | undefined): string {
  return request === undefined ? 'nothing more' : `${request.label} (${request.outcome})`;
}
