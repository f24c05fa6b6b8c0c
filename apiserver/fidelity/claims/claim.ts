/**
 * A claim: a common statement about optimistic concurrency, and a conversation with a server that shows how far it is true.
 *
 * Owns: the contract, and running one claim on one server. Does not own: the page (`page.ts`). To add a claim: add a file here and a line
 * in `claims.ts`, then run `npm run claims-page`.
 */
import type { ApiClient } from '../differential/client.ts';
import { Conversation } from './conversation.ts';

export type Verdict = 'true' | 'false' | 'in part';

export interface Claim {
  /** Kebab-case; also the name of its file. */
  readonly name: string;
  /** The claim as commonly stated, right or wrong. */
  readonly statement: string;
  /** The expected verdict; each run is compared with it. */
  readonly verdict: Verdict;
  /** What is actually true, and what that means for a controller. */
  readonly truth: string;
  /** Talks to the server and reports how far the statement held. */
  readonly run: (t: Conversation) => Promise<Verdict>;
}

/** Returns the verdict on a statement with several parts, or about several kinds. `holds`: whether each of them is true. */
export function verdictOf(...holds: readonly boolean[]): Verdict {
  if (holds.every((one) => one)) return 'true';
  return holds.some((one) => one) ? 'in part' : 'false';
}

export interface ClaimResult {
  readonly claim: Claim;
  readonly verdict: Verdict;
  /** The transcript, with versions numbered in order: the same on every server. */
  readonly lines: readonly string[];
}

/** Runs the claims one after the other, each in a namespace of its own. */
export async function runClaims(claims: readonly Claim[], client: ApiClient): Promise<readonly ClaimResult[]> {
  const results: ClaimResult[] = [];
  for (const claim of claims) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `claim-${claim.name}` } };
    await client.request({ method: 'POST', path: '/api/v1/namespaces', body });
    const conversation = new Conversation(client, body.metadata.name);
    const verdict = await claim.run(conversation);
    results.push({ claim, verdict, lines: conversation.lines });
  }
  return results;
}
