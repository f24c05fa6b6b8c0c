/**
 * The Property interface: one claim about a controller, judged on a history alone.
 *
 * Owns: the contract between properties and the runner. Start here to write your own.
 */
import type { CheckResult } from '../model/check-result.ts';
import type { History } from '../model/history.ts';

export interface Property {
  /** Kebab-case, as given to `--property`. */
  readonly name: string;
  /** `P1` … `P10` for built-in properties, absent for a user's own. */
  readonly id?: string;
  readonly kind: 'safety' | 'liveness';
  /** One sentence that states the claim. */
  readonly about: string;
  /**
   * The source text from which the property was compiled, if `check` depends on more than its own code: soaks with different texts are not
   * merged.
   */
  readonly source?: string;
  /**
   * Names of properties whose violations of the same class, kind and field are not reported if this one reports them, because it identifies
   * the cause.
   */
  readonly supersedes?: readonly string[];
  /**
   * True if the property counts how often something happens. Shrinking then does not shorten holds: a finding should also reproduce in real
   * time, where pauses vary, so the smallest number of rounds that is enough in virtual time is not enough. More rounds take no extra room
   * in a story.
   */
  readonly countsRounds?: true;
  /**
   * True if the property compares the run with other runs of the target; a list names the violation classes that it finds this way. In an
   * undisturbed run, such a violation only means that two undisturbed runs differ, so it is a warning.
   */
  readonly comparesRuns?: true | readonly string[];
  /**
   * Judges a history. Pure: same history, same result. It may return inconclusive with the probes that it needs; the runner makes them,
   * adds their results to `history.probes` and calls it again. A check that throws counts as inconclusive.
   */
  check(history: History): CheckResult;
  /**
   * Reports whether a history contains anything that could have violated the property (otherwise "holds" means nothing); absent if all
   * histories do.
   */
  exercised?(history: History): boolean;
  /** For `sometimes` properties: reports whether the condition was true in this run. A campaign without such a run is vacuous. */
  reached?(history: History): boolean;
}
