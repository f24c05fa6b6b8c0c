/** Whether a counterexample still contains what its entry is about. */
import type { Counterexample } from '../../harness/index.ts';
import type { Example } from './table.ts';

export function doesShow({ signature, workload, schedule }: Counterexample, { property, shows }: Example): boolean {
  const { writer, fault } = shows;
  return (
    signature.property === property &&
    (writer === undefined || workload.programs.some((program) => program.writer === writer)) &&
    (fault === undefined || schedule.faults.some((one) => one.do === fault))
  );
}
