/**
 * One life of a process target: a front of its own before an `Upstream`, a kubeconfig that leads there, a process group that reads it.
 *
 * A crash is SIGKILL to the whole group and the end of all its connections. Owns: starting, output, ending. Does not own: what passes
 * between it and the server (the gate), nor the command (`command.ts`). Start at {@link startProcess}.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CertificateAuthority, type Identity } from 'stalemate-apiserver/http';
import type { Upstream, UserInfo } from 'stalemate-apiserver/wire/http';
import type { Traffic } from 'stalemate-apiserver/wire/traffic';
import { kubeconfigOf } from 'stalemate-apiserver/wire/kubeconfig';
import { familyOf } from './family.ts';
import { fileView } from './file-view.ts';
import { footprintOf } from './footprint.ts';
import { portsOf } from './listening.ts';
import {
  mountedAt,
  mountFiles,
  mountFolders,
  SERVING_CERTS,
  writeEntries,
  type MountedFile,
  type MountedFolder,
} from './mounted-files.ts';
import { realDelay } from '../../determinism/real-time.ts';
import { programOf, type ActorId } from '../../model/actor.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { HarnessError, invariant } from '../../model/errors.ts';
import type { Reading } from '../../model/history.ts';
import { given } from '../../model/given.ts';
import { serveEffects, type EffectsServer } from '../outside/serve-effects.ts';
import { openSurroundings, type Surroundings, type SurroundingsOptions } from '../outside/surroundings.ts';
import { trusting } from '../outside/trusting.ts';
import { cleanEnvironment, filledIn, portNames, type Placeholders } from './command.ts';
import { endText } from './end-text.ts';
import type { Enclosure } from './enclosure.ts';
import type { EnclosurePool, Taken } from './enclosure-pool.ts';
import { Life, type ReportLife } from './life.ts';
import { Lines } from './lines.ts';
import { STEERED_BY, type LifeView } from './process-wrapper.ts';
import { readReconciles } from './read-reconciles.ts';
import { removeWhatDies } from './remove-folder.ts';
import { Steering } from './steering.ts';
import { parseReadiness, observingWatches, watchReadiness, type Readiness, type ReadinessWatch } from './readiness.ts';
import { killMarked } from './survivors.ts';
import { LIFE, watched } from './watched.ts';

/** How a life is let in at its front, and where that listens. */
export interface LifeAccess {
  /** Where it lives. */
  readonly enclosure: Enclosure;
  /** A socket that listens already, where the life has a network of its own. */
  readonly socket: Server | undefined;
  readonly identity: Identity;
  /** PEM of who signs client certificates. */
  readonly clientCa: string;
  readonly token: string;
  /** Whose token it is, for a server that asks. */
  readonly user: UserInfo;
}

/** What a life talks to. */
export interface LifeFront {
  readonly url: string;
  readonly traffic?: Traffic;
  close(): Promise<void>;
}

/** Opens a front of its own for a life, before `upstream`. */
export type ServeLife = (upstream: Upstream, access: LifeAccess) => Promise<LifeFront>;

/** What all lives of a target share. */
export interface ProcessHost {
  readonly serve: ServeLife;
  readonly target: ProcessTarget;
  /** What a pod is called inside of itself. */
  readonly hostname?: string;
  /** What a pod would find mounted. */
  readonly files: readonly MountedFile[];
  /** The ConfigMaps and Secrets that it would find mounted, as they are when a life begins. */
  readonly folders?: () => readonly MountedFolder[];
  readonly namespace: string;
  /** Where its pod would be, for programs that ask their kubeconfig where they are; default {@link namespace}. */
  readonly podNamespace?: string;
  readonly authority: CertificateAuthority;
  readonly identity: Identity;
  /** What all lives see of the host's files. */
  readonly view: readonly string[];
  readonly enclosures: EnclosurePool;
  /** The clock of the run, where those of its programs are steered. */
  readonly clock?: { readonly originMs: number; readonly exactMs: number; nextSeed(): number };
  /** The one processor that its programs may use, where their clocks are steered. */
  readonly processor?: number;
  /** Called once a life waits in a way that cannot be steered. */
  readonly onUnsteered?: (what: string) => void;
  /** What is declared outside of the cluster, and who hears what was looked up. */
  readonly outside?: Pick<SurroundingsOptions, 'declared' | 'lookedUp'>;
  /** A line that it printed. */
  readonly print: (actor: ActorId, line: string) => void;
  /** What a life leaves behind is being removed, until that promise resolves. */
  readonly clearing?: (removed: Promise<void>) => void;
}

/** A host for the lives of one target; the key takes a millisecond and is made once. */
export function processHost(parts: Omit<ProcessHost, 'authority' | 'identity' | 'view'>): ProcessHost {
  const authority = new CertificateAuthority();
  return { ...parts, view: viewOf(parts, parts.enclosures), authority, identity: authority.issueServer() };
}

/** @throws {TARGET_INVALID} for one that starts in a folder that it may not see. */
function viewOf(
  { target, outside }: Pick<ProcessHost, 'target' | 'outside'>,
  { hasOwnFiles, network }: EnclosurePool,
): readonly string[] {
  if (!hasOwnFiles) return [];
  const { command, cwd, env } = target;
  const inherited = cleanEnvironment(process.env, '', '', {});
  const ownNames = network === 'none' && outside !== undefined;
  const view = fileView({ command, cwd, env, inherited, ownNames }, process.env);
  if (!('refused' in view)) return view;
  throw new HarnessError(
    'TARGET_INVALID',
    `the program cannot have a file system of its own: ${view.refused}; start it in a folder of its own (--directory), or let it see all of your files with --file-system host`,
  );
}

export interface ProcessIncarnation {
  /** Absent before it was started. */
  readonly pid: number | undefined;
  /** Grows with all that moves between it and its front. */
  readonly moved: number;
  /** Kills it without notice. */
  crash(): void;
  /** Asks it to end. */
  stop(): void;
  /** Makes it, and all that it started, stand still. */
  pause(): void;
  resume(): void;
  /** What it takes of the system, and what its metrics say; undefined once it is gone. */
  look(): Promise<Reading | undefined>;
  /** The port that its command was given under one of these names. */
  portNamed(names: readonly string[]): number | undefined;
  /** The ports that it listens on. */
  listening?(): readonly number[];
  /** Replaces the content of mounted folders. */
  remount?(folders: readonly MountedFolder[]): void;
  /** What its author calls started. */
  readonly ready: boolean;
  /** By which its clock is steered, where it is. */
  readonly steering?: Steering | undefined;
  /** It was made to stand still. */
  readonly isPaused?: boolean;
  /** Asks it once whether it is ready, where that is how it is known. Resolves with whether it was asked. */
  probe?(): Promise<boolean>;
}

/** Starts one life as `actor`, whose requests go to `upstream`. Errors are reported, never thrown. */
export function startProcess(
  host: ProcessHost,
  actor: ActorId,
  upstream: Upstream,
  report: ReportLife,
): ProcessIncarnation {
  const incarnation = new Incarnation(host, actor, upstream, report);
  void incarnation.start();
  return incarnation;
}

/** Who a life is to a server that asks. */
export const USER: UserInfo = { name: 'system:serviceaccount:stalemate:target', groups: ['system:masters'] };
/** How long what a process printed last is waited for. */
const LAST_WORDS_MS = 200;
/** `unshare`, and the shell that it starts. */
const WRAPPERS = 2;

class Incarnation implements ProcessIncarnation {
  steering: Steering | undefined;
  isPaused = false;
  readonly #host: ProcessHost;
  readonly #actor: ActorId;
  readonly #upstream: Upstream;
  readonly #life: Life;
  /** Made at the last moment: who is stopped before leaves none behind. */
  #folder = '';
  /** Around it. No other user gets in, whatever the target does to its own folder: programs in there run with our user's rights. */
  #guard = '';
  #front: LifeFront | undefined;
  #effects: EffectsServer | undefined;
  #surroundings: Surroundings | undefined;
  #child: ChildProcess | undefined;
  #enclosure: Taken | undefined;
  #readiness: ReadinessWatch | undefined;
  #metrics: URL | undefined;
  #ports: Placeholders['ports'] = new Map();

  constructor(host: ProcessHost, actor: ActorId, upstream: Upstream, report: ReportLife) {
    this.#host = host;
    this.#actor = actor;
    this.#upstream = upstream;
    this.#life = new Life(report, () => this.#clear());
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
      this.#surroundings = await openSurroundings({
        ...{ ...outside, enclosure, upstream: this.#served(), identity },
        ...given({ hostname }),
      });
    }
    if (this.#life.over) {
      this.#surroundings?.close();
      return;
    }
    this.#guard = realpathSync(mkdtempSync(join(tmpdir(), 'stalemate-target-')));
    this.#folder = join(this.#guard, 'life');
    mkdirSync(this.#folder, { mode: 0o700 });
    const kubeconfig = this.#writeKubeconfig(this.#front.url);
    const home = join(this.#folder, 'home');
    mkdirSync(join(home, '.kube'), { recursive: true });
    // Some programs look nowhere else.
    symlinkSync(kubeconfig, join(home, '.kube', 'config'));
    const files = join(this.#folder, 'files');
    const pod = join(this.#folder, 'pod');
    mkdirSync(pod);
    mountFiles(this.#host.files, { files, home, pod });
    const folders = this.#host.folders?.() ?? [];
    mountFolders(folders, { files, home, pod });
    const mounts = folders.map((folder) => ({ from: mountedAt(folder, { files }), to: folder.path }));
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
      {
        folder: this.#folder,
        search: !enclosure.endsAll,
      },
    );
    const child = spawn(program, args, {
      cwd: target.cwd,
      env: { ...cleanEnvironment(process.env, home, kubeconfig, Object.fromEntries(own)), [LIFE]: this.#folder },
      // A group of its own, so that what it starts ends with it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'pipe'],
    });
    this.#child = child;
    if (this.#host.clock !== undefined)
      this.steering = new Steering(child.stdio[STEERED_BY] as Duplex, (what) => this.#host.onUnsteered?.(what));
    child.once('spawn', () => this.#life.report('started', ''));
    child.once('error', (error) => this.#life.report('start-failed', error.message));
    child.once('exit', (code, signal) => {
      this.#killGroup();
      // What it printed last is still on its way; a process that got away may keep the pipe open.
      void Promise.race([once(child, 'close'), realDelay(LAST_WORDS_MS)]).then(() =>
        this.#life.report('exited', endText(code, signal)),
      );
    });
    child.stdin?.on('error', () => {});
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#readLines(stream);
  }

  #steered(): Pick<LifeView, 'steered'> {
    const { clock, processor } = this.#host;
    if (clock === undefined) return {};
    const { originMs } = clock;
    const seen = { originMs, nowMs: clock.exactMs, seed: clock.nextSeed() };
    return { steered: { ...seen, ...given({ processor }) } };
  }

  /** The store, for a target that asks where it is. */
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
    // The prefix of the command: what enters the namespace, and its first process.
    const own = this.#enclosure?.endsAll === true ? family.slice(WRAPPERS) : family;
    const footprint = footprintOf(own);
    return { pid, ...given({ footprint }), ...(await this.#reconciles()) };
  }

  async #reconciles(): ReturnType<typeof readReconciles> {
    return this.#metrics === undefined || this.#enclosure === undefined
      ? {}
      : await readReconciles(this.#metrics, this.#enclosure);
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
    this.#surroundings?.close();
    this.#enclosure?.giveBack();
    const removed = removeWhatDies(this.#guard, this.#child);
    this.#host.clearing?.(removed);
  }

  /** To its whole group. */
  #signal(name: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // It has ended already.
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

  #writeKubeconfig(server: string): string {
    const path = join(this.#folder, 'kubeconfig');
    const { authority, podNamespace: namespace = this.#host.namespace } = this.#host;
    const kubeconfig = kubeconfigOf({ name: 'stalemate', server, ca: authority.certificate, token: TOKEN, namespace });
    writeFileSync(path, stringify(kubeconfig), { mode: 0o600 });
    return path;
  }

  #readLines(stream: NodeJS.ReadableStream): void {
    const lines = new Lines((line) => this.#print(line));
    // A character may come in two pieces.
    stream.setEncoding('utf8');
    stream.on('end', () => lines.end());
    stream.on('data', (piece: string) => lines.take(piece));
  }

  #print(line: string): void {
    if (this.#life.over) return;
    this.#readiness?.printed(line);
    this.#host.print(this.#actor, line);
  }

  /** What it talks to, noting the watches that it opens. */
  #served(): Upstream {
    return observingWatches(this.#upstream, (request) => this.#readiness?.watching(request));
  }
}

/** The front is on loopback and lives as long as one run. */
const TOKEN = 'stalemate';
