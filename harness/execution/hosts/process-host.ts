/**
 * The host of a target that is a process: the embedded server and the gate are in this process, the target is behind a front of its own.
 *
 * All messages wait at the gate, as in the deterministic mode. The differences are how rest is detected and how time passes
 * (`steered-rest.ts`; `wall-rest.ts` in real time). Start at {@link createProcessHost}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { EnclosurePool } from '../../actors/process/enclosure-pool.ts';
import { startProcess } from '../../actors/process/process-incarnation.ts';
import { processHost, type ProcessHost } from '../../actors/process/process-settings.ts';
import { nextProcessor } from '../../actors/process/processors.ts';
import { Disturbance } from '../../clusters/connections/disturbance.ts';
import { checkToxiproxy } from '../../clusters/connections/toxiproxy.ts';
import { findHostOf } from '../../clusters/kind/way-in.ts';
import { realNow } from '../../determinism/real-time.ts';
import { WallClock, type RunClock } from '../../determinism/run-clock.ts';
import { SteeredClock } from '../../determinism/steered-clock.ts';
import { besideTarget, programOf, TARGET, type ActorId } from '../../model/actor.ts';
import type { MountedFile } from '../../actors/process/mounted-files.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { invariant } from '../../model/errors.ts';
import { linksOf } from '../config/chosen-faults.ts';
import { ownTarget } from '../config/process-target.ts';
import { throughToxiproxy } from './disturbed-links.ts';
import { openRunCluster } from './run-cluster.ts';
import { podLives, type StartLife } from './pod-lives.ts';
import { Lookups } from './lookups.ts';
import { CurrentRun } from './current-run.ts';
import { WallRest } from './wall-rest.ts';
import type { Rest } from './rest.ts';
import { SteeredRest } from './steered-rest.ts';
import { MountedVolumes } from './mounted-volumes.ts';
import { podName, podUid, type TargetWorkload } from '../project/deployment.ts';
import { podFor, type Pod } from '../project/pod.ts';
import { containerPortOf, ledTo } from '../project/webhooks.ts';
import type { Places } from '../run/places.ts';
import type { Subject } from '../subject.ts';
import { WebhookConfigurations } from './webhook-configurations.ts';
import { WebhookCalls, type WebhookCallOptions } from './webhook-calls.ts';
import { openRelay } from './webhook-relay.ts';
import type { Pace } from '../run/pace.ts';
import { REAL_MODE, VIRTUAL_MODE, type RunMode } from '../run/run-mode.ts';
import type { Host, Launch } from '../run/host.ts';

const UNASKED = 'the API server would not reach the webhooks of the target; leave them out of the manifests';

/** The grace period of a replaced incarnation in ms, as in a rollout but shorter. */
const REPLACED_GRACE_MS = 2_000;

function paceOf({ readyWithinMs, graceMs, programs = {} }: ProcessTarget, mode: RunMode): Pace {
  return {
    ...mode.pace,
    readyWithinMs: Math.max(readyWithinMs, ...Object.values(programs).map((beside) => beside.readyWithinMs)),
    graceMs: { replaced: Math.max(graceMs, REPLACED_GRACE_MS), ended: graceMs },
  };
}

/**
 * Reports whether the target's clocks can be steered: that requires control over the server's clock too, and no component in between with a
 * clock of its own.
 */
function maySteer({ cluster, toxiproxy = null }: Subject, { time, inCluster }: ProcessTarget): boolean {
  return time === 'virtual' && cluster === 'embedded' && toxiproxy === null && !inCluster;
}

/** Returns warnings for the user about the target's environment. */
function warningOf(subject: Subject, target: ProcessTarget, pool: EnclosurePool): string | null {
  const why =
    maySteer(subject, target) && pool.unsteered !== null ? `time passed in real time: ${pool.unsteered}` : null;
  return [pool.warning, why, subject.unsteered].filter((line) => typeof line === 'string').join('; ') || null;
}

function clockOf(
  steered: SteeredClock | undefined,
  beat: () => void,
): { readonly mode: RunMode; readonly time: RunClock; readonly rest: Rest } {
  if (steered !== undefined) return { mode: VIRTUAL_MODE, time: steered, rest: new SteeredRest(steered, beat) };
  const time = new WallClock();
  return { mode: REAL_MODE, time, rest: new WallRest(time, beat) };
}

/** Returns all programs of a target by actor, the main program first, each with the variables of the target's pod. */
function programsOf(target: ProcessTarget, pod: Pick<Pod, 'env'>): ReadonlyMap<ActorId, ProcessTarget> {
  const { programs = {}, ...own } = target;
  const all = [
    [TARGET, own] as const,
    ...Object.entries(programs).map(([name, beside]) => [besideTarget(name), ownTarget(target, beside)] as const),
  ];
  return new Map(all.map(([name, one]) => [name, { ...one, env: { ...pod.env, ...one.env } }]));
}

/**
 * Returns the host of a second copy, in a pod of its own: programs identify themselves in a lock by the name or the uid of their pod.
 */
function secondCopyOf(first: ProcessHost, workload: TargetWorkload | undefined): ProcessHost {
  if (workload === undefined) return { ...first, hostname: 'copy-1' };
  const [name, other] = [podName(workload), podName(workload, 1)];
  const changed = (text: string): string => {
    if (text === podUid()) return podUid(1);
    return text === name || text.endsWith(`=${name}`) ? text.slice(0, -name.length) + other : text;
  };
  const { command, env } = first.target;
  const own = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, changed(value)]));
  return { ...first, hostname: other, target: { ...first.target, command: command.map(changed), env: own } };
}

/**
 * Creates a host.
 *
 * @param beat Called at intervals as a sign of life; it may throw to interrupt a wait.
 */
export async function createProcessHost(subject: Subject, target: ProcessTarget, beat: () => void): Promise<Host> {
  const { toxiproxy = null } = subject;
  if (toxiproxy !== null) await checkToxiproxy(toxiproxy);
  const enclosures = await EnclosurePool.open(target);
  const current = new CurrentRun();
  const steered = maySteer(subject, target) && enclosures.unsteered === null ? new SteeredClock() : undefined;
  const { mode, time, rest } = clockOf(steered, beat);
  const processor = steered === undefined ? undefined : nextProcessor();
  const pod = podFor(subject, subject.settings.replicasMax);
  const volumes = new MountedVolumes(pod, () => rest.told());
  const configured = new WebhookConfigurations(pod, subject.cluster === 'embedded');
  const webhooks = webhooksOf(pod, {
    asked: () => configured.asked,
    time,
    run: () => current.run,
    connect: (port) => enclosures.connect(port),
    told: () => rest.told(),
  });
  const disturbance = new Disturbance(toxiproxy === null ? [] : linksOf(subject.cluster));
  const { serve, isBusy, ...server } = await openRunCluster(
    { ...subject, ...(await askedFrom(subject, pod, webhooks)) },
    current,
    webhooks,
    disturbance,
    steered === undefined ? undefined : () => Math.floor(steered.originMs + steered.exactMs),
  );
  // While a real server calls a webhook, the writer has no answer yet, but the webhook's own requests have to be released first.
  rest.alsoWhile((run) => ((isBusy() && !webhooks.isAsking) || disturbance.isBusy ? 'instant' : webhooks.holdup(run)));
  // A connection fault ends only after a drain; without this, the drain would wait for an incarnation that the fault keeps from connecting.
  rest.startsAfter(() => disturbance.isOver(time.now()));
  const lookups = new Lookups();
  const outside = {
    declared: subject.cluster === 'embedded' ? (subject.settings.answers?.outside ?? []) : [],
    lookedUp: (name: string, isKnown: boolean) => {
      rest.moved();
      if (!isKnown) lookups.missed(name);
    },
  };
  const clearing = new Set<Promise<void>>();
  const front = {
    serve: toxiproxy === null ? serve : throughToxiproxy(serve, toxiproxy, disturbance),
    print: (actor: ActorId, line: string) => {
      lookups.printed(line);
      // In real time, a program that prints all the time would never be at rest.
      if (steered !== undefined) rest.moved();
      current.run?.recorder.log(actor, line);
    },
  };
  const inCluster = target.inCluster ? await podLives(subject, target, front) : undefined;
  const programs = programsOf(target, pod);
  const there = (namespace: string): string => server.places.there(namespace);
  const livesOf = (own: ProcessTarget): StartLife => {
    const lives = processHost({
      ...front,
      clearing: (removed) => {
        clearing.add(removed);
        void removed.finally(() => clearing.delete(removed));
      },
      ...translated({ target: own, files: pod.files }, server.places),
      folders: () => volumes.folders,
      namespace: there(subject.namespace),
      ...(pod.workload === undefined
        ? {}
        : { hostname: podName(pod.workload), podNamespace: there(pod.workload.namespace) }),
      enclosures,
      outside,
      ...(steered === undefined
        ? {}
        : {
            clock: steered,
            onUnsteered: (what: string) => rest.lost(what),
            ...(processor === undefined ? {} : { processor }),
          }),
    });
    const second = secondCopyOf(lives, pod.workload);
    return (actor, to, report, copy) => startProcess(copy === 0 ? lives : second, actor, to, report);
  };
  const starts = new Map([...programs].map(([program, own]) => [program, inCluster?.start ?? livesOf(own)]));
  const launch: Launch = (actor, upstream, tell, copy) => {
    const program = programOf(actor);
    const [startLife, own] = [starts.get(program), programs.get(program)];
    invariant(startLife !== undefined && own !== undefined, `${actor} is a life of a program of the target`);
    const started = rest.starting(own.readyWithinMs);
    // The callback below ends registrations (such as `unmounted`) that are made only after it, because they need the incarnation. So the
    // incarnation must not report anything before this function has returned; everything that starts it is asynchronous.
    let isLaunched = false;
    const incarnation = startLife(
      actor,
      observed(upstream, rest, started),
      (kind, detail) => {
        invariant(isLaunched, `${actor} reports nothing ("${kind}") before its launch has returned`);
        rest.moved();
        if (kind !== 'started') started();
        if (kind === 'exited') ended();
        if (kind === 'exited') unmounted();
        if (kind === 'exited' || kind === 'start-failed') watched();
        tell(kind, detail);
      },
      copy,
    );
    const unmounted = volumes.starts(incarnation);
    const watched = rest.watch(incarnation);
    const ended = webhooks.starts(actor, incarnation);
    isLaunched = true;
    return {
      crash: () => {
        started();
        watched();
        ended();
        unmounted();
        incarnation.crash();
      },
      stop: telling(rest, () => incarnation.stop()),
      pause: telling(rest, () => incarnation.pause()),
      resume: telling(rest, () => incarnation.resume()),
      look: () => incarnation.look(),
      get ready() {
        return incarnation.ready;
      },
    };
  };
  let drainMs = 0;
  return {
    ...server,
    environment: (port, run) => [...server.environment(port, run), volumes.begins(run.after), configured.begins()],
    mode,
    time,
    pace: paceOf(target, mode),
    begin: current.begin,
    watch: (work) => work().then(() => []),
    calibrate: (work) => work().then(() => 0),
    launch,
    beside: [...programs.keys()].slice(1),
    cleared: async () => {
      await Promise.all(clearing);
    },
    warnings: () => [...server.warnings(), ...[webhooks.trouble ?? []].flat(), ...lookups.lines()],
    drain: async (run) => {
      const began = realNow();
      try {
        await rest.drain(run);
      } finally {
        drainMs += realNow() - began;
      }
    },
    get drainMs() {
      return drainMs;
    },
    containment:
      inCluster === undefined
        ? {
            network: enclosures.network,
            warning: warningOf(subject, target, enclosures),
            get unanswered() {
              return webhooks.trouble;
            },
          }
        : { network: 'none', warning: inCluster.warnings[0] ?? null },
    disturbance,
    // The sibling has a separate network, so both hosts may listen on the same port.
    sibling: () => createProcessHost(besideOf(subject), target, beat),
    isSingle: subject.cluster === 'kind',
    isCostly: subject.cluster !== 'embedded',
  };
}

/**
 * Returns the subject of a run made while another run is still open. Such a run starts an undisturbed target from given objects. There is
 * only one kind cluster, so the run uses the embedded server instead, also in real time.
 */
function besideOf(subject: Subject): Subject {
  return subject.cluster === 'kind' ? { ...subject, cluster: 'embedded' } : subject;
}

/** Replaces namespace names in the target's variables and arguments, and in the files that describe its pod. */
function translated(
  used: { readonly target: ProcessTarget; readonly files: readonly MountedFile[] },
  places: Places,
): typeof used {
  if (places.isEmpty) return used;
  const { target, files } = used;
  const word = (text: string): string => places.word(text);
  return {
    target: {
      ...target,
      command: target.command.map(word),
      env: Object.fromEntries(Object.entries(target.env).map(([name, value]) => [name, word(value)])),
    },
    files: files.map((file) => (file.below === 'pod' ? inWords(file, word) : file)),
  };
}

function inWords(file: MountedFile, word: (text: string) => string): MountedFile {
  const text = Buffer.from(file.content ?? []).toString();
  return { ...file, content: Buffer.from(word(text)) };
}

/** Makes the target's webhooks reachable: the embedded server calls them from this process, a real one through a relay. */
async function askedFrom(
  { cluster, kindAccess }: Subject,
  { crds, project, authority }: Pod,
  { ask }: WebhookCalls,
): Promise<Pick<Subject, 'crds' | 'project'>> {
  if (cluster === 'embedded' || cluster === 'existing' || project === null || authority === undefined)
    return { crds, project };
  const known = kindAccess === undefined ? {} : { place: await findHostOf(kindAccess, UNASKED) };
  const { urlOf } = await openRelay({ authority, ask, ...known });
  const led = (object: KubeObject): KubeObject => ledTo(object, urlOf);
  return { crds: crds.map(led), project: { ...project, objects: project.objects.map(led) } };
}

/** Returns the calls to the webhooks that the project's target serves. */
function webhooksOf({ workload, project }: Pod, about: Omit<WebhookCallOptions, 'portOf'>): WebhookCalls {
  const objects = project?.objects ?? [];
  return new WebhookCalls({
    ...about,
    portOf: (service) => (workload === undefined ? undefined : containerPortOf(workload, objects, service)),
  });
}

/** Wraps the gate's port to record what the process sends and receives. */
function observed(upstream: Upstream, rest: Rest, started: () => void): Upstream {
  return {
    send: (request, sink) => {
      started();
      rest.acted();
      return upstream.send(request, {
        answer: telling(rest, (response) => sink.answer(response)),
        open: telling(rest, (headers) => sink.open(headers)),
        event: telling(rest, (event) => sink.event(event)),
        end: telling(rest, (error) => sink.end(error)),
      });
    },
  };
}

/** Wraps `pass` to record each call as something that the process receives. */
function telling<Args extends readonly unknown[]>(rest: Rest, pass: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    rest.told();
    pass(...args);
  };
}
