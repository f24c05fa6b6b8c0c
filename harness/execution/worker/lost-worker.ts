/** Creates the errors and findings for a worker that did not finish its job because of the target, the user or the harness. */
import type { Violation } from '../../model/check-result.ts';
import { ownCause } from '../../model/cause.ts';
import { HarnessError } from '../../model/errors.ts';
import type { Trial } from '../../model/trial.ts';
import { causesNamed } from '../../oracle/cause.ts';
import { errorWithPrinted, lastLines, printedLines } from '../../report/last-words.ts';
import { emptyHistory } from '../run/empty-history.ts';
import type { FromWorker } from './protocol.ts';
import type { Found } from '../search/found.ts';
import type { WorkerEnd } from './supervisor.ts';

/** The end of a worker that was caused by the target. */
export type LostWorker = Exclude<WorkerEnd, { readonly end: 'finished' | 'overdue' }> & { readonly output: string };

/** Returns an error that the worker itself reported. */
export function workerError(error: Extract<FromWorker, { say: 'error' }>, output: string): Error {
  const { code, message, printed = [] } = error;
  if (code !== null) return new HarnessError(code, message, { details: { printed } });
  const fault = new Error([message, ...printedLines(lastLines(output.split('\n')))].join('\n'));
  fault.stack = error.stack;
  return fault;
}

/** Returns the error for a worker that was lost before the search began. */
export function lostInReference(end: LostWorker, phase: string): HarnessError {
  const when = phase === 'load' ? 'while it was being imported' : 'in an undisturbed run';
  const what =
    end.end === 'blocked'
      ? `the target blocked the event loop for ${end.forMs / 1000} s ${when}; expected it to yield between requests`
      : `the target ended its thread ${when} (${end.detail})`;
  return errorWithPrinted(
    'TARGET_FAILED',
    `${what}; run it alone against a cluster first`,
    lastLines(end.output.split('\n')),
  );
}

/** Returns the violation for a trial that ended its worker. */
export function lostWorkerViolation(end: LostWorker, where: string): Violation {
  const blocked = end.end === 'blocked';
  return {
    signature: {
      property: 'survival',
      class: blocked ? 'blocked-event-loop' : 'ended-its-process',
      actors: ['target'],
      kind: '',
      field: '',
    },
    sentence: blocked
      ? `controller blocked the event loop for more than ${end.forMs / 1000} s${where}`
      : `controller took its process down${where}: ${end.detail}`,
    operations: [],
    revisions: [],
    at: 0,
    severity: 'error',
  };
}

/**
 * Returns the finding for a trial that ended its worker. It is not shrunk, as each attempt would cost a worker. The decisions of the
 * trial's strategy were lost with the worker, so only the workload is stored.
 */
export function lostWorkerFinding(trial: Trial, end: LostWorker, run: number, again: boolean): Found {
  const violation = lostWorkerViolation(end, ` in trial ${run}`);
  const history = emptyHistory(violation.sentence);
  const cause = causesNamed(history, violation)[0] ?? ownCause(violation);
  return {
    trial,
    history,
    violation: { ...violation, cause },
    also: [],
    stats: {
      stepsBefore: 0,
      stepsAfter: 0,
      actorsBefore: trial.workload.programs.length + 1,
      actorsAfter: trial.workload.programs.length + 1,
      executions: 1,
      preemptions: trial.schedule.preemptions.length,
      holds: trial.schedule.holds.length,
      faults: trial.schedule.faults.length,
      heldItems: 0,
      reproduced: { k: again ? 1 : 0, n: 1 },
      count: 1,
      grade: 'everyday',
      counterfactuals: [],
    },
  };
}
