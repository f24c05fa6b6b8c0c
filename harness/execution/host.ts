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
import type { Host, Launch, Pace } from './world.ts';
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

/** A host for the target of a subject. For a module it installs virtual time in this process, for good. `beat` hears of every wait. */
export async function createHost(subject: Subject, beat: () => void = () => {}): Promise<Host> {
  if (subject.process !== null) {
    const { createProcessHost } = await import('./process-host.ts');
    return createProcessHost(subject, subject.process, beat);
  }
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

/** An idle window longer than a resync of half a minute, shorter than boredom. */
const VIRTUAL_PACE: Pace = { setupWindowMs: 2_000, contentionWaitMs: 2_000, idleMs: 60_000 };

/** Turns of the event loop without activity that are waited for until a check run has measured what the target needs. */
const QUIET_TURNS = 8;

/** The server of a host, with what every run needs in it. `now` is in ms since 1970. */
export function assembleServer(
  subject: Pick<Subject, 'crds' | 'namespace' | 'settings'>,
  now: () => number,
): Pick<Host, 'server' | 'environment' | 'reseed'> {
  const { settings, namespace } = subject;
  let ids = new Random(settings.seed);
  const server = new ApiServer({
    now,
    newUid: () => ids.uuid(),
    nameSuffix: () => ids.suffix(),
  });
  for (const crd of subject.crds) server.installCrd(crd);
  ensureNamespace(server, namespace);
  server.seed([bystander(namespace)]);
  return {
    server,
    environment: (port) => createEnvironment(settings, port, server),
    reseed: (random) => {
      ids = random;
    },
  };
}

/** A host for a target that is started by `launch`. */
export function assembleHost(parts: HostParts): Host {
  const { time } = parts;
  const activity = parts.activity ?? (() => 0);
  const quiescence = createQuiescence({
    time,
    activity: () => activity() + (host.current?.gate.activity ?? 0),
    ...(parts.inFlight === undefined ? {} : { inFlight: parts.inFlight }),
    ...(parts.quietTurns === undefined ? {} : { quietTurns: parts.quietTurns }),
  });
  const host: Host = {
    ...assembleServer(parts, () => RUN_EPOCH_MS + time.now()),
    time,
    pace: VIRTUAL_PACE,
    launch: parts.launch,
    control: { time, quiescence },
    onDrained: undefined,
    drain: () => quiescence.drain(),
    current: undefined,
  };
  host.server.observe((change) => host.current?.committed(change));
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
