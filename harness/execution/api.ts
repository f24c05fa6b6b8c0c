/**
 * What the command line and the library hear of a campaign, and what they ask of a replay. Types only.
 *
 * `campaign.ts` and `replay.ts` work with them; `model/finding.ts` has the nouns.
 */
import type { ExistingAccess } from '../clusters/existing/access.ts';
import type { ClusterKind } from '../model/cluster.ts';
import type { KindAccess } from '../model/kind-options.ts';
import type { Finding } from '../model/finding.ts';
import type { Declarations } from '../model/waiver.ts';
import type { Property } from '../oracle/property.ts';
import type { SubjectTarget } from './protocol.ts';

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

export interface ReplayOptions {
  readonly times: number;
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
