/**
 * P9, crash equivalence: a target that is killed at any of its calls and restarted ends in a state in which an uninterrupted
 * target may also end.
 *
 * Judged like convergence, against the same allowed states. It is a violation of this property if a crash is the cause: the run
 * had a crash, and the same run without its crashes ends differently. The violation then replaces convergence's violation about
 * the same difference, which remains for runs that fail with or without a crash. Does not own: the comparison
 * (`convergence.ts`).
 */
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History } from '../harness/model/history.ts';
import { leafPattern } from '../harness/model/leaf.ts';
import { nearestDifferences, probedState } from '../harness/oracle/final-state.ts';
import type { Property } from '../harness/oracle/property.ts';
import { convergence } from './convergence.ts';
import { isCrashed } from './exercised.ts';

const NAME = 'crash-equivalence';

export const crashEquivalence: Property = {
  name: NAME,
  id: 'P9',
  kind: 'liveness',
  about:
    'killed at any of its requests and restarted, the target ends in a state that it may also reach without the crash',
  supersedes: [convergence.name],
  check,
  exercised: isCrashed,
};

function check(history: History): CheckResult {
  if (!history.processes.some(({ kind }) => kind === 'crashed')) return HOLDS;
  const converged = convergence.check(history);
  if (converged.result !== 'violated') return converged;
  const found = converged.violations.filter(({ severity }) => severity === 'error');
  if (found.length === 0) return HOLDS;
  const spared = history.probes.find((probe) => probe.probe === 'without-crashes');
  if (spared === undefined) {
    const reason = 'a run with a crash ended in the wrong state, and the same run without the crash was not available';
    return { result: 'inconclusive', reason, needs: [{ probe: 'without-crashes' }] };
  }
  if (!spared.settled)
    return {
      result: 'inconclusive',
      reason: 'the same run without its crashes did not come to rest: there is nothing to compare with',
    };
  const excused = nearestDifferences(history, probedState(history, spared.final, spared.names), spared.expected);
  const places = new Set(excused.map(({ resource, path }) => `${resource} ${leafPattern(path)}`));
  const caused = found.filter(({ signature }) => {
    // A stopped watch causes many differences: if the run without the crash has any, the crash is not the cause.
    if (signature.class === 'stopped-watching') return excused.length === 0;
    return !places.has(`${signature.kind} ${signature.field}`);
  });
  if (caused.length === 0) return HOLDS;
  return { result: 'violated', violations: caused.map((violation) => blame(history, violation)) };
}

function blame(history: History, violation: Violation): Violation {
  const crash = history.decisions.findLast(({ detail }) => detail === 'crash and restart the target');
  const where = crash === undefined ? 'killed and started again' : `killed at ${crash.label} and started again`;
  return {
    ...violation,
    signature: { ...violation.signature, property: NAME },
    sentence: `${where}, ${violation.sentence}; without the crash the same run ends as it should`,
  };
}
