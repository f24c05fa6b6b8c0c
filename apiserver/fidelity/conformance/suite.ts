/** Runs the whole suite on one server. */
import type { ApiClient } from '../differential/client.ts';
import { runCase, type CaseResult } from './case.ts';
import { CASES } from './cases.ts';

/** Runs the cases one after the other and returns the results in order. */
export async function runSuite(client: ApiClient): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of CASES) results.push(await runCase(one, client));
  return results;
}
