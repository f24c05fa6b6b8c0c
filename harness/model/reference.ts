/**
 * The reference measurements of a target: made in runs without writers and faults, with several seeds and speeds.
 *
 * Ownership is measured, never assumed. A *role* names objects across runs: `gr:canonical name without ~n`, for example `pods:web/worker`
 * for all generated workers of `web`, or `widgets.example.com:a` for the sample object `a`. A *leaf pattern* is a leaf path as `leaf.ts`
 * formats it.
 */

import type { Declarations } from './declarations.ts';

export interface Reference {
  /** The number of runs measured. */
  readonly runs: number;
  /** Leaves that the target changed, by role. */
  readonly ownedLeaves: { readonly [role: string]: readonly string[] };
  /** Leaves that differ between references (random or time-dependent): ignored in every comparison. */
  readonly volatileLeaves: { readonly [role: string]: readonly string[] };
  /** Leaves (list items, map keys) that the target removed without having written them. */
  readonly removedLeaves: { readonly [role: string]: readonly string[] };
  /** Roles that the target creates, with the highest number alive at once, by hash of the owner's spec. */
  readonly children: readonly ReferenceChild[];
  /** Roles that the target deletes. */
  readonly deletes: readonly string[];
  /** Roles that the target updates after their creation; absent if its reaction to a changed spec was not measured. */
  readonly updates?: readonly string[];
  /**
   * Resources (`gr`) whose schema declares no keys for the items of `status.conditions`, so that the list belongs to one writer as a whole.
   * Absent if there are none, and in files of older versions.
   */
  readonly wholeConditions?: readonly string[];
  /** Resources that the target reads (get, list or watch), `gr`. */
  readonly reads: readonly string[];
  /** Resources that the target lists with resourceVersion=0, so that a stale list is legal. */
  readonly staleLists: readonly string[];
  /** Objects whose holder or renewTime the target keeps rewriting: locks, which are exempt from request rates. */
  readonly locks: readonly string[];
  /** The target's activity when idle: requests per minute of run time in the idle window. */
  readonly idle: { readonly requestsPerMinute: number; readonly writesPerMinute: number };
  /** The most requests that the target sent between one watch event and the next. */
  readonly burstMax: number;
  /** Names that the target itself generates at random; absent if there are none. */
  readonly drawnNames?: DrawnNames;
  /**
   * How long the settle phase of a suspicious run is extended, in ms of run time, before a violation is reported; absent: 120,000, which
   * costs nothing in virtual time.
   */
  readonly suspectSettleMs?: number;
  /**
   * As `suspectSettleMs`, for a target whose requests were rejected repeatedly and that may be backing off; absent if there is no time for
   * such an extension.
   */
  readonly backOffMs?: number;
  /**
   * How long a suspicious run is left alone, in ms of run time, to see whether the target corrects the state by a resync or poll of its own;
   * absent if there is no time for that.
   */
  readonly aloneMs?: number;
  /** Owner specs (by hash) with which the target settled healthily: the values that a user may switch between. */
  readonly healthySpecs: readonly string[];
  /** Spec values that a status repeats whenever it claims the current generation, by role. Absent in files of older versions. */
  readonly echoes?: { readonly [role: string]: readonly StatusEcho[] };
  /** Spec values that children repeat whenever a status claims the current generation, by role. Absent in files of older versions. */
  readonly workEchoes?: { readonly [role: string]: DoneWork };
  /** The user's declarations about fields, which take precedence over measurements; absent if there are none. */
  readonly declared?: Declarations;
}

/** A status leaf that repeats the text of a spec leaf. */
export interface StatusEcho {
  readonly status: string;
  readonly spec: string;
}

/** The work that is done whenever a status claims the current generation. */
export interface DoneWork {
  readonly echoes: readonly WorkEcho[];
  /** The content of the status at that time: leaves with their values. */
  readonly said: readonly string[];
}

/** A leaf of the children with one role that repeats a spec leaf. */
export interface WorkEcho {
  /** The role of the children. */
  readonly child: string;
  readonly leaf: string;
  readonly spec: string;
}

/** The names of one resource. */
export interface DrawnNames {
  readonly [resource: string]: {
    /** Names that are the same in every run. */
    readonly kept: readonly string[];
    /** The prefixes of the other names, longest first: `web-` of `web-x7k2p`; empty if they have no common prefix. */
    readonly stems: readonly string[];
  };
}

export interface ReferenceChild {
  /** The role of the owner. */
  readonly owner: string;
  /** The role of the child. */
  readonly role: string;
  /** The highest number alive and not terminating at any instant, by hash of the owner's spec. */
  readonly maxBySpec: { readonly [specHash: string]: number };
  /** True if the reference runs themselves had more children on the way than at the end; cardinality is then not checked. */
  readonly surges: boolean;
}
