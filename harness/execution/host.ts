/**
 * Puts together what lives as long as a worker: virtual time, the server, the target's module, the environment controllers.
 *
 * Owns: the order (time first, then the target's import). Start at {@link createHost}; benchmarks and tests that bring a target of
 * their own use {@link assembleHost}.
 */
import { captureConsole } from '../actors/in-process/console-capture.ts';
import { loadTarget } from '../actors/in-process/load-target.ts';
import { installProcessGuard } from '../actors/in-process/process-guard.ts';
import { startIncarnation } from '../actors/in-process/target-incarnation.ts';
import { createEnvironment } from '../actors/environment/index.ts';
import { ApiServer } from '../apiserver/server.ts';
import { createQuiescence } from '../determinism/quiescence.ts';
import { Random } from '../determinism/random.ts';
import { installVirtualTime } from '../determinism/virtual-time.ts';
import type { VirtualTime } from '../determinism/virtual-time.ts';
import type { RunSettings } from '../model/counterexample.ts';
import type { KubeObject } from '../model/object.ts';
import type { Subject } from './protocol.ts';
import type { Host, Launch } from './world.ts';
import { RUN_EPOCH_MS } from './trial.ts';

export interface HostParts {
  readonly time: VirtualTime;
  readonly launch: Launch;
  readonly crds: readonly KubeObject[];
  readonly namespace: string;
  readonly settings: RunSettings;
  /** Counts what moves in the target's transport, beside timers and requests. */
  readonly activity?: () => number;
  readonly inFlight?: () => number;
  /** Turns of the event loop without activity after which the target is taken to be at rest. */
  readonly quietTurns?: number;
}

/** A host for the module that a subject names. Installs virtual time in this process, for good. */
export async function createHost(subject: Subject): Promise<Host> {
  const time = installVirtualTime();
  const guard = installProcessGuard({
    time,
    onUnowned: (error) => {
      throw error;
    },
  });
  const target = await loadTarget(subject.target);
  const incarnations = { target, time, guard, transport: subject.transport, namespace: subject.namespace };
  const host = assembleHost({
    time,
    launch: (actor, upstream, tell) => startIncarnation(incarnations, actor, upstream, tell),
    crds: subject.crds,
    namespace: subject.namespace,
    settings: subject.settings,
    quietTurns: QUIET_TURNS,
  });
  captureConsole(time, (actor, line) => host.current?.recorder.log(actor, line));
  return host;
}

/** Turns of the event loop without activity that are waited for until a check run has measured what the target needs. */
const QUIET_TURNS = 8;

/** A host for a target that is started by `launch`. */
export function assembleHost(parts: HostParts): Host {
  const { time, settings } = parts;
  let ids = new Random(settings.seed);
  const server = new ApiServer({
    now: () => RUN_EPOCH_MS + time.now(),
    newUid: () => ids.uuid(),
    nameSuffix: () => ids.suffix(),
  });
  for (const crd of parts.crds) server.installCrd(crd);
  ensureNamespace(server, parts.namespace);
  server.seed([bystander(parts.namespace)]);
  const activity = parts.activity ?? (() => 0);
  const quiescence = createQuiescence({
    time,
    activity: () => activity() + (host.current?.gate.activity ?? 0),
    ...(parts.inFlight === undefined ? {} : { inFlight: parts.inFlight }),
    ...(parts.quietTurns === undefined ? {} : { quietTurns: parts.quietTurns }),
  });
  const host: Host = {
    time,
    server,
    launch: parts.launch,
    quiescence,
    onDrained: undefined,
    drain: () => quiescence.drain(),
    environment: (port) => createEnvironment(settings, port, server),
    reseed: (random) => {
      ids = random;
    },
    current: undefined,
  };
  server.observe((change) => host.current?.committed(change));
  return host;
}

/** Lives through every run under the same uid: the harmless owner that writers may name in owner references. */
export function bystander(
  namespace: string,
): KubeObject & { readonly metadata: { readonly uid: string; readonly name: string } } {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'stalemate-bystander', namespace, uid: '00000000-0000-4000-8000-000000000000' },
  };
}

function ensureNamespace(server: ApiServer, name: string): void {
  if (server.object('namespaces', '', name) !== undefined) return;
  server.send(
    {
      method: 'POST',
      path: '/api/v1/namespaces',
      query: {},
      headers: { 'content-type': 'application/json' },
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    },
    { answer: () => {}, open: () => {}, event: () => {}, end: () => {} },
  );
}
