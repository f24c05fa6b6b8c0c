/**
 * The Property interface: one claim about a controller, judged on a history and on nothing else.
 *
 * Owns: the contract between claims and the runner. Start here to write your own.
 */
import type { CheckResult } from '../model/check-result.ts';
import type { History } from '../model/history.ts';

export interface Property {
  /** Kebab-case, as given to `--property`. */
  readonly name: string;
  /** `P1` … `P10` for the catalogue, absent for a user's own. */
  readonly id?: string;
  readonly kind: 'safety' | 'liveness';
  /** One sentence: the claim. */
  readonly about: string;
  /** The text that it was made from, where `check` is not all there is to it: soaks of two that differ in it are not added up. */
  readonly source?: string;
  /**
   * Names of properties whose violations of the same class, kind and field are not told where this one tells them: it knows the cause.
   */
  readonly supersedes?: readonly string[];
  /**
   * Whether it is proved by how often something happens. Shrinking then leaves holds as long as they are: the fewest rounds that prove
   * it where pauses are exact prove nothing on the wall's clock, where a finding is to come back too, and more take no room in a story.
   */
  readonly countsRounds?: true;
  /**
   * Whether it judges by comparing with other runs of the target; a list names the classes of violations that it finds so. In a run that
   * nothing disturbs, such a violation says that two undisturbed runs differ, which contention has no part in: it is a warning.
   */
  readonly comparesRuns?: true | readonly string[];
  /**
   * Judges a history. Pure: same history, same answer. May answer inconclusive with probes it needs; the runner makes them,
   * puts their results into `history.probes` and asks again. A check that throws counts as inconclusive.
   */
  check(history: History): CheckResult;
  /** Whether a history holds anything that could have broken the claim; absent where every one does. "Holds" says nothing without. */
  exercised?(history: History): boolean;
  /** For claims that no single run keeps or breaks: whether it came true in this one. A campaign in which it never did is vacuous. */
  reached?(history: History): boolean;
}
