/** Judges histories for the tests of `no-lost-update`, with the answers to the drift tests that it asks for. */
import type { CheckResult } from '../harness/model/check-result.ts';
import type { History } from '../harness/model/history.ts';
import type { ProbeRequest, ProbeResult } from '../harness/model/probe.ts';
import { noLostUpdate } from './no-lost-update.ts';

/** What the drift test shows: the target keeps the change, reverts it, or replaces it at the user's next change. */
type AtRest = 'kept' | 'reverted' | 'replaced';

/** Checks the history; answers all requested drift probes with the same result, and checks again. */
export function judge(history: History, atRest: AtRest = 'kept'): CheckResult {
  const first = noLostUpdate.check(history);
  if (first.result !== 'inconclusive') return first;
  const probes = (first.needs ?? []).map((need) => answer(need, atRest));
  return noLostUpdate.check({ ...history, probes });
}

function answer(need: ProbeRequest, atRest: AtRest): ProbeResult {
  if (need.probe !== 'drift') throw new Error(`P2 asks for drift tests, not ${need.probe}`);
  const { role, leaves, value } = need;
  const when = {
    kept: { reverted: [] },
    reverted: { reverted: leaves },
    replaced: { reverted: [], revertedLater: leaves },
  };
  return { probe: 'drift', role, leaves, value, ...when[atRest] };
}
