/** The environment controllers of a run, as its settings request. A real cluster has its own controllers. */
import type { Upstream } from 'stalemate-apiserver/wire/http';
import type { ActorId } from '../../model/actor.ts';
import type { RunSettings } from '../../model/counterexample.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import { createGarbageCollector } from './garbage-collector.ts';
import { createNamespaceController } from './namespace-controller.ts';
import type { Kinds } from './requests.ts';
import { createStorageProtection } from './storage-protection.ts';

export interface EnvironmentController {
  readonly actor: ActorId;
  /** Called with every committed change and its actor, in order; resulting requests are sent later, through the controller's own port. */
  onChange(change: ObservedChange, actor?: ActorId): void;
}

/** Creates the controllers that `settings` enable, each with a port of its own. */
export function createEnvironment(
  settings: Pick<RunSettings, 'garbageCollection' | 'namespaceController' | 'workloadsExcept'>,
  port: (actor: ActorId) => Upstream,
  kinds: Kinds,
): readonly EnvironmentController[] {
  const controllers: EnvironmentController[] = [];
  if (settings.garbageCollection) {
    controllers.push(createGarbageCollector({ upstream: port('gc'), kinds }));
    controllers.push(createStorageProtection(port('storage-protection'), new Set(settings.workloadsExcept)));
  }
  if (settings.namespaceController) {
    controllers.push(createNamespaceController({ upstream: port('namespaces'), kinds }));
  }
  return controllers;
}
