/** What replays of a target stand on: what it is judged against, and where its runs are made. */
import type { Workload } from '../../model/workload.ts';
import type { Property } from '../../oracle/property.ts';
import { Prober } from '../run/prober.ts';
import type { References } from '../run/references.ts';
import type { TrialRunner } from '../run/runner.ts';
import type { ReplayJob } from './protocol.ts';

/** What a target is judged against, measured once for all that is replayed on it. */
export interface ReplayGround {
  readonly runner: TrialRunner;
  readonly base: Workload;
  readonly references: References;
  readonly properties: readonly Property[];
}

/** A stored trial, and the violation to look for. */
export type Stored = Pick<ReplayJob, 'trial' | 'signature' | 'property'>;

/** Where runs are made, and who answers what properties ask meanwhile. */
export interface Lane {
  readonly runner: TrialRunner;
  readonly prober: Prober;
}

/** Where that many runs are made. */
export async function lanesOf({ runner, base, references }: ReplayGround, times: number): Promise<readonly Lane[]> {
  const prober = new Prober((trial, variant) => runner.beside(trial, variant), base, references.reference);
  const lanes = await runner.lanes(times);
  return lanes.map((lane) => ({
    runner: lane,
    prober: lane === runner ? prober : prober.elsewhere((trial, variant) => lane.beside(trial, variant)),
  }));
}
