/**
 * Identifies the actors of a recording by their user agents.
 *
 * Owns: the names of actors. A program that watches collections and writes is the controller; control plane components are the environment;
 * of the other agents, the first is the user and the rest are writers. Start at {@link nameActors}.
 */
import type { ActorId } from '../../model/actor.ts';
import { isWrite, type Verb } from '../../model/history.ts';

/**
 * Returns the program of a user agent: client-go uses a separate agent for leader election, and watches of client-node use the agent of its
 * HTTP library.
 */
export function programOf(agent: string): string {
  return CLIENT_NODE.test(agent) ? 'kubernetes-client-javascript' : agent.replace(/\/leader-election$/, '');
}

const CLIENT_NODE = /^(?:kubernetes-client-javascript\b.*|undici|node-fetch)$/;

/** The activity of one user agent. */
export interface AgentActivity {
  readonly agent: string;
  readonly watches: number;
  readonly writes: number;
}

/** Returns the activity of each agent, in order of first request. `verb` is undefined for requests that are not for a resource. */
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

/** Matches programs of the control plane, which act for all users. */
const ENVIRONMENT =
  /^(?:kube-controller-manager|kube-scheduler|kubelet|kube-apiserver|cloud-controller-manager|kwok)\b/;

/**
 * Names each agent.
 *
 * @param target Part of the controller's user agent; if absent, the agent with the most writes among those that watch is chosen.
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
