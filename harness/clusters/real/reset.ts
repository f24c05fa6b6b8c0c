/**
 * How a server is reset to the initial state of runs: through its etcd, or by requests.
 *
 * Owns: the interface of a reset. Start at {@link Reset}.
 */
import type { KubeObject, ResourceKind } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, Upstream } from 'stalemate-apiserver/wire/http';
import type { ObservedChange } from '../../gate/recorder.ts';
import { HarnessError } from '../../model/errors.ts';

/** The state of a server as observed from outside. */
export interface ServerView {
  /** The server itself, bypassing the gate. */
  readonly upstream: Upstream;
  /** The observed kinds, as `widgets.example.com`. */
  readonly kinds: ReadonlyMap<string, ResourceKind>;
  /** The last version of every existing object of the run, by uid. */
  readonly live: ReadonlyMap<string, ObservedChange>;
  kindFor(apiVersion: string, kind: string): ResourceKind | undefined;
  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string>;
  /** Returns the places where objects of a kind may belong to the run: everywhere, in a namespace, or under a name. */
  placesOf(kind: ResourceKind): readonly { readonly namespace?: string; readonly name?: string }[];
  /** Reports whether an object in such a place belongs to the run; other objects are never touched. */
  isOurs(resource: string, object: KubeObject): boolean;
  /** Reports whether this revision, or a later one, has been published. */
  knows(uid: string, revision: number): boolean;
  /** Resolves with true once `live` includes the server's whole state. */
  caughtUp(): Promise<boolean>;
  /** Waits for a condition; throws {@link unclean} if it takes too long. */
  until(done: () => boolean, what: string): Promise<void>;
}

export interface Reset {
  /** Stores objects; they are in `live` afterwards. */
  seed(objects: readonly KubeObject[]): Promise<void>;
  /** Makes the current state the initial state of runs. */
  begin(): Promise<void>;
  /** Called when a write to this kind is sent, and when a change of this kind is observed; either alone may come too late. */
  touched?(resource: string): void;
  /** Translates uids in a request to those on the server. */
  asStored?(request: ApiRequest): ApiRequest;
  /** Restores the initial state. Resolves with the revision at which the next run begins. */
  restore(): Promise<number>;
}

/** How often a reset is tried if the state does not stay restored. */
export const ATTEMPTS_MAX = 20;

/** @returns the error for a server that cannot be reset. */
export function unclean(why: string): HarnessError {
  return new HarnessError(
    'CLUSTER_UNAVAILABLE',
    `the API server could not be reset to the start of runs: ${why}; expected it to store the same as before`,
  );
}
