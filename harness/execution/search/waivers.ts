/** Applies the waivers of a configuration to the violations in a search. */
import type { Violation } from '../../model/check-result.ts';
import type { Trial } from '../../model/trial.ts';
import { waivableOf, waiverFor, type Waiver } from '../../model/waiver.ts';
import type { Judged } from '../run/judge.ts';
import { countWaived, type SearchTally } from './tally.ts';

export class Waivers {
  readonly #waivers: readonly Waiver[];

  constructor(waivers: readonly Waiver[]) {
    this.#waivers = waivers;
  }

  /** Reports whether a waiver covers a violation of a run. */
  cover(violation: Violation, judged: Pick<Judged, 'history'>, trial: Trial): boolean {
    return this.#for(violation, judged, trial) !== undefined;
  }

  /** Returns a run without its waived violations: shrinking keeps only the signature fixed, and could end with a waived violation. */
  leave(judged: Judged, trial: Trial): Judged {
    if (this.#waivers.length === 0) return judged;
    const violations = judged.violations.filter((violation) => !this.cover(violation, judged, trial));
    return { ...judged, violations };
  }

  count(judged: Judged, trial: Trial, tally: SearchTally): void {
    for (const violation of judged.violations) {
      const waiver = this.#for(violation, judged, trial);
      if (waiver !== undefined) countWaived(tally, waiver);
    }
  }

  #for(violation: Violation, { history }: Pick<Judged, 'history'>, { workload }: Trial): Waiver | undefined {
    if (this.#waivers.length === 0) return undefined;
    return waiverFor(this.#waivers, waivableOf(violation, history, workload));
  }
}
