/** What replays of a target stand on. */
import type { Workload } from '../../model/workload.ts';
import type { Property } from '../../oracle/property.ts';
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
