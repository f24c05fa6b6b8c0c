/**
 * What the command line and the library ask of a campaign, a replay and a recheck. Types only.
 *
 * Owns: the signatures. `campaign.ts` and `replay.ts` implement them, `model/finding.ts` has the nouns.
 */
import type { Counterexample } from '../model/counterexample.ts';
import type { CampaignResult, CheckReport, Finding, FindingRecord, ReplayResult } from '../model/finding.ts';
import type { Property } from '../oracle/property.ts';
import type { RunConfig } from './run-config.ts';

export interface Progress {
  readonly runs: number;
  readonly runsPerSecond: number;
  readonly findings: number;
  /** Absent when the budget is a number of runs. */
  readonly remainingMs?: number;
  /** What the campaign does now: `references`, `search`, `shrink`, `confirm`. */
  readonly phase: string;
}

export interface CampaignEvents {
  onProgress?(progress: Progress): void;
  /** Called as soon as a finding is shrunk and confirmed, so that nothing found is lost when the campaign ends early. */
  onFinding?(finding: Finding): void;
}

/** Runs a campaign to the end of its budget. Aborting the signal ends it early with what it has: outcome `interrupted`. */
export type RunCampaign = (
  config: RunConfig,
  options?: { readonly events?: CampaignEvents; readonly signal?: AbortSignal },
) => Promise<CampaignResult>;

export interface ReplayOptions {
  readonly times: number;
  /** Absolute path of the target's module, resolved from the counterexample. */
  readonly targetModule: string;
  readonly properties: readonly Property[];
  readonly signal?: AbortSignal;
}

export type ReplayCounterexample = (counterexample: Counterexample, options: ReplayOptions) => Promise<ReplayResult>;

/** Judges a stored history again, without running anything. */
export type RecheckRecord = (record: FindingRecord, properties: readonly Property[]) => CheckReport;
