/**
 * A control plane that is replaced by a fresh one if its state cannot be reset.
 *
 * Runs do not notice the replacement. Start at {@link openEnvtest}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ResponseSink } from 'stalemate-apiserver/wire/http';
import type { RemoteServer } from '../../gate/http/remote.ts';
import type { Cluster, ClusterState } from '../cluster.ts';
import { startEnvtest, type Envtest, type EnvtestOptions } from './envtest.ts';

/** @throws See {@link startEnvtest}. */
export async function openEnvtest(options: EnvtestOptions): Promise<RenewableCluster> {
  return new RenewableCluster(options, await startEnvtest(options));
}

export class RenewableCluster implements Cluster {
  /** The number of replacements. */
  renewals = 0;
  readonly #options: EnvtestOptions;
  #now: Envtest;

  constructor(options: EnvtestOptions, first: Envtest) {
    this.#options = options;
    this.#now = first;
  }

  get remote(): RemoteServer {
    return this.#now.cluster.remote;
  }

  /** The pids of the current programs. */
  get pids(): readonly number[] {
    return this.#now.plane.pids;
  }

  get isBusy(): boolean {
    return this.#now.cluster.isBusy;
  }

  redirected(code: number, request: Parameters<Envtest['cluster']['redirected']>[1]): void {
    this.#now.cluster.redirected(code, request);
  }

  snapshot(): ClusterState {
    return this.#now.cluster.snapshot();
  }

  /** Restores the initial state. Every control plane starts from its own copy of the same state, so the argument is ignored. */
  async restore(): Promise<void> {
    try {
      await this.#now.cluster.restore();
    } catch {
      this.renewals++;
      await this.#now.stop();
      this.#now = await startEnvtest(this.#options);
      await this.#now.cluster.restore();
    }
  }

  seed(objects: readonly KubeObject[]): Promise<void> {
    return this.#now.cluster.seed(objects);
  }

  send(request: ApiRequest, sink: ResponseSink): () => void {
    return this.#now.cluster.send(request, sink);
  }

  kindFor(apiVersion: string, kind: string): ReturnType<Cluster['kindFor']> {
    return this.#now.cluster.kindFor(apiVersion, kind);
  }

  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string> {
    return this.#now.cluster.subresourcesOf(apiVersion, kind);
  }

  version(): Promise<string> {
    return this.#now.cluster.version();
  }

  isOutOfOrder(): boolean {
    return this.#now.cluster.isOutOfOrder();
  }

  deniedRequests(): ReturnType<Cluster['deniedRequests']> {
    return this.#now.cluster.deniedRequests();
  }

  stop(): Promise<void> {
    return this.#now.stop();
  }
}
