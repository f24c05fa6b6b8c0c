/** The recording: a run that stalemate did not make, as its gate or the server's audit log saw it. */
import type { ActorId } from './actor.ts';
import type { History } from './history.ts';
import type { Schedule } from './schedule.ts';

export interface Recording {
  readonly version: 1;
  readonly kind: 'recording';
  readonly source: 'gate' | 'audit-log';
  /** What each actor called itself: its user agent, or its user. */
  readonly actors: { readonly [actor: ActorId]: string };
  /** What could not be seen, and what was guessed. */
  readonly notes: readonly string[];
  /** How the run deviated from the default order, as far as that shows. */
  readonly schedule: Schedule;
  readonly history: History;
}
