/** The last witnesses of a suspect: the same operations undisturbed, at once and one by one. */
import type { CheckResult, Violation } from '../model/check-result.ts';
import type { History } from '../model/history.ts';
import type { OtherOutcome } from '../model/probe.ts';
import { lastProbe } from './last-probe.ts';

/**
 * Reports the violation, or, if an undisturbed run ends in the same way by `endsSo`, a warning with another sentence. A stored history
 * without these runs is judged as before they were asked for.
 */
export function unlessUndisturbedToo(
  history: History,
  violation: Violation,
  excuse: string,
  endsSo: (other: OtherOutcome) => boolean,
): CheckResult {
  for (const probe of ['undisturbed', 'step-by-step'] as const) {
    const other = lastProbe(history, probe);
    if (other === undefined) return { result: 'violated', violations: [violation], needs: [{ probe }] };
    if (!other.settled)
      return { result: 'inconclusive', reason: 'the same operations, undisturbed, did not come to rest' };
    if (endsSo(other))
      return { result: 'violated', violations: [{ ...violation, sentence: excuse, severity: 'warning' }] };
  }
  return { result: 'violated', violations: [violation] };
}
