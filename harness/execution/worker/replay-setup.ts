/** The data that jobs and replays get from their worker. */
import type { Workload } from '../../model/workload.ts';
import type { Property } from '../../oracle/property.ts';
import type { References } from '../run/references.ts';
import type { TrialRunner } from '../run/runner.ts';
import type { FromWorker, ReplayJob } from './protocol.ts';
import type { Pulse } from './pulse.ts';

/** The parts that every job receives. */
export interface JobContext {
  readonly runner: TrialRunner;
  /** The undisturbed sample of the job's subject. */
  readonly base: Workload;
  readonly properties: readonly Property[];
  readonly say: (message: FromWorker) => void;
  readonly pulse: Pulse;
}

/** The references of a target, made once for all its replays. */
export interface ReplaySetup extends Pick<JobContext, 'runner' | 'base' | 'properties'> {
  readonly references: References;
}

/** A stored trial, and the violation to look for. */
export type Stored = Pick<ReplayJob, 'trial' | 'signature' | 'property'>;
