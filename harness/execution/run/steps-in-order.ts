/**
 * The operations of a run's programs, one by one in the order in which they were made in that run. What a target makes of two changes may
 * depend on which came first, so an undisturbed run with another order would excuse or accuse it wrongly.
 */
import type { History } from '../../model/history.ts';
import { isWrite, phaseStart } from '../../model/history.ts';
import type { Program, Workload } from '../../model/workload.ts';

interface Step {
  readonly program: Program;
  /** The tick of the operation's write; that of the operation before it if there is none. */
  readonly at: number;
}

/** Returns a program for each operation, including the operations that clean up, in the order of `history`. */
export function stepsInOrder(history: History, { start, sample, programs }: Workload): readonly Program[] {
  const contention = phaseStart(history, 'contention');
  const steps = programs.flatMap(({ ops, heal = [], ...program }): readonly Step[] => {
    const writes = history.operations
      .filter(({ actor, verb, invoked }) => actor === program.actor && isWrite(verb) && invoked.at >= contention)
      // With an empty start, the user's first writes apply the sample.
      .slice(start === 'empty' && program.actor === 'user' ? sample.length : 0);
    let at = 0;
    return [...ops, ...heal].map((op, index) => {
      const write = writes[index];
      // A recreation makes two writes, and a change of nothing none: then the order is only approximate.
      at = Math.max(at, (write?.sent ?? write?.invoked)?.at ?? at);
      return { program: { ...program, ops: [op] }, at };
    });
  });
  return steps.toSorted((one, other) => one.at - other.at).map(({ program }) => program);
}
