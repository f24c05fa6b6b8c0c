/**
 * The API server of runs, embedded or real, as far as runs depend on it.
 *
 * Owns: the contract. Every run begins from the same state, whatever the run before it left behind. Start at {@link Cluster}.
 */
import type { DeniedRequest, Undeclared } from 'stalemate-apiserver';
import type { KubeObject, ResourceKind } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';

/** A state that a cluster can restore; opaque to everything but the cluster that returned it. */
export type ClusterState = object;

/** Receives requests through the gate, and reports committed changes to the code that created the cluster. */
export interface Cluster extends Upstream {
  /** Captures the current state. */
  snapshot(): ClusterState;
  /** Restores a state, between runs: nothing of the previous run remains, and no change is reported. */
  restore(state: ClusterState): void | Promise<void>;
  /** Stores objects unchanged, including uids, bypassing all validation; each object is reported as a change. */
  seed(objects: readonly KubeObject[]): void | Promise<void>;
  kindFor(apiVersion: string, kind: string): ResourceKind | undefined;
  /** Returns the subresources of a served kind: `status`, `scale`, …. */
  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string>;
  /** Resolves with the server and its version, `kube-apiserver 1.36.3`; absent for the embedded server. */
  version?(): Promise<string>;
  /** Returns requests to pods and services without a declared answer, since the last {@link restore}; absent for a real server. */
  undeclared?(): readonly Undeclared[];
  /**
   * Reports whether changes since the last {@link restore} became known in another order than they were made, so that their history is not a
   * legal one; absent for the embedded server.
   */
  isOutOfOrder?(): boolean;
  /** Returns the requests that authorization denied since the last {@link restore}, each once with its count. */
  deniedRequests(): readonly DeniedRequest[];
}
