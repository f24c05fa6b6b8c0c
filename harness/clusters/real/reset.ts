/**
 * How a server is put back to where runs begin: past it, through its etcd, or by requests.
 *
 * Owns: what a way of doing so may look at, and what it has to do. Start at {@link Reset}.
 */
import type { KubeObject, ResourceKind } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, Upstream } from 'stalemate-apiserver/wire/http';
import type { ObservedChange } from '../../gate/recorder.ts';
import { HarnessError } from '../../model/errors.ts';

/** What is known of a server from outside. */
export interface ServerView {
  /** The server itself, past the gate. */
  readonly upstream: Upstream;
  /** The kinds that are observed, as `widgets.example.com`. */
  readonly kinds: ReadonlyMap<string, ResourceKind>;
  /** The last version of everything of the run's that is there, by uid. */
  readonly live: ReadonlyMap<string, ObservedChange>;
  kindFor(apiVersion: string, kind: string): ResourceKind | undefined;
  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string>;
  /** Where objects of a kind may be the run's: everywhere, in a namespace, under a name. */
  placesOf(kind: ResourceKind): readonly { readonly namespace?: string; readonly name?: string }[];
  /** Whether an object there is the run's; no other one is touched. */
  isOurs(resource: string, object: KubeObject): boolean;
  /** Whether this version, or a later one, has been published. */
  knows(uid: string, revision: number): boolean;
  /** Resolves with true once all that the server has is in `live`. */
  caughtUp(): Promise<boolean>;
  /** Waits for something; {@link unclean} when it takes too long. */
  until(done: () => boolean, what: string): Promise<void>;
}

export interface Reset {
  /** Stores objects; they are in `live` afterwards. */
  seed(objects: readonly KubeObject[]): Promise<void>;
  /** What is there now is what runs begin from. */
  begin(): Promise<void>;
  /** A write to this kind was sent, or a change of it was seen: called for both, for either may come too late alone. */
  touched?(resource: string): void;
  /** A request of ours with what is called otherwise on the server. */
  asStored?(request: ApiRequest): ApiRequest;
  /** Goes back to that. Resolves with the revision at which the next run begins. */
  restore(): Promise<number>;
}

/** So often is a state put back that does not stay. */
export const ATTEMPTS_MAX = 20;

/** @returns what is thrown when a server cannot be put back. */
export function unclean(why: string): HarnessError {
  return new HarnessError(
    'CLUSTER_UNAVAILABLE',
    `the API server could not be reset to the start of runs: ${why}; expected it to store the same as before`,
  );
}
