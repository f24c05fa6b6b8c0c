/**
 * The environment of one run: the controllers of every cluster, and workloads that become ready if the settings ask for it.
 *
 * Owns: which objects the workload controllers manage. Separate from `index.ts`, so that a served API server loads no more than it needs.
 * Start at {@link createRunEnvironment}.
 */
import type { Upstream } from 'stalemate-apiserver/wire/http';
import type { Random } from '../../determinism/random.ts';
import { roleOf, WORKLOADS, type ActorId } from '../../model/actor.ts';
import type { RunSettings } from '../../model/counterexample.ts';
import { createEnvironment, type EnvironmentController } from './index.ts';
import type { Kinds } from './requests.ts';
import { createWorkloads, type TrialRules } from './workloads/index.ts';

/** The facts about a run that the environment needs. */
export interface RunFacts {
  readonly random: Random;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  /** Calls `then` after this much run time, unless the run has ended. */
  readonly after: (delayMs: number, then: () => void) => void;
  /** The resources that the target read in earlier runs. */
  readonly reads: ReadonlySet<string>;
}

/** Creates the controllers that `settings` enable, each with a port of its own. */
export function createRunEnvironment(
  settings: Pick<RunSettings, 'garbageCollection' | 'namespaceController' | 'workloads' | 'workloadsExcept'>,
  port: (actor: ActorId) => Upstream,
  kinds: Kinds,
  run: RunFacts,
): readonly EnvironmentController[] {
  const controllers = createEnvironment(settings, port, kinds);
  const { workloads = 'off', workloadsExcept = [] } = settings;
  if (workloads === 'off') return controllers;
  const trial = rulesOf(workloads, new Set(workloadsExcept), run);
  return [...controllers, createWorkloads({ upstream: port(WORKLOADS), kinds, now: run.now, trial })];
}

/**
 * Returns the rules for a run. With `auto`, only workloads that the target creates and reads back are managed, because no client waits for
 * the status of any other.
 */
function rulesOf(
  workloads: 'auto' | 'fast' | 'slow',
  except: ReadonlySet<string>,
  { reads, random, after }: RunFacts,
): TrialRules {
  const auto = workloads === 'auto';
  return {
    speed: workloads === 'slow' ? 'slow' : 'fast',
    random,
    after,
    tends: (resource, actor) => !auto || (roleOf(actor) === 'target' && reads.has(resource)),
    isLeftToTarget: (resource) => except.has(resource),
    readsPods: () => BELOW.some((resource) => reads.has(resource)),
  };
}

/** The kinds that a workload creates. */
const BELOW = ['pods', 'replicasets.apps'] as const;
