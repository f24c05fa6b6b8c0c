/**
 * How a search goes about its work, resolved once where a campaign begins and passed whole from there on: it is cloned into workers, so it
 * holds data only.
 */
import type { KnownCause } from '../../model/cause.ts';
import type { FaultKind } from '../../model/schedule.ts';
import type { StrategyName } from '../../model/trial.ts';
import type { Waiver } from '../../model/waiver.ts';
import type { Workload } from '../../model/workload.ts';
import type { RunConfig } from '../config/run-config.ts';

export interface SearchSettings {
  readonly seed: number;
  /** By name. */
  readonly writers: readonly string[];
  readonly faults: readonly FaultKind[];
  /** Searches with these strategies only; `null`: with those that suit the target. */
  readonly strategies: readonly StrategyName[] | null;
  /** Where every run starts; `null`: either. */
  readonly start: Workload['start'] | null;
  /** Trials run on one process that lives on; what is suspicious there runs again on a fresh one. */
  readonly warm: boolean;
  /** Findings after which it ends; infinite for none. */
  readonly stopAfter: number;
  /** Causes that are known from elsewhere: counted, and neither shrunk nor reported as findings. */
  readonly expected: readonly KnownCause[];
  /** Accepted violations: counted, and not reported. */
  readonly waivers: readonly Waiver[];
  /** Every signature is a finding of its own, whatever caused it. */
  readonly allSymptoms: boolean;
  /** Every n-th trial is run twice and the histories compared; the first few always are. */
  readonly verifyEvery: number;
  /** Real time that shrinking one finding may take, ms; `null` for the default. */
  readonly shrinkMs: number | null;
}

/** What a caller may set for one campaign, beside its configuration. */
export type SearchTuning = Partial<
  Pick<SearchSettings, 'strategies' | 'start' | 'expected' | 'allSymptoms' | 'verifyEvery' | 'shrinkMs'>
>;

/** After the first few, a trial is run twice now and then, to see whether the target is deterministic. */
const VERIFY_EVERY = 400;

export function searchSettings(config: RunConfig, tuning: SearchTuning = {}): SearchSettings {
  const { seed, writers, faults, warm, stopAfter, waivers } = config;
  const usual = { strategies: null, start: null, expected: [], allSymptoms: false, verifyEvery: VERIFY_EVERY };
  return { ...{ seed, writers, faults, warm, stopAfter, waivers }, ...usual, shrinkMs: null, ...tuning };
}
