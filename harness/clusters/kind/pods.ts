/**
 * Pods in the node of a kind cluster, one for each life of a target that runs in there.
 *
 * They are bound to the node by us, since there is no scheduler, and started by its kubelet. Owns: making one, hearing of it (its state, what
 * it prints), ending it at once. Does not own: its spec (the caller makes the objects), the gate that it talks to. Start at
 * {@link KindPods}.
 */
import { randomBytes } from 'node:crypto';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { realClearTimeout, realDelay, realSetTimeout } from '../../determinism/real-time.ts';
import type { KindAccess } from '../../model/kind-options.ts';
import { TARGET_POD } from '../real/storage-key.ts';
import { pidOfContainer } from './container-pid.ts';
import { NodeShell } from './node-shell.ts';
import { givePodNetwork } from './pod-network.ts';
import { PodRequests } from './pod-requests.ts';
import { signalScript, type PodSignal } from './pod-signal.ts';
import { stateOf } from './pod-state.ts';
import { findHost, openWay, type HostPlace, type WayIn } from './way-in.ts';

/** Listener of a pod. Nothing is reported after `failed` or `ended`. */
export interface PodEars {
  readonly running: () => void;
  readonly printed: (piece: string) => void;
  /** It does not run, and will not. */
  readonly failed: (why: string) => void;
  readonly ended: (how: string) => void;
}

export interface PodObjects {
  readonly pod: KubeObject;
  /** What it mounts. */
  readonly secret: KubeObject;
  /** Which of its containers is meant. */
  readonly container: string;
}

/** Its image is there, so that it starts within seconds, on whatever machine. */
const START_MAX_MS = 90_000;
/** Of the time that a target has to get ready: then a run goes on without it, and what kubelet says of its pod has to be heard before. */
const START_SHARE = 0.9;
/** How long what it printed last is waited for. */
const LAST_WORDS_MS = 500;
const WITHOUT = 'a target in there would not reach the gate; run the program itself (-- COMMAND)';
const NOTHING = (): void => {};

/** The node of one cluster, for a worker. */
export class KindPods {
  readonly node: string;
  readonly #shell: NodeShell;
  readonly #host: HostPlace;
  readonly #requests: PodRequests;

  private constructor(access: KindAccess, shell: NodeShell, host: HostPlace) {
    this.node = access.node;
    this.#shell = shell;
    this.#host = host;
    this.#requests = new PodRequests(access);
  }

  /** @throws {CLUSTER_UNAVAILABLE} when pods would not reach this machine. */
  static async open(access: KindAccess): Promise<KindPods> {
    const shell = new NodeShell(access);
    await givePodNetwork(shell);
    return new KindPods(access, shell, await findHost(shell, WITHOUT));
  }

  /** What this machine is called in there. */
  get address(): string {
    return this.#host.address;
  }

  /** For pods, to a port of this machine's loopback. */
  wayTo(port: number): Promise<WayIn> {
    return openWay(this.#host, port);
  }

  /** Starts a pod; `make` receives the name that it is to have. Errors are reported, never thrown, and before it should be ready. */
  start(make: (name: string) => PodObjects, ears: PodEars, readyWithinMs: number): KindPod {
    const objects = make(`${TARGET_POD}${randomBytes(5).toString('hex')}`);
    const pod = new KindPod(objects, ears, this.#requests, this.#shell, readyWithinMs);
    pod.begin();
    return pod;
  }
}

class KindPod {
  readonly #objects: PodObjects;
  readonly #ears: PodEars;
  readonly #requests: PodRequests;
  readonly #shell: NodeShell;
  readonly #late: NodeJS.Timeout;
  #begun: Promise<void> = Promise.resolve();
  /** Its id, once it has run. */
  #container = '';
  #pid: number | undefined;
  #isOver = false;
  #endWatch = NOTHING;
  #endLog = NOTHING;
  #lastWords: Promise<void> = Promise.resolve();

  constructor(objects: PodObjects, ears: PodEars, requests: PodRequests, shell: NodeShell, readyWithinMs: number) {
    const startMs = Math.min(START_MAX_MS, readyWithinMs * START_SHARE);
    this.#objects = objects;
    this.#ears = ears;
    this.#requests = requests;
    this.#shell = shell;
    const late = `its pod did not run within ${startMs / 1000} s`;
    this.#late = realSetTimeout(() => void this.#complain(late), startMs);
  }

  /** Of its first process, where that can be seen from here. */
  get pid(): number | undefined {
    return this.#pid;
  }

  begin(): void {
    this.#begun = this.#make().catch((error: unknown) => this.#over(() => this.#ears.failed(String(error))));
  }

  signal(name: PodSignal): void {
    if (this.#container === '') return;
    void this.#shell.ask(signalScript(this.#container, name)).catch(NOTHING);
  }

  /** Ends it at once and takes it away. */
  remove(): void {
    this.#over(NOTHING);
    this.signal('KILL');
    this.#endLog();
    // The cluster may be gone with all that is in it.
    void this.#takeAway().catch(NOTHING);
  }

  async #make(): Promise<void> {
    const { pod, secret } = this.#objects;
    const refused = (await this.#requests.create('secrets', secret)) ?? (await this.#made(pod));
    if (refused !== undefined) this.#over(() => this.#ears.failed(refused));
  }

  async #made(pod: KubeObject): Promise<string | undefined> {
    if (this.#isOver) return undefined;
    const refused = await this.#requests.create('pods', pod);
    const lost = (why: string): void => this.#over(() => this.#ears.failed(why));
    if (refused === undefined && !this.#isOver)
      this.#endWatch = this.#requests.watch(pod, (now) => this.#seen(now), lost);
    return refused;
  }

  async #takeAway(): Promise<void> {
    await this.#begun;
    await this.#requests.remove('pods', this.#objects.pod);
    await this.#requests.remove('secrets', this.#objects.secret);
  }

  #seen(pod: KubeObject): void {
    if (this.#isOver) return;
    const state = stateOf(pod, this.#objects.container);
    if (state.is === 'failing') void this.#complain(state.why);
    if (state.is !== 'running' && state.is !== 'ended') return;
    if (this.#container === '') this.#runs(pod, state.container);
    if (state.is === 'running') return;
    const ended = (): void => this.#over(() => this.#ears.ended(state.how));
    void Promise.race([this.#lastWords, realDelay(LAST_WORDS_MS)]).then(ended);
  }

  #runs(pod: KubeObject, container: string): void {
    this.#container = container;
    this.#pid = pidOfContainer(container);
    realClearTimeout(this.#late);
    this.#ears.running();
    this.#lastWords = new Promise((resolve) => {
      const printed = (piece: string): void => {
        if (!this.#isOver) this.#ears.printed(piece);
      };
      this.#endLog = this.#requests.follow(pod, this.#objects.container, printed, resolve);
    });
  }

  async #complain(why: string): Promise<void> {
    const events = await this.#requests.complaints(this.#objects.pod).catch(() => '');
    this.#over(() => this.#ears.failed(why + events));
  }

  #over(report: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    realClearTimeout(this.#late);
    this.#endWatch();
    report();
  }
}
