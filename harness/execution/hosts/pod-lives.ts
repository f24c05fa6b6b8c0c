/**
 * Starts incarnations of a target that runs inside a kind cluster, whichever API server the run uses.
 *
 * Owns: how the node, the pod of each incarnation and its front are connected. Start at {@link podLives}.
 */
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { openEnclosure } from '../../actors/process/enclosure.ts';
import { podHost, startPod, type PodHost } from '../../actors/process/pod-incarnation.ts';
import type { ProcessIncarnation } from '../../actors/process/process-incarnation.ts';
import { KindPods } from '../../clusters/kind/pods.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { invariant } from '../../model/errors.ts';
import type { ActorId } from '../../model/actor.ts';
import type { ProcessEventKind } from '../../model/history.ts';
import { planPod, podObjects } from '../project/target-pod.ts';
import type { Subject } from '../subject.ts';

/** Starts one incarnation. */
export type StartLife = (
  actor: ActorId,
  upstream: Upstream,
  tell: (kind: ProcessEventKind, detail: string) => void,
  copy: number,
) => ProcessIncarnation;

export interface PodLives {
  readonly start: StartLife;
  readonly warnings: readonly string[];
}

/** Returns a function that starts incarnations. @throws {CLUSTER_UNAVAILABLE} if pods could not reach this machine. */
export async function podLives(
  subject: Subject,
  target: ProcessTarget,
  { serve, print }: Pick<PodHost, 'serve' | 'print'>,
): Promise<PodLives> {
  const { kindAccess } = subject;
  invariant(kindAccess !== undefined, 'a kind cluster is made before a target is to run in it');
  const [pods, enclosure] = await Promise.all([
    KindPods.open(kindAccess),
    openEnclosure({ network: 'host', fileSystem: 'host' }),
  ]);
  const plan = planPod(target, subject, kindAccess.images);
  const host = podHost({
    serve,
    target,
    enclosure,
    print,
    place: {
      address: pods.address,
      wayTo: (port) => pods.wayTo(port),
      start: (access, ears) =>
        pods.start((name) => podObjects(plan, access, { name, node: pods.node }), ears, target.readyWithinMs),
    },
  });
  return { start: (actor, upstream, tell) => startPod(host, actor, upstream, tell), warnings: plan.warnings };
}
