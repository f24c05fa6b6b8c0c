/**
 * Who is who in a recording: actors are told apart by their user agents.
 *
 * Owns: names for them. Whoever watches collections and writes is the controller; control plane components are the environment; the
 * others are people with a test program. Start at {@link nameActors}.
 */
import type { ActorId } from '../../model/actor.ts';
import { isWrite, type Verb } from '../../model/history.ts';

/**
 * One program, whichever of its clients asks: client-go gives the one for leader election a name of its own, and watches of client-node
 * go by the name of the library below.
 */
export function programOf(agent: string): string {
  return CLIENT_NODE.test(agent) ? 'kubernetes-client-javascript' : agent.replace(/\/leader-election$/, '');
}

const CLIENT_NODE = /^(?:kubernetes-client-javascript\b.*|undici|node-fetch)$/;

/** What one user agent did. */
export interface AgentActivity {
  readonly agent: string;
  readonly watches: number;
  readonly writes: number;
}

/** What each agent did, in order of their first requests. `verb` is absent for what is no request for a resource. */
export function activitiesOf(
  requests: Iterable<{ readonly agent: string; readonly verb: Verb | undefined }>,
): readonly AgentActivity[] {
  const found = new Map<string, { agent: string; watches: number; writes: number }>();
  for (const { agent, verb } of requests) {
    const activity = found.get(agent) ?? { agent, watches: 0, writes: 0 };
    found.set(agent, activity);
    if (verb === 'watch') activity.watches++;
    else if (verb !== undefined && isWrite(verb)) activity.writes++;
  }
  return [...found.values()];
}

/** Programs of the control plane that act for everybody. */
const ENVIRONMENT =
  /^(?:kube-controller-manager|kube-scheduler|kubelet|kube-apiserver|cloud-controller-manager|kwok)\b/;

/**
 * A name for each agent.
 *
 * @param target Part of the user agent of the controller; absent, it is guessed: the one that watches and writes most.
 */
export function nameActors(activities: readonly AgentActivity[], target?: string): ReadonlyMap<string, ActorId> {
  const candidates = activities.filter(({ agent }) => !ENVIRONMENT.test(agent));
  const controller =
    target === undefined
      ? candidates
          .filter(({ watches, writes }) => watches > 0 && writes > 0)
          .toSorted((a, b) => b.writes - a.writes || a.agent.localeCompare(b.agent))[0]
      : candidates.find(({ agent }) => agent.includes(target));
  const names = new Map<string, ActorId>();
  let writers = 0;
  let users = 0;
  for (const { agent } of activities) {
    if (ENVIRONMENT.test(agent)) names.set(agent, agent.split('/')[0] ?? agent);
    else if (agent === controller?.agent) names.set(agent, 'controller');
    else names.set(agent, users++ === 0 ? 'user' : `writer-${++writers}`);
  }
  return names;
}
