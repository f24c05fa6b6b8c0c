/**
 * Shrinks one finding: pins its signature, keeps to a budget, confirms the result.
 *
 * Owns: what counts as "still fails" and how often a run is made. The candidates come from `schedule/shrink.ts`.
 */
import type { Signature, Violation } from '../model/check-result.ts';
import { signatureText } from '../model/check-result.ts';
import type { Counterfactual, Grade } from '../model/finding.ts';
import type { History } from '../model/history.ts';
import { deviationText } from '../model/schedule.ts';
import type { Fault, Schedule } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import { shrinkTrial } from '../schedule/shrink.ts';
import { historyText } from './fingerprint.ts';
import type { Judged } from './judge.ts';

/** Runs a trial and judges the one property that matters. */
export type Attempt = (trial: Trial, property: string) => Promise<Judged>;

export interface Shrunk {
  readonly trial: Trial;
  readonly history: History;
  readonly violation: Violation;
  readonly executions: number;
}

/** Enough for nearly every finding; what is left over stays a little larger than it could be. */
const EXECUTIONS_MAX = 160;

/**
 * Shrinks a failing trial with a stored schedule. Undefined when it does not fail with this signature at all.
 *
 * @param tries A candidate counts when it fails in one of so many runs: more than one where runs differ.
 */
export async function shrinkFinding(
  start: Trial,
  signature: Signature,
  attempt: Attempt,
  outOfTime: () => boolean,
  tries = 1,
): Promise<Shrunk | undefined> {
  const wanted = signatureText(signature);
  let executions = 0;
  let best: Shrunk | undefined;
  const fails = async (trial: Trial): Promise<boolean> => {
    for (let made = 0; made < tries; made++) {
      executions++;
      const judged = await attempt(trial, signature.property);
      const violation = judged.violations.find((candidate) => signatureText(candidate.signature) === wanted);
      if (violation === undefined) continue;
      best = { trial, history: judged.history, violation, executions };
      return true;
    }
    return false;
  };
  if (!(await fails(start))) return undefined;
  const candidates = shrinkTrial(start);
  let next = candidates.next();
  while (next.done !== true && executions < EXECUTIONS_MAX && !outOfTime()) {
    next = candidates.next(await fails(next.value));
  }
  return best === undefined ? undefined : { ...best, executions };
}

/** Runs the shrunk trial again and again; byte-equal histories are what "deterministic" means. */
export async function confirm(
  shrunk: Shrunk,
  attempt: Attempt,
  times: number,
): Promise<{
  readonly k: number;
  readonly n: number;
  readonly identical: boolean;
  readonly other: History | undefined;
}> {
  const wanted = signatureText(shrunk.violation.signature);
  const expected = historyText(shrunk.history);
  let k = 0;
  let other: History | undefined;
  for (let n = 0; n < times; n++) {
    const judged = await attempt(shrunk.trial, shrunk.violation.signature.property);
    if (judged.violations.some((violation) => signatureText(violation.signature) === wanted)) k++;
    if (historyText(judged.history) !== expected) other ??= judged.history;
  }
  return { k, n: times, identical: other === undefined, other };
}

/** What the run does without each single deviation: 1-minimality as evidence. */
export async function counterfactuals(shrunk: Shrunk, attempt: Attempt): Promise<readonly Counterfactual[]> {
  const wanted = signatureText(shrunk.violation.signature);
  const { schedule } = shrunk.trial;
  const out: Counterfactual[] = [];
  for (const [deviation, without] of withoutEach(schedule)) {
    const judged = await attempt({ ...shrunk.trial, schedule: without }, shrunk.violation.signature.property);
    const same = judged.violations.some((violation) => signatureText(violation.signature) === wanted);
    const passes = judged.violations.length === 0 && judged.inconclusive.size === 0;
    out.push({ deviation, without: same ? 'still fails' : passes ? 'passes' : 'other' });
  }
  return out;
}

function withoutEach(schedule: Schedule): readonly (readonly [string, Schedule])[] {
  const { preemptions, holds, faults } = schedule;
  return [
    ...preemptions.map(
      (of, at) => [deviationText(of), { ...schedule, preemptions: preemptions.toSpliced(at, 1) }] as const,
    ),
    ...holds.map((of, at) => [deviationText(of), { ...schedule, holds: holds.toSpliced(at, 1) }] as const),
    ...faults.map((of, at) => [deviationText(of), { ...schedule, faults: faults.toSpliced(at, 1) }] as const),
  ];
}

const RESTART_FAULTS: ReadonlySet<Fault['do']> = new Set(['crash', 'start-replica', 'stale-list']);
/** Lag beyond this much run time, or a failure this lasting, is not everyday life. */
const EVERYDAY_LAG_MS = 30_000;

/** How unusual the conditions are. */
export function gradeOf(schedule: Schedule, history: History): Grade {
  const lag = Math.max(0, ...history.deliveries.map((delivery) => delivery.timeMs - delivery.available.timeMs));
  if (lag > EVERYDAY_LAG_MS) return 'pathological';
  return schedule.faults.some((fault) => RESTART_FAULTS.has(fault.do)) ? 'restart-or-HA' : 'everyday';
}
