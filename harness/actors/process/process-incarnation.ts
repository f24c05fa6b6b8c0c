/**
 * One incarnation of a process target: a front of its own for an `Upstream`, a kubeconfig that points to the front, and a process group
 * that uses this kubeconfig.
 *
 * A crash is SIGKILL to the whole group, and ends all of its connections. Owns: starting, output, ending. Does not own: what happens
 * between the front and the server (the gate), the command (`command.ts`). Start at {@link startProcess}.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from 'stalemate-apiserver/http';
import type { Upstream, UserInfo } from 'stalemate-apiserver/wire/http';
import { accountFiles, serviceVariables, TOKEN, writeKubeconfig, type AccessOptions } from './access.ts';
import { familyOf } from './family.ts';
import { footprintOf } from './footprint.ts';
import { portsOf } from './listening.ts';
import {
  mountedAt,
  mountFiles,
  mountFolders,
  SERVING_CERTS,
  writeEntries,
  type MountedFolder,
} from './mounted-files.ts';
import { realDelay } from '../../determinism/real-time.ts';
import { programOf, type ActorId } from '../../model/actor.ts';
import { invariant } from '../../model/errors.ts';
import { LACKS_POD } from '../../model/lacks-pod.ts';
import type { Reading } from '../../model/history.ts';
import { given } from '../../model/given.ts';
import { serveEffects, type EffectsServer } from '../outside/serve-effects.ts';
import { openOutsideServers, type OutsideServers } from '../outside/outside-servers.ts';
import { trusting } from '../outside/trusting.ts';
import { cleanEnvironment, filledIn, portNames, type Placeholders } from './command.ts';
import { endText } from './end-text.ts';
import type { Enclosure } from './enclosure.ts';
import type { Taken } from './enclosure-pool.ts';
import { Lifecycle, type ReportLife } from './life.ts';
import { Lines } from './lines.ts';
import type { LifeFront, ProcessHost } from './process-settings.ts';
import { STEERED_BY, type LifeView } from './process-wrapper.ts';
import { removeWhatDies } from './remove-folder.ts';
import { Steering } from './steering.ts';
import { parseReadiness, observingWatches, watchReadiness, type Readiness, type ReadinessWatch } from './readiness.ts';
import { killMarked } from './survivors.ts';
import { LIFE, watched } from './watched.ts';

export interface ProcessIncarnation {
  /** Absent until it is started. */
  readonly pid: number | undefined;
  /** A counter that grows with all traffic between it and its front. */
  readonly moved: number;
  /** Kills it without notice. */
  crash(): void;
  /** Asks it to end (SIGTERM). */
  stop(): void;
  /** Stops it and all of its descendants (SIGSTOP). */
  pause(): void;
  resume(): void;
  /** Measures its resource use and reads its metrics; undefined once it has ended. */
  look(): Promise<Reading | undefined>;
  /** Returns the port that its command got under one of these names. */
  portNamed(names: readonly string[]): number | undefined;
  /** Returns the ports that it listens on. */
  listening?(): readonly number[];
  /** Replaces the content of mounted folders. */
  remount?(folders: readonly MountedFolder[]): void;
  /** True once its readiness condition is met. */
  readonly ready: boolean;
  /** The control of its clock, if there is one. */
  readonly steering?: Steering | undefined;
  /** True if it was paused. */
  readonly isPaused?: boolean;
  /** Probes once whether it is ready, if it has a readiness URL. Resolves with true if it probed. */
  probe?(): Promise<boolean>;
}

/** Starts one incarnation as `actor`, whose requests go to `upstream`. Errors are reported, never thrown. */
export function startProcess(
  host: ProcessHost,
  actor: ActorId,
  upstream: Upstream,
  report: ReportLife,
): ProcessIncarnation {
  const incarnation = new LocalProcess(host, actor, upstream, report);
  void incarnation.start();
  return incarnation;
}

/** The user of an incarnation, for a server that checks it. */
export const USER: UserInfo = { name: 'system:serviceaccount:stalemate:target', groups: ['system:masters'] };
/** How long to wait for the last output of a process, in ms. A busy harness reads it late. */
const LAST_OUTPUT_MS = 5_000;
/** The same if a process that escaped may keep its output open. */
const LAST_OUTPUT_ESCAPED_MS = 200;
/** The number of processes before a program's own: `unshare`, and the shell that it starts. */
const WRAPPERS = 2;

class LocalProcess implements ProcessIncarnation {
  steering: Steering | undefined;
  isPaused = false;
  readonly #host: ProcessHost;
  readonly #actor: ActorId;
  readonly #upstream: Upstream;
  readonly #life: Lifecycle;
  /** The incarnation's folder, created at the last moment, so that an incarnation that is stopped earlier leaves no folder. */
  #folder = '';
  /** The folder's parent, which no other user can enter, even if the target (which runs with our rights) opens up the folder itself. */
  #guard = '';
  #front: LifeFront | undefined;
  #effects: EffectsServer | undefined;
  #outsideServers: OutsideServers | undefined;
  #child: ChildProcess | undefined;
  #enclosure: Taken | undefined;
  #readiness: ReadinessWatch | undefined;
  #metrics: URL | undefined;
  /** Whether the program has said that it finds no in-cluster configuration. */
  #lacksPod = false;
  /** Whether that is the last that it has said. */
  #endsLacking = false;
  #isStopping = false;
  #ports: Placeholders['ports'] = new Map();

  constructor(host: ProcessHost, actor: ActorId, upstream: Upstream, report: ReportLife) {
    this.#host = host;
    this.#actor = actor;
    this.#upstream = upstream;
    this.#life = new Lifecycle(report, () => this.#clear());
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get moved(): number {
    return this.#front?.traffic?.moved ?? 0;
  }

  start(): Promise<void> {
    return this.#life.begin(() => this.#start());
  }

  async #start(): Promise<void> {
    const { target, namespace, authority, identity, enclosures, serve } = this.#host;
    const enclosure = await enclosures.take(programOf(this.#actor));
    this.#enclosure = enclosure;
    const socket = await enclosure.listen();
    const access = { enclosure, socket, identity, clientCa: authority.certificate, token: TOKEN, user: USER };
    this.#front = await serve(this.#served(), access);
    const names = portNames([...target.command, ...Object.values(target.env), target.ready, target.metrics]);
    const ports = names.length === 0 ? [] : await enclosure.freePorts(names.length);
    const effects = (await this.#openEffects(enclosure)) ?? '';
    const { outside, hostname } = this.#host;
    if (outside !== undefined) {
      const identity = (name: string): Identity => authority.issueServer([name]);
      this.#outsideServers = await openOutsideServers({
        ...{ ...outside, enclosure, upstream: this.#served(), identity },
        ...given({ hostname }),
      });
    }
    if (this.#life.over) {
      this.#outsideServers?.close();
      return;
    }
    this.#guard = realpathSync(mkdtempSync(join(tmpdir(), 'stalemate-target-')));
    this.#folder = join(this.#guard, 'life');
    mkdirSync(this.#folder, { mode: 0o700 });
    const reached: AccessOptions = {
      server: this.#front.url,
      ca: authority.certificate,
      namespace: this.#host.podNamespace ?? namespace,
    };
    const home = join(this.#folder, 'home');
    const kubeconfig = writeKubeconfig(this.#folder, home, reached);
    const files = join(this.#folder, 'files');
    const pod = join(this.#folder, 'pod');
    mkdirSync(pod);
    const asPod = this.#host.podAccess.isNeeded;
    const front = new URL(reached.server);
    mountFiles([...this.#host.files, ...(asPod ? accountFiles(reached) : [])], { files, home, pod });
    const folders = this.#host.folders?.() ?? [];
    mountFolders(folders, { files, home, pod });
    const named = this.#host.files.filter(({ below }) => below === 'files');
    const mounts = [...folders, ...named].map((mounted) => ({ from: mountedAt(mounted, { files }), to: mounted.path }));
    const values: Placeholders = {
      kubeconfig,
      namespace,
      effects,
      files,
      certs: join(home, SERVING_CERTS),
      ports: new Map(names.map((name, at) => [name, ports[at] ?? 0])),
    };
    this.#ports = values.ports;
    if (target.metrics !== '') this.#metrics = new URL(filledIn(target.metrics, values));
    this.#readiness = watchReadiness(this.#awaited(values), enclosure, this.#host.clock !== undefined);
    const command = target.command.map((word) => filledIn(word, values));
    const declared = Object.entries(target.env).map(([name, value]) => [name, filledIn(value, values)] as const);
    const own = [
      ...(hostname === undefined ? [] : [['HOSTNAME', hostname] as const]),
      ...(asPod ? serviceVariables(front.hostname, front.port) : []),
      ...trusting(outside?.declared, { folder: this.#folder, authority }),
      ...declared,
    ];
    const [program, ...args] = watched(
      [
        ...enclosure.wrapper({
          ...{ folder: this.#folder, view: this.#host.view, mounts },
          ...given({ hostname }),
          ...this.#steered(),
        }),
        ...command,
      ],
      { folder: this.#folder, search: !enclosure.endsAll },
    );
    const child = spawn(program, args, {
      cwd: target.cwd,
      env: { ...cleanEnvironment(process.env, home, kubeconfig, Object.fromEntries(own)), [LIFE]: this.#folder },
      // A process group of its own, so that its children end with it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'pipe'],
    });
    const isFirst = this.#child === undefined;
    this.#child = child;
    if (this.#host.clock !== undefined)
      this.steering = new Steering(child.stdio[STEERED_BY] as Duplex, (what) => this.#host.onUnsteered?.(what));
    if (isFirst) child.once('spawn', () => this.#life.report('started', ''));
    child.once('error', (error) => this.#life.report('start-failed', error.message));
    child.once('exit', (code, signal) => {
      this.#killGroup();
      // Its last output may still be in transit.
      const waitMs = enclosure.endsAll ? LAST_OUTPUT_MS : LAST_OUTPUT_ESCAPED_MS;
      void Promise.race([once(child, 'close'), realDelay(waitMs)]).then(() =>
        this.#ended(asPod, endText(code, signal)),
      );
    });
    child.stdin?.on('error', () => {});
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#readLines(stream);
  }

  /**
   * Reports that the program has ended. If it lacked the configuration of a pod, and can have it, it gets that from now on; if it has sent
   * no request, it is started again at once instead of being reported.
   */
  #ended(wasAsPod: boolean, text: string): void {
    // A program that has sent a request has found its way, unless it says at its end that another part of it has not.
    const lacks = this.moved === 0 ? this.#lacksPod : this.#endsLacking;
    const gets = lacks && !wasAsPod && !this.#isStopping && !this.#life.over && this.#host.view.length > 0;
    if (gets) this.#host.podAccess.isNeeded = true;
    if (gets && this.moved === 0) void this.#life.again(() => this.#start());
    else this.#life.report('exited', text);
  }

  #steered(): Pick<LifeView, 'steered'> {
    const { clock, processor } = this.#host;
    if (clock === undefined) return {};
    const { originMs } = clock;
    const seen = { originMs, nowMs: clock.exactMs, seed: clock.nextSeed() };
    return { steered: { ...seen, ...given({ processor }) } };
  }

  /** Opens the store, for a target whose command contains its placeholder. */
  async #openEffects(enclosure: Enclosure): Promise<string | undefined> {
    const { target } = this.#host;
    if (![...target.command, ...Object.values(target.env)].some((word) => word.includes('{effects}'))) return undefined;
    this.#effects = await serveEffects(this.#served(), await enclosure.listen());
    return this.#effects.url;
  }

  portNamed(names: readonly string[]): number | undefined {
    return names.map((name) => this.#ports.get(name)).find((port) => port !== undefined);
  }

  async look(): Promise<Reading | undefined> {
    const { pid } = this;
    if (pid === undefined || this.#life.over) return undefined;
    const family = familyOf(pid);
    // Skip the command's prefix: the process that enters the namespace, and its first process.
    const own = this.#enclosure?.endsAll === true ? family.slice(WRAPPERS) : family;
    const footprint = footprintOf(own);
    const reconciles =
      this.#metrics === undefined || this.#enclosure === undefined
        ? {}
        : await this.#host.metrics.read(this.#metrics, this.#enclosure);
    return { pid, ...given({ footprint }), ...reconciles };
  }

  probe(): Promise<boolean> {
    return this.#readiness?.probe() ?? Promise.resolve(false);
  }

  get ready(): boolean {
    return this.#readiness?.ready ?? this.#host.target.ready === 'quiet';
  }

  listening(): readonly number[] {
    return this.pid === undefined || this.#life.over ? [] : portsOf(familyOf(this.pid));
  }

  remount(folders: readonly MountedFolder[]): void {
    if (this.#life.over || this.#folder === '') return;
    for (const folder of folders) writeEntries(folder, { files: join(this.#folder, 'files') });
  }

  stop(): void {
    this.#isStopping = true;
    this.#signal('SIGTERM');
  }

  pause(): void {
    this.isPaused = true;
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.isPaused = false;
    this.#signal('SIGCONT');
  }

  crash(): void {
    this.#life.end();
  }

  #clear(): void {
    this.#readiness?.end();
    this.#killGroup();
    void this.#front?.close();
    this.#effects?.close();
    this.#outsideServers?.close();
    this.#enclosure?.giveBack();
    const removed = removeWhatDies(this.#guard, this.#child);
    this.#host.clearing?.(removed);
  }

  /** Signals the whole process group. */
  #signal(name: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // The process has already ended.
    }
  }

  #killGroup(): void {
    if (this.#child === undefined) return;
    this.#signal('SIGKILL');
    if (this.#enclosure?.endsAll === false) killMarked(`${LIFE}=${this.#folder}`);
  }

  #awaited(values: Placeholders): Readiness {
    const readiness = parseReadiness(this.#host.target.ready);
    invariant(readiness !== undefined, 'what makes a target ready was checked with the configuration');
    return readiness.by === 'url' ? { by: 'url', url: filledIn(readiness.url, values) } : readiness;
  }

  #readLines(stream: NodeJS.ReadableStream): void {
    const lines = new Lines((line) => this.#print(line));
    // Decode as a stream: a character may arrive in two pieces.
    stream.setEncoding('utf8');
    stream.on('end', () => lines.end());
    stream.on('data', (piece: string) => lines.take(piece));
  }

  #print(line: string): void {
    if (this.#life.over) return;
    this.#endsLacking = LACKS_POD.test(line);
    if (this.moved === 0 && this.#endsLacking) this.#lacksPod = true;
    this.#readiness?.printed(line);
    this.#host.print(this.#actor, line);
  }

  /** Returns its upstream, wrapped to observe the watches that it opens. */
  #served(): Upstream {
    return observingWatches(this.#upstream, (request) => this.#readiness?.watching(request));
  }
}
