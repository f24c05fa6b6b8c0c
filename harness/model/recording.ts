/** The recording: a run without a verdict. Either stalemate did not make the run, or it could not judge it. */
import type { ActorId } from './actor.ts';
import type { History } from './history.ts';
import type { Schedule } from './schedule.ts';

export interface Recording {
  readonly version: 2;
  readonly kind: 'recording';
  /** A gate in front of the user's test suite, the server's audit log, or a run of a campaign. */
  readonly source: 'gate' | 'audit-log' | 'run';
  /** For a run of a campaign: the property that was inconclusive, and why. */
  readonly inconclusive?: { readonly property: string; readonly reason: string };
  /** The user agent or user name of each actor. */
  readonly actors: { readonly [actor: ActorId]: string };
  /** Notes on what could not be observed and what was guessed. */
  readonly notes: readonly string[];
  /** The deviations of the run from the default order, as far as they can be observed. */
  readonly schedule: Schedule;
  readonly history: History;
}

/** The recording of a campaign's run for which a property was inconclusive. */
export type UnjudgedRun = Recording & Required<Pick<Recording, 'inconclusive'>>;
