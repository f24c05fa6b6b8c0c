/**
 * What a claim is: a statement about optimistic concurrency as people make it, and a conversation with a server that shows how far it is true.
 *
 * Owns: the contract, and running one claim on one server. Does not own: the page (`page.ts`). To add one: a file beside this one, a line
 * in `claims.ts`, `npm run claims-page`.
 */
import type { ApiClient } from '../differential/client.ts';
import { Conversation } from './conversation.ts';

export type Verdict = 'true' | 'false' | 'in part';

export interface Claim {
  /** Kebab-case, that of its file. */
  readonly name: string;
  /** As people say it, right or wrong. */
  readonly statement: string;
  /** What servers were found to say; each run is compared with it. */
  readonly verdict: Verdict;
  /** What is so, and what follows for a controller. */
  readonly truth: string;
  /** Asks the server, and says how far the statement held. */
  readonly run: (t: Conversation) => Promise<Verdict>;
}

/** Of a statement that says several things, or one about several kinds. */
export function verdictOf(...stands: readonly boolean[]): Verdict {
  if (stands.every((one) => one)) return 'true';
  return stands.some((one) => one) ? 'in part' : 'false';
}

export interface ClaimResult {
  readonly claim: Claim;
  readonly verdict: Verdict;
  /** What was said, with versions called by their order: the same on every server. */
  readonly lines: readonly string[];
}

/** Each claim in a namespace of its own, one after the other. */
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
