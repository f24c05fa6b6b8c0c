/** Repeats the run of one trial in several lanes, for shrinking, reproducing and replaying. */
import type { Reference } from '../../model/reference.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import type { Property } from '../../oracle/property.ts';
import { judgeRun, runJudged, type Judged, type JudgedRun } from '../run/judge.ts';
import { inLanes } from '../run/lanes.ts';
import { Prober, type Patience } from '../run/prober.ts';
import type { TrialRunner } from '../run/runner.ts';

/** A runner, with a prober that makes the probes that properties request for its runs. */
export interface Lane {
  readonly runner: TrialRunner;
  readonly prober: Prober;
}

/**
 * Runs a trial up to `times` times, in parallel where possible, and judges one property, or all of them. Once `enough` returns true for
 * the results so far, no further run begins. Runs that were cut short have no result.
 */
export type Attempt = (
  trial: Trial,
  property: string | undefined,
  times: number,
  enough?: (made: readonly Judged[]) => boolean,
) => Promise<readonly Judged[]>;

/** Returns lanes whose probers share their results. */
export function lanesOf(
  runners: readonly TrialRunner[],
  base: Workload,
  reference: Reference,
  patience?: Patience,
): readonly Lane[] {
  let prober: Prober | undefined;
  return runners.map((runner) => {
    const beside: TrialRunner['beside'] = (trial, variant) => runner.beside(trial, variant);
    prober = prober?.elsewhere(beside) ?? new Prober(beside, base, reference, patience);
    return { runner, prober };
  });
}

/**
 * Returns an {@link Attempt}.
 *
 * @param take Returns the result to use for a judged run; undefined if the run does not count.
 */
export function attempting(
  lanes: readonly Lane[],
  properties: readonly Property[],
  reference: Reference,
  take: (made: Promise<JudgedRun>, trial: Trial) => Promise<Judged | undefined>,
): Attempt {
  return async (trial, name, times, enough = () => false) => {
    const wanted = properties.filter((property) => name === undefined || property.name === name);
    const made: Judged[] = [];
    const begun = function* (): Generator<Trial> {
      for (let n = 0; n < times && !enough(made); n++) yield trial;
    };
    const answers = await inLanes(lanes, begun(), async ({ runner, prober }) => {
      const run = runJudged(runner, trial, (history, live) =>
        judgeRun(trial, history, wanted, reference, prober, live),
      );
      const judged = await take(run, trial);
      if (judged !== undefined) made.push(judged);
      return judged;
    });
    return answers.filter((judged) => judged !== undefined);
  };
}
