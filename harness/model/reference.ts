/**
 * What the reference runs measured about a target: no adversary, no fault, several seeds and speeds.
 *
 * Ownership is measured, never assumed. A *role* names objects across runs: `gr:canonical name without ~n`, for example
 * `pods:web/worker` for all generated workers of `web`, or `widgets.example.com:a` for the sample object `a`.
 * A *leaf pattern* is a leaf path as `leaf.ts` spells it.
 */

import type { Declarations } from './declarations.ts';

export interface Reference {
  /** How many runs stand behind it. */
  readonly runs: number;
  /** Leaves that the target changed, by role. */
  readonly ownedLeaves: { readonly [role: string]: readonly string[] };
  /** Leaves that differ between references (random, time-dependent): masked in every comparison. */
  readonly volatileLeaves: { readonly [role: string]: readonly string[] };
  /** Leaves (list items, map keys) that the target removed though it had not written them. */
  readonly removedLeaves: { readonly [role: string]: readonly string[] };
  /** Roles that the target creates, with the highest number alive at once, by hash of the owner's spec. */
  readonly children: readonly ReferenceChild[];
  /** Roles that the target deletes. */
  readonly deletes: readonly string[];
  /** Roles that it changes once they are there; absent where it was not seen what it does when a spec changes. */
  readonly updates?: readonly string[];
  /** Resources that it reads (get, list or watch), `gr`. */
  readonly reads: readonly string[];
  /** Resources that it lists with resourceVersion=0, and so may be given a stale list. */
  readonly staleLists: readonly string[];
  /** Objects whose holder / renewTime it keeps rewriting: locks, exempt from rates by behaviour. */
  readonly locks: readonly string[];
  /** What it does with nothing to do: requests per minute of run time in the idle window. */
  readonly idle: { readonly requestsPerMinute: number; readonly writesPerMinute: number };
  /** Most requests that followed one delivery before it was idle again. */
  readonly burstMax: number;
  /** Names that the target draws itself; absent where there are none. */
  readonly drawnNames?: DrawnNames;
  /** How long a suspect has to be silent before it is accused, in ms of run time; absent: 120,000, which costs nothing in virtual time. */
  readonly suspectSettleMs?: number;
  /** The same for one whose requests were refused again and again; absent where so much time is not to be had. */
  readonly backOffMs?: number;
  /** Owner specs (by hash) that settled healthy: the values between which a user may change them. */
  readonly healthySpecs: readonly string[];
  /** What a status repeats of the spec whenever it claims the current generation, by role. Absent in what older versions stored. */
  readonly echoes?: { readonly [role: string]: readonly StatusEcho[] };
  /** What the user says of fields, which goes before what was measured; absent where nothing is said. */
  readonly declared?: Declarations;
}

/** A leaf of the status that holds the text of a leaf of the spec. */
export interface StatusEcho {
  readonly status: string;
  readonly spec: string;
}

/** By resource. */
export interface DrawnNames {
  readonly [resource: string]: {
    /** Names that are the same in every run. */
    readonly kept: readonly string[];
    /** How the others begin, the longest first: `web-` of `web-x7k2p`; empty for names without a common beginning. */
    readonly stems: readonly string[];
  };
}

export interface ReferenceChild {
  /** Role of the owner. */
  readonly owner: string;
  /** Role of the child. */
  readonly role: string;
  /** Highest number alive and not terminating at any instant, by hash of the owner's spec. */
  readonly maxBySpec: { readonly [specHash: string]: number };
  /** The references themselves went above their end count on the way: no cardinality is claimed. */
  readonly surges: boolean;
}
