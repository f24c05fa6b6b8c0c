/** Ranks causes: those that occur under the most ordinary conditions come first, as users will meet them first. */
import type { Finding, FindingStats, Grade } from '../../model/finding.ts';

const GRADES: readonly Grade[] = ['everyday', 'restart-or-HA', 'pathological'];

/** Sorts findings by grade, by number and type of deviations, by how reliably they reproduce, and by how often they were seen. */
export function ranked(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => {
    const [one, other] = [weightsOf(a.stats), weightsOf(b.stats)];
    for (const [at, weight] of one.entries()) {
      const difference = weight - (other[at] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function weightsOf({ grade, preemptions, holds, faults, reproduced, count }: FindingStats): readonly number[] {
  const { k, n } = reproduced;
  // Among equally many deviations, an order of requests is more ordinary than lag, and lag more than a fault.
  return [GRADES.indexOf(grade), preemptions + holds + faults, faults, holds, n === 0 ? 0 : -k / n, -count];
}
