/**
 * The operations of a run's programs, one by one in the order in which they were made in that run. What a target makes of two changes may
 * depend on which came first, so an undisturbed run with another order would excuse or accuse it wrongly.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { History, Operation } from '../../model/history.ts';
import { isWrite, phaseStart } from '../../model/history.ts';
import { partsOf } from '../../model/label.ts';
import type { Program, ProgramOp, Workload } from '../../model/workload.ts';

interface Step {
  readonly program: Program;
  /** The tick of the operation's write; that of the operation before it if there is none. */
  readonly at: number;
}

/** Returns a program for each operation, including the operations that clean up, in the order of `history`. */
export function stepsInOrder(
  history: History,
  { start, programs }: Pick<Workload, 'start' | 'programs'>,
): readonly Program[] {
  const contention = phaseStart(history, 'contention');
  const steps = programs.flatMap(({ ops, heal = [], ...program }): readonly Step[] => {
    const made = history.operations.filter(
      ({ actor, verb, invoked }) => actor === program.actor && isWrite(verb) && invoked.at >= contention,
    );
    // With an empty start, the user's first writes apply the sample and its status.
    const isSample = ({ verb, subresource }: Operation): boolean => verb === 'create' || subresource === 'status';
    const own = start === 'empty' && program.actor === 'user' ? made.findIndex((write) => !isSample(write)) : 0;
    let left = own < 0 ? [] : made.slice(own);
    let at = 0;
    return [...ops, ...heal].map((op) => {
      // An operation without a write, for example on an object that is gone, keeps its place after the one before it.
      const next = left.findIndex((write) => isOf(op, write));
      const write = left[next];
      if (write !== undefined) left = left.slice(next + 1);
      at = Math.max(at, (write?.sent ?? write?.invoked)?.at ?? at);
      return { program: { ...program, ops: [op] }, at };
    });
  });
  return steps.toSorted((one, other) => one.at - other.at).map(({ program }) => program);
}

/** Reports whether a write is to the object of an operation. A label ends with the object's canonical name. */
function isOf({ target }: ProgramOp, { resource, namespace, label }: Operation): boolean {
  const { rest } = partsOf(label);
  return resource === groupResource(target) && namespace === target.namespace && rest.at(-1) === target.name;
}
