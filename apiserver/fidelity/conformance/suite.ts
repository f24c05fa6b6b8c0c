/** The whole suite on one server. */
import type { ApiClient } from '../differential/client.ts';
import { runCase, type CaseResult } from './case.ts';
import { CASES } from './cases.ts';

/** One case after the other; the results in their order. */
export async function runSuite(client: ApiClient): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of CASES) results.push(await runCase(one, client));
  return results;
}
