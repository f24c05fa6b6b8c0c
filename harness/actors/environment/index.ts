/** The environment controllers of a run, as its settings ask for them. A real cluster brings its own. */
import type { Upstream } from 'stalemate-apiserver/wire/http';
import type { ActorId } from '../../model/actor.ts';
import type { RunSettings } from '../../model/counterexample.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import { createGarbageCollector } from './garbage-collector.ts';
import { createNamespaceController } from './namespace-controller.ts';
import type { Kinds } from './requests.ts';

export interface EnvironmentController {
  readonly actor: ActorId;
  /** Receives every committed change and whose it is, in order; requests follow later, through the controller's own port. */
  onChange(change: ObservedChange, actor?: ActorId): void;
}

/** Makes the controllers that `settings` switch on, each with a port of its own. */
export function createEnvironment(
  settings: Pick<RunSettings, 'garbageCollection' | 'namespaceController'>,
  port: (actor: ActorId) => Upstream,
  kinds: Kinds,
): readonly EnvironmentController[] {
  const controllers: EnvironmentController[] = [];
  if (settings.garbageCollection) controllers.push(createGarbageCollector({ upstream: port('gc'), kinds }));
  if (settings.namespaceController) {
    controllers.push(createNamespaceController({ upstream: port('namespaces'), kinds }));
  }
  return controllers;
}
