/** What replays of a target stand on. */
import type { Workload } from '../../model/workload.ts';
import type { Property } from '../../oracle/property.ts';
import type { References } from '../run/references.ts';
import type { TrialRunner } from '../run/runner.ts';
import type { FromWorker, ReplayJob } from './protocol.ts';
import type { Pulse } from './pulse.ts';

/** What every job has at hand. */
export interface JobContext {
  readonly runner: TrialRunner;
  /** The sample of its subject, with nobody against it. */
  readonly base: Workload;
  readonly properties: readonly Property[];
  readonly say: (message: FromWorker) => void;
  readonly pulse: Pulse;
}

/** What a target is judged against, measured once for all that is replayed on it. */
export interface ReplayGround extends Pick<JobContext, 'runner' | 'base' | 'properties'> {
  readonly references: References;
}

/** A stored trial, and the violation to look for. */
export type Stored = Pick<ReplayJob, 'trial' | 'signature' | 'property'>;
