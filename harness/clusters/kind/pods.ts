/**
 * Pods in the node of a kind cluster, one for each incarnation of a target that runs in the cluster.
 *
 * They are bound to the node directly, since there is no scheduler, and started by its kubelet. Owns: creating a pod, watching it (its
 * state, its log), killing it. Does not own: its spec (the caller builds the objects), the gate that it talks to. Start at {@link
 * KindPods}.
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

/** Callbacks for the events of a pod. None is called after `failed` or `ended`. */
export interface PodEars {
  readonly running: () => void;
  readonly printed: (piece: string) => void;
  /** Called if the pod is not running and cannot start any more. */
  readonly failed: (why: string) => void;
  readonly ended: (how: string) => void;
}

export interface PodObjects {
  readonly pod: KubeObject;
  /** The Secret that it mounts. */
  readonly secret: KubeObject;
  /** The name of the target's container. */
  readonly container: string;
}

/** The time limit for starting: the image is already loaded, so a pod starts within seconds on any machine. */
const START_MAX_MS = 90_000;
/**
 * A pod must start within this share of the target's readiness limit. At the limit, the run continues without the pod; the kubelet's reason
 * has to be reported before that.
 */
const START_SHARE = 0.9;
/** How long to wait for the last output, in ms. */
const LAST_OUTPUT_MS = 500;
const WITHOUT = 'a target in there would not reach the gate; run the program itself (-- COMMAND)';
const NOTHING = (): void => {};

/** The pods in the node of one cluster, for one worker. */
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

  /** @throws {CLUSTER_UNAVAILABLE} if pods could not reach this machine. */
  static async open(access: KindAccess): Promise<KindPods> {
    const shell = new NodeShell(access);
    await givePodNetwork(shell);
    return new KindPods(access, shell, await findHost(shell, WITHOUT));
  }

  /** The address under which pods in the cluster reach this machine. */
  get address(): string {
    return this.#host.address;
  }

  /** Opens a relay for pods to a port on this machine's loopback. */
  wayTo(port: number): Promise<WayIn> {
    return openWay(this.#host, port);
  }

  /** Starts a pod; `make` is called with its name. Errors are never thrown; they are reported before the readiness limit. */
  start(make: (name: string) => PodObjects, ears: PodEars, readyWithinMs: number): KindPod {
    const objects = make(`${TARGET_POD}${randomBytes(5).toString('hex')}`);
    const pod = new KindPod(objects, ears, this.#requests, this.#shell, readyWithinMs);
    pod.begin();
    return pod;
  }
}

class KindPod {
  readonly #objects: PodObjects;
  readonly #listener: PodEars;
  readonly #requests: PodRequests;
  readonly #shell: NodeShell;
  readonly #late: NodeJS.Timeout;
  #begun: Promise<void> = Promise.resolve();
  /** The container's id, once it has run. */
  #container = '';
  #pid: number | undefined;
  #isOver = false;
  #endWatch = NOTHING;
  #endLog = NOTHING;
  #lastOutput: Promise<void> = Promise.resolve();

  constructor(objects: PodObjects, ears: PodEars, requests: PodRequests, shell: NodeShell, readyWithinMs: number) {
    const startMs = Math.min(START_MAX_MS, readyWithinMs * START_SHARE);
    this.#objects = objects;
    this.#listener = ears;
    this.#requests = requests;
    this.#shell = shell;
    const late = `its pod did not run within ${startMs / 1000} s`;
    this.#late = realSetTimeout(() => void this.#complain(late), startMs);
  }

  /** The pid of the container's first process, if it is visible on this machine. */
  get pid(): number | undefined {
    return this.#pid;
  }

  begin(): void {
    this.#begun = this.#make().catch((error: unknown) => this.#over(() => this.#listener.failed(String(error))));
  }

  signal(name: PodSignal): void {
    if (this.#container === '') return;
    void this.#shell.ask(signalScript(this.#container, name)).catch(NOTHING);
  }

  /** Kills the pod and deletes it. */
  remove(): void {
    this.#over(NOTHING);
    this.signal('KILL');
    this.#endLog();
    // The cluster may already be deleted.
    void this.#takeAway().catch(NOTHING);
  }

  async #make(): Promise<void> {
    const { pod, secret } = this.#objects;
    const refused = (await this.#requests.create('secrets', secret)) ?? (await this.#made(pod));
    if (refused !== undefined) this.#over(() => this.#listener.failed(refused));
  }

  async #made(pod: KubeObject): Promise<string | undefined> {
    if (this.#isOver) return undefined;
    const refused = await this.#requests.create('pods', pod);
    const lost = (why: string): void => this.#over(() => this.#listener.failed(why));
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
    const ended = (): void => this.#over(() => this.#listener.ended(state.how));
    void Promise.race([this.#lastOutput, realDelay(LAST_OUTPUT_MS)]).then(ended);
  }

  #runs(pod: KubeObject, container: string): void {
    this.#container = container;
    this.#pid = pidOfContainer(container);
    realClearTimeout(this.#late);
    this.#listener.running();
    this.#lastOutput = new Promise((resolve) => {
      const printed = (piece: string): void => {
        if (!this.#isOver) this.#listener.printed(piece);
      };
      this.#endLog = this.#requests.follow(pod, this.#objects.container, printed, resolve);
    });
  }

  async #complain(why: string): Promise<void> {
    const events = await this.#requests.complaints(this.#objects.pod).catch(() => '');
    this.#over(() => this.#listener.failed(why + events));
  }

  #over(report: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    realClearTimeout(this.#late);
    this.#endWatch();
    report();
  }
}
