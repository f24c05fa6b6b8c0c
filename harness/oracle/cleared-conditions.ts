/**
 * Conditions that report a problem which is over.
 *
 * Many controllers set such a condition to True when something fails, and to False when it works again. A copy of the target that met no
 * failure has no such condition, and neither is wrong. Pure.
 */
import type { Difference } from './final-state.ts';

const CONDITION = /^status\.conditions\[type=[^\]]+\]/;
/** Types for which False is good. For any other, such as Ready, it may be the report of a failure that should be gone. */
const PROBLEM =
  /Degraded|Fail|Error|Stalled|Invalid|Unavailable|Unhealthy|Blocked|Stuck|Problem|Pressure|Conflict|Violat|Denied|Warning/;

/** Reports whether a difference belongs to a condition of a problem that is False, and that a fresh copy does not have. */
export function isClearedCondition(
  { what, object, path, expected }: Difference,
  found: readonly Difference[],
): boolean {
  const [condition] = CONDITION.exec(path) ?? [];
  if (what !== 'wrong-value' || expected !== undefined || condition === undefined || !PROBLEM.test(condition))
    return false;
  return found.some(
    (one) =>
      one.object === object &&
      one.path === `${condition}.status` &&
      one.expected === undefined &&
      one.actual === 'False',
  );
}
