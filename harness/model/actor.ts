/**
 * Who acts in a run.
 *
 * `controller` is the target's first incarnation, `controller~2` the next (after a crash or as a replica), `user` whoever applies
 * and edits the sample, `writer-1`… the adversarial writers, `gc`, `namespaces`, `workloads` the environment controllers.
 */
export type ActorId = string;

export type ActorRole = 'target' | 'user' | 'writer' | 'environment';

/** The environment controller that brings workloads to life. */
export const WORKLOADS: ActorId = 'workloads';

/** The role that an actor's name implies. */
export function roleOf(actor: ActorId): ActorRole {
  if (actor.startsWith('controller')) return 'target';
  if (actor.startsWith('writer-')) return 'writer';
  return actor === 'user' ? 'user' : 'environment';
}
