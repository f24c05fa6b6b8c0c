/** The recording: a run that nobody is blamed for. Either stalemate did not make it, or it could not judge it. */
import type { ActorId } from './actor.ts';
import type { History } from './history.ts';
import type { Schedule } from './schedule.ts';

export interface Recording {
  readonly version: 2;
  readonly kind: 'recording';
  /** The gate before somebody else's suite, the server's audit log, or a run of a campaign. */
  readonly source: 'gate' | 'audit-log' | 'run';
  /** Of a run of a campaign: the property that has no opinion on it, and why. */
  readonly inconclusive?: { readonly property: string; readonly reason: string };
  /** What each actor called itself: its user agent, or its user. */
  readonly actors: { readonly [actor: ActorId]: string };
  /** What could not be seen, and what was guessed. */
  readonly notes: readonly string[];
  /** How the run deviated from the default order, as far as that shows. */
  readonly schedule: Schedule;
  readonly history: History;
}

/** A run of a campaign that a property has no opinion on. */
export type UnjudgedRun = Recording & Required<Pick<Recording, 'inconclusive'>>;
