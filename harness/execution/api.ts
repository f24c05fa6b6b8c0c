/**
 * The events of a campaign and the options of a replay, for the command line and the library. Types only.
 *
 * Used by `campaign/campaign.ts` and `replay/replay.ts`; the results are defined in `model/finding.ts`.
 */
import type { ExistingAccess } from '../clusters/existing/access.ts';
import type { ClusterKind } from '../model/cluster.ts';
import type { KindAccess } from '../model/kind-options.ts';
import type { CampaignResult, Finding, InconclusiveRun } from '../model/finding.ts';
import type { Declarations } from '../model/declarations.ts';
import type { StrategyName } from '../model/trial.ts';
import type { Property } from '../oracle/property.ts';
import type { SubjectTarget } from './subject.ts';

export interface Progress {
  readonly runs: number;
  readonly runsPerSecond: number;
  readonly findings: number;
  /** Absent when the budget is a number of runs. */
  readonly remainingMs?: number;
  /** The current phase of the campaign: `load`, `references`, `search`, `shrink`, `reproduce`. */
  readonly phase: string;
  /** Number of the current undisturbed run; present while the target is measured. */
  readonly undisturbed?: number;
}

/** A violation before it is shrunk and reproduced. */
export interface SeenViolation extends Pick<Finding, 'violation' | 'counterexample' | 'record'> {
  /** The strategy of the trial that showed it; absent if the trial was not drawn at random. */
  readonly strategy?: StrategyName;
}

export interface CampaignEvents {
  onProgress?(progress: Progress): void;
  /** Called as soon as a finding is shrunk and reproduced, so that no finding is lost if the campaign ends early. */
  onFinding?(finding: Finding): void;
  /** Called with a violation before it is shrunk and reproduced; {@link onSettled} follows when both are done, whatever the result. */
  onSeen?(violation: SeenViolation): void;
  onSettled?(): void;
  /** Called with the first inconclusive run for each of the first few reasons. */
  onInconclusive?(run: InconclusiveRun): void;
  /** Called before the campaign throws, with its results so far, as if it had been interrupted. */
  onBroken?(result: CampaignResult): void;
}

export interface ReplayOptions {
  readonly times: number;
  /** Whether to shrink a violation that reproduces and then reproduce it again. A campaign does the same with less time. */
  readonly shrink?: boolean;
  /** Real time in ms after which the current run is cut short and does not count. */
  readonly timeMs?: number;
  /** Called when another phase begins: `load`, `references`, `replay`, `shrink`, `reproduce`. */
  readonly onPhase?: (phase: string) => void;
  /** The target, resolved from the counterexample. */
  readonly target: SubjectTarget;
  readonly properties: readonly Property[];
  /** The kind of API server; default the embedded one. */
  readonly cluster?: ClusterKind;
  /** The toxiproxy server that the schedule needs; `null` if it needs none. */
  readonly toxiproxy: string | null;
  /** The kind cluster, if `cluster` is `kind`. */
  readonly kindAccess?: KindAccess;
  /** The existing cluster, if `cluster` is `existing`. */
  readonly existing?: ExistingAccess;
  /** Absolute path of the report folder with the counterexample, and with stored references of its target. */
  readonly reportDir?: string;
  /** The user's declarations about fields. */
  readonly declared?: Declarations;
  readonly signal?: AbortSignal;
}
