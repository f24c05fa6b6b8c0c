/**
 * Assembles everything that lives as long as a worker: virtual time, the server, the target's module, the environment controllers.
 *
 * Owns: the order (first virtual time, then the import of the target). Start at {@link createModuleHost}; benchmarks and tests that supply
 * their own target use {@link assembleHost}.
 */
import { ApiServer, type ApiServerOptions, type CallOutFunction } from 'stalemate-apiserver';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { installCrds } from '../../clusters/definitions.ts';
import { captureConsole } from '../../actors/in-process/console-capture.ts';
import { loadTarget } from '../../actors/in-process/load-target.ts';
import { installOutwardGuard } from '../../actors/in-process/outward-guard.ts';
import { installProcessGuard } from '../../actors/in-process/process-guard.ts';
import { startIncarnation } from '../../actors/in-process/target-incarnation.ts';
import { Disturbance } from '../../clusters/connections/disturbance.ts';
import { createRunEnvironment } from '../../actors/environment/in-run.ts';
import { calibrateQuietTurns } from '../../determinism/calibrate.ts';
import { createQuiescence } from '../../determinism/quiescence.ts';
import { Random } from '../../determinism/random.ts';
import { watchUncontrolled } from '../../determinism/uncontrolled.ts';
import { installVirtualTime, type VirtualTime } from '../../determinism/virtual-time.ts';
import type { ProjectManifests, RunSettings } from '../../model/counterexample.ts';
import { OUTSIDE_CRD } from '../../model/outside.ts';
import { identityOf, targetWorkload } from '../project/deployment.ts';
import { withoutSamples } from '../project/sample-wins.ts';
import { installProject } from '../project/install.ts';
import { given } from '../../model/given.ts';
import type { Subject } from '../subject.ts';
import type { Host, Launch } from '../run/host.ts';
import { Places } from '../run/places.ts';
import { MODULE_MODE } from '../run/run-mode.ts';
import { RUN_EPOCH_MS } from '../run/trial.ts';
import { CurrentRun } from './current-run.ts';
import { namespacesOf } from './namespaces-of.ts';
import { TimedServer } from './timed-server.ts';

export interface HostParts {
  readonly time: VirtualTime;
  readonly launch: Launch;
  readonly current?: CurrentRun;
  readonly crds: readonly KubeObject[];
  /** Samples; their namespaces exist from the beginning. */
  readonly samples?: readonly KubeObject[];
  readonly project?: ProjectManifests | null;
  readonly namespace: string;
  readonly settings: RunSettings;
  /** Number of turns of the event loop without activity after which the target counts as at rest. */
  readonly quietTurns?: number;
  /** Called each time the process becomes quiescent; if it throws, the run ends. */
  readonly check?: () => void;
  /** Called when the server begins a request and when it finishes one. */
  readonly served?: (() => void) | undefined;
}

/** Creates a host for a target that is a module. Installs virtual time in this process for good. */
export async function createModuleHost(subject: Subject, served?: () => void): Promise<Host> {
  const time = installVirtualTime();
  const guard = installProcessGuard({
    time,
    onUnowned: (error) => {
      throw error;
    },
  });
  const outward = installOutwardGuard();
  const target = await loadTarget(subject.target);
  const incarnations = {
    target,
    time,
    guard,
    transport: subject.transport,
    namespace: subject.namespace,
    effects: subject.settings.effects === true,
  };
  const current = new CurrentRun();
  const host = assembleHost({
    time,
    current,
    launch: (actor, upstream, tell) => startIncarnation(incarnations, actor, upstream, tell),
    crds: subject.crds,
    samples: subject.samples,
    project: subject.project,
    namespace: subject.namespace,
    settings: subject.settings,
    quietTurns: QUIET_TURNS,
    check: outward.check,
    served,
  });
  captureConsole(time, (actor, line) => current.run?.recorder.log(actor, line));
  return host;
}

/** The initial number of quiet turns of the event loop, used until a check run has measured how many the target needs. */
const QUIET_TURNS = 8;

/** The server of a run, with the fields that every kind of API server provides. */
export type HostServer = Pick<
  Host,
  'identity' | 'environment' | 'reads' | 'reseed' | 'places' | 'isAlone' | 'warnings'
>;

/** Assembles the server of a host with the objects that every run needs. `now` is in ms since 1970, `callOut` calls webhooks. */
export function assembleServer(
  subject: Pick<Subject, 'crds' | 'namespace' | 'settings'> & Partial<Pick<Subject, 'samples' | 'project'>>,
  now: () => number,
  callOut?: CallOutFunction,
  served?: () => void,
): HostServer & { readonly cluster: ApiServer } {
  const { settings, namespace, samples = [], project } = subject;
  let ids = new Random(settings.seed);
  const options: ApiServerOptions = {
    now,
    newUid: () => ids.uuid(),
    nameSuffix: () => ids.suffix(),
    authorization: project?.authorization ?? 'allow-all',
    emptyLogs: true,
    ...given({ callOut, kubelet: settings.answers }),
  };
  const server = served === undefined ? new ApiServer(options) : new TimedServer(options, served);
  installCrds(server, subject.crds);
  if (settings.effects === true) installCrds(server, [OUTSIDE_CRD]);
  for (const name of [namespace, ...namespacesOf(samples)]) ensureNamespace(server, name);
  if (project) installProject(server, withoutSamples(project, samples, namespace), namespace);
  server.seed([bystander(namespace)]);
  const workload = project ? targetWorkload(project, namespace) : undefined;
  const reads = new Set<string>();
  return {
    cluster: server,
    environment: (port, run) => createRunEnvironment(settings, port, server, { ...run, now, reads }),
    reads,
    ...{ places: Places.NONE, isAlone: () => false, warnings: () => [] },
    identity: workload === undefined ? undefined : identityOf(workload),
    reseed: (random) => {
      ids = random;
    },
  };
}

/** Defaults for the parts of a host that a target in this process does not need. */
const ALONE_IN_PROCESS = {
  drainMs: 0,
  beside: [],
  cleared: () => Promise.resolve(),
  isSingle: true,
  isCostly: false,
  disturbance: new Disturbance([]),
} satisfies Partial<Host>;

/** Assembles a host for a target that is started by `launch`. */
export function assembleHost(parts: HostParts): Host {
  const { time, current = new CurrentRun() } = parts;
  const quiescence = createQuiescence({
    time,
    activity: () => current.run?.gate.activity ?? 0,
    ...given({ quietTurns: parts.quietTurns }),
  });
  const base = assembleServer(parts, () => RUN_EPOCH_MS + time.now(), undefined, parts.served);
  let drained = (): void => {};
  const host: Host = {
    ...base,
    ...ALONE_IN_PROCESS,
    mode: MODULE_MODE,
    time,
    pace: { ...MODULE_MODE.pace, readyWithinMs: 0, graceMs: { replaced: 0, ended: 0 } },
    launch: parts.launch,
    begin: current.begin,
    drain: async () => {
      await quiescence.drain();
      parts.check?.();
      // Activity after the end of a run does not belong to the target.
      if (current.run !== undefined) drained();
    },
    watch: async (work) => {
      const watching = watchUncontrolled(time);
      let drains = 0;
      drained = () => {
        // The first drain of a run ends the target's start. File reads during the start are harmless, because they finish before
        // contention.
        if (++drains === 1) watching.started();
        watching.quiescent();
      };
      try {
        await work();
      } finally {
        drained = () => {};
        watching.stop();
      }
      return watching.stop();
    },
    calibrate: (work) => calibrateQuietTurns(quiescence, work),
    sibling: () => Promise.resolve(host),
  };
  base.cluster.observe((change) => current.run?.committed(change));
  return host;
}

/** Returns a ConfigMap that exists in every run under the same uid: a harmless owner for owner references of writers. */
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
