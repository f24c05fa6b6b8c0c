/**
 * One incarnation of a target that runs inside a cluster: a front of its own for an `Upstream`, and a pod that uses it as its API server.
 *
 * The pod's in-cluster configuration points to the front: the variables of the Service `kubernetes`, and the token and CA at the mount path
 * of a service account. A crash is SIGKILL, and ends all of its connections. Does not own: the pod (`clusters/kind/pods.ts`), its spec
 * (`execution/project/target-pod.ts`). Start at {@link startPod}.
 */
import { randomBytes } from 'node:crypto';
import { CertificateAuthority, SERVER_NAMES } from 'stalemate-apiserver/http';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import type { ActorId } from '../../model/actor.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { invariant } from '../../model/errors.ts';
import type { Reading } from '../../model/history.ts';
import type { Enclosure } from './enclosure.ts';
import { footprintOf } from './footprint.ts';
import { familyOf } from './family.ts';
import { Lifecycle, type ReportLife } from './life.ts';
import { Lines } from './lines.ts';
import { USER, type ProcessIncarnation } from './process-incarnation.ts';
import type { LifeAccess, LifeFront, ServeLife } from './process-settings.ts';
import { parseReadiness, observingWatches, watchReadiness, type ReadinessWatch } from './readiness.ts';

/** The address of a pod's front, and its credentials. */
export interface PodAccess {
  readonly host: string;
  readonly port: number;
  /** The CA certificate, in PEM format. */
  readonly ca: string;
  readonly token: string;
}

/** Callbacks for the events of a pod. None is called after `failed` or `ended`. */
export interface PodEars {
  readonly running: () => void;
  readonly printed: (piece: string) => void;
  readonly failed: (why: string) => void;
  readonly ended: (how: string) => void;
}

export interface Pod {
  /** Its pid, if it is visible on this machine. */
  readonly pid: number | undefined;
  signal(name: 'TERM' | 'STOP' | 'CONT'): void;
  remove(): void;
}

/** The cluster in which pods run. */
export interface PodPlace {
  /** The address of this machine in the cluster. */
  readonly address: string;
  /** Opens a relay for pods to a port on this machine's loopback. */
  wayTo(port: number): Promise<{ readonly host: string; readonly port: number; close(): void }>;
  start(access: PodAccess, ears: PodEars): Pod;
}

/** Settings shared by all incarnations of a target. */
export interface PodHost {
  readonly serve: ServeLife;
  readonly target: ProcessTarget;
  readonly place: PodPlace;
  /** This machine's own network, where fronts listen. */
  readonly enclosure: Enclosure;
  readonly authority: CertificateAuthority;
  readonly identity: LifeAccess['identity'];
  /** Called with each line of the pod's output. */
  readonly print: (actor: ActorId, line: string) => void;
}

/** Creates the host for the incarnations of one target. */
export function podHost(parts: Omit<PodHost, 'authority' | 'identity'>): PodHost {
  const authority = new CertificateAuthority();
  return { ...parts, authority, identity: authority.issueServer([...SERVER_NAMES, parts.place.address]) };
}

/** Starts one incarnation as `actor`, whose requests go to `upstream`. Errors are reported, never thrown. */
export function startPod(host: PodHost, actor: ActorId, upstream: Upstream, report: ReportLife): ProcessIncarnation {
  const incarnation = new PodProcess(host, actor, upstream, report);
  void incarnation.start();
  return incarnation;
}

class PodProcess implements ProcessIncarnation {
  readonly #host: PodHost;
  readonly #upstream: Upstream;
  readonly #life: Lifecycle;
  readonly #readiness: ReadinessWatch;
  readonly #lines: Lines;
  #front: LifeFront | undefined;
  #way: { close(): void } | undefined;
  #pod: Pod | undefined;

  constructor(host: PodHost, actor: ActorId, upstream: Upstream, report: ReportLife) {
    this.#host = host;
    this.#life = new Lifecycle(report, () => this.#clear());
    const readiness = parseReadiness(host.target.ready);
    invariant(readiness !== undefined, 'what makes a target ready was checked with the configuration');
    this.#readiness = watchReadiness(readiness, host.enclosure);
    this.#upstream = observingWatches(upstream, (request) => this.#readiness.watching(request));
    this.#lines = new Lines((line) => {
      if (this.#life.over) return;
      this.#readiness.printed(line);
      host.print(actor, line);
    });
  }

  start(): Promise<void> {
    return this.#life.begin(() => this.#start());
  }

  async #start(): Promise<void> {
    const { serve, enclosure, authority, identity, place } = this.#host;
    // Other pods on that network may connect too, but only this pod has the token.
    const token = randomBytes(24).toString('base64url');
    const clientCa = authority.certificate;
    this.#front = await serve(this.#upstream, { enclosure, socket: undefined, identity, clientCa, token, user: USER });
    const way = await place.wayTo(Number(new URL(this.#front.url).port));
    this.#way = way;
    if (this.#life.over) return;
    this.#pod = place.start(
      { host: way.host, port: way.port, ca: authority.certificate, token },
      {
        running: () => this.#life.report('started', ''),
        printed: (piece) => this.#lines.take(piece),
        failed: (why) => this.#life.report('start-failed', why),
        ended: (how) => {
          this.#lines.end();
          this.#life.report('exited', how);
        },
      },
    );
  }

  get pid(): number | undefined {
    return this.#pod?.pid;
  }

  get moved(): number {
    return this.#front?.traffic?.moved ?? 0;
  }

  get ready(): boolean {
    return this.#readiness.ready;
  }

  look(): Promise<Reading | undefined> {
    const { pid } = this;
    if (pid === undefined || this.#life.over) return Promise.resolve(undefined);
    const footprint = footprintOf(familyOf(pid));
    return Promise.resolve({ pid, ...(footprint === undefined ? {} : { footprint }) });
  }

  /** Returns undefined: no ports are assigned by name to a target that runs in a pod. */
  portNamed(): undefined {
    return undefined;
  }

  stop(): void {
    this.#pod?.signal('TERM');
  }

  pause(): void {
    this.#pod?.signal('STOP');
  }

  resume(): void {
    this.#pod?.signal('CONT');
  }

  crash(): void {
    this.#life.end();
  }

  #clear(): void {
    this.#readiness.end();
    this.#way?.close();
    void this.#front?.close();
    this.#pod?.remove();
  }
}
