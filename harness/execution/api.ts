/**
 * What the command line and the library hear of a campaign, and what they ask of a replay. Types only.
 *
 * `campaign/campaign.ts` and `replay/replay.ts` work with them; `model/finding.ts` has the nouns.
 */
import type { ExistingAccess } from '../clusters/existing/access.ts';
import type { ClusterKind } from '../model/cluster.ts';
import type { KindAccess } from '../model/kind-options.ts';
import type { CampaignResult, Finding, InconclusiveRun } from '../model/finding.ts';
import type { Declarations } from '../model/declarations.ts';
import type { Property } from '../oracle/property.ts';
import type { SubjectTarget } from './subject.ts';

export interface Progress {
  readonly runs: number;
  readonly runsPerSecond: number;
  readonly findings: number;
  /** Absent when the budget is a number of runs. */
  readonly remainingMs?: number;
  /** What the campaign does now: `load`, `references`, `search`, `shrink`, `reproduce`. */
  readonly phase: string;
  /** Number of the current undisturbed run, while the target is measured. */
  readonly undisturbed?: number;
}

/** A violation as it was found: neither shrunk nor proved. */
export type SeenViolation = Pick<Finding, 'violation' | 'counterexample' | 'record'>;

export interface CampaignEvents {
  onProgress?(progress: Progress): void;
  /** Called as soon as a finding is shrunk and reproduced, so that no finding is lost if the campaign ends early. */
  onFinding?(finding: Finding): void;
  /** Called with a violation before it is shrunk and reproduced; {@link onSettled} follows when that has ended, whatever the result. */
  onSeen?(violation: SeenViolation): void;
  onSettled?(): void;
  /** Called with the first inconclusive run for each of the first few reasons. */
  onInconclusive?(run: InconclusiveRun): void;
  /** Called before the campaign throws, with its results so far: as if it had been interrupted. */
  onBroken?(result: CampaignResult): void;
}

export interface ReplayOptions {
  readonly times: number;
  /** If it reproduces: shrinks and reproduces it as a campaign does, with more time. */
  readonly shrink?: boolean;
  /** Real time, ms: a run under way then is cut short, and counts for nothing. */
  readonly timeMs?: number;
  /** Resolved from the counterexample. */
  readonly target: SubjectTarget;
  readonly properties: readonly Property[];
  /** What answers the API; default the embedded server. */
  readonly cluster?: ClusterKind;
  /** The toxiproxy server that the schedule needs; `null` when it needs none. */
  readonly toxiproxy: string | null;
  /** The kind cluster, when that is what is meant. */
  readonly kindAccess?: KindAccess;
  /** Which one, where it is somebody else's. */
  readonly existing?: ExistingAccess;
  /** Absolute: the report folder that the counterexample lies in, with what is known of its target. */
  readonly reportDir?: string;
  /** What the user says of fields. */
  readonly declared?: Declarations;
  readonly signal?: AbortSignal;
}
