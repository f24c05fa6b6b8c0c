/**
 * An actor of a run.
 *
 * `controller` is the target's first incarnation, `controller~2` the next (after a crash or as a replica), `controller:NAME` and
 * `controller:NAME~2` those of a program beside it, `user` the client that applies and edits the sample, `writer-1`… the adversarial
 * writers, `gc`, `storage-protection`, `namespaces`, `workloads` the environment controllers.
 */
export type ActorId = string;

export type ActorRole = 'target' | 'user' | 'writer' | 'environment';

/** The environment controller that simulates the workload controllers and the kubelet. */
export const WORKLOADS: ActorId = 'workloads';

/** The target's own program. */
export const TARGET = 'controller';

/** Returns the actor of a program that runs beside the target's own. */
export function besideTarget(name: string): ActorId {
  return `${TARGET}:${name}`;
}

/** Returns the name that all incarnations of a program share: `controller` for `controller~2`. */
export function programOf(actor: ActorId): ActorId {
  return actor.replace(/~\d+$/, '');
}

/** Returns the role that an actor's name implies. */
export function roleOf(actor: ActorId): ActorRole {
  if (actor.startsWith(TARGET)) return 'target';
  if (actor.startsWith('writer-')) return 'writer';
  return actor === 'user' ? 'user' : 'environment';
}
