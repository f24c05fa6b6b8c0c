/**
 * The settings of a search, resolved once at the start of a campaign and passed on as a whole. They are cloned into workers, so they
 * contain data only.
 */
import type { KnownCause } from '../../model/cause.ts';
import type { FaultKind } from '../../model/schedule.ts';
import type { StrategyName } from '../../model/trial.ts';
import type { Waiver } from '../../model/waiver.ts';
import type { Workload } from '../../model/workload.ts';
import type { RunConfig } from '../config/run-config.ts';

export interface SearchSettings {
  readonly seed: number;
  /** The names of the writers. */
  readonly writers: readonly string[];
  readonly faults: readonly FaultKind[];
  /** Whether a second copy of the target may only be started if undisturbed runs show the target taking a lock. */
  readonly needsLock: boolean;
  /** The strategies to search with; `null` for the default strategies of the target's run mode. */
  readonly strategies: readonly StrategyName[] | null;
  /** How every run starts; `null` if both kinds of start are allowed. */
  readonly start: Workload['start'] | null;
  /** The number of findings after which the search ends; `Infinity` for no limit. */
  readonly stopAfter: number;
  /** Causes known before the search, which are counted, but neither shrunk nor reported as findings. */
  readonly expected: readonly KnownCause[];
  /** Waivers for accepted violations, which are counted but not reported. */
  readonly waivers: readonly Waiver[];
  /** Whether every signature is a finding of its own, regardless of its cause. */
  readonly allSymptoms: boolean;
  /** One trial in this many, and each of the first few, is run twice to compare its histories. */
  readonly verifyEvery: number;
  /** Limit for shrinking one finding, in ms of real time; `null` for the default. */
  readonly shrinkMs: number | null;
}

/** Settings of a single campaign that its configuration does not contain. */
export type SearchTuning = Partial<
  Pick<SearchSettings, 'strategies' | 'start' | 'expected' | 'allSymptoms' | 'verifyEvery' | 'shrinkMs'>
>;

/** The default of `verifyEvery`: after the first few, one trial in this many is run twice to check that the target is deterministic. */
const VERIFY_EVERY = 400;

export function searchSettings(config: RunConfig, tuning: SearchTuning = {}): SearchSettings {
  const { seed, writers, faults, needsLock, stopAfter, waivers } = config;
  const usual = { strategies: null, start: null, expected: [], allSymptoms: false, verifyEvery: VERIFY_EVERY };
  return { ...{ seed, writers, faults, needsLock, stopAfter, waivers }, ...usual, shrinkMs: null, ...tuning };
}
