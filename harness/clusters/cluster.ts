/**
 * What answers the API in runs, as far as runs need to know it: the embedded server, or a real one.
 *
 * Owns: the contract. Every run begins from one state, whatever the run before it has left. Start at {@link Cluster}.
 */
import type { DeniedRequest, Undeclared } from 'stalemate-apiserver';
import type { KubeObject, ResourceKind } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';

/** A state that a cluster can go back to; only the cluster that gave it can read it. */
export type ClusterState = object;

/** Requests go to it through the gate; what it commits it tells to whoever made it. */
export interface Cluster extends Upstream {
  /** The state as it is now. */
  snapshot(): ClusterState;
  /** Goes back to a state, between runs: nothing of the run before is there any more, and nobody is told how it went. */
  restore(state: ClusterState): void | Promise<void>;
  /** Stores objects as they are, uid included, past every check; each is told as a change. */
  seed(objects: readonly KubeObject[]): void | Promise<void>;
  kindFor(apiVersion: string, kind: string): ResourceKind | undefined;
  /** `status`, `scale`, …: what a served kind has beside itself. */
  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string>;
  /** What it says that it is, `kube-apiserver 1.36.3`; absent for the embedded one. */
  version?(): Promise<string>;
  /** What was asked of pods and services, since the last {@link restore}, that no answer is declared for; absent where kubelets answer. */
  undeclared?(): readonly Undeclared[];
  /** What authorization has refused since the last {@link restore}, each once with how often. */
  deniedRequests(): readonly DeniedRequest[];
}
