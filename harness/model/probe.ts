/**
 * Probes: further runs that a property requests before it reports a violation. The request is data, its result is added to the history, and
 * the property judges again. Results are cached by key for the whole campaign.
 */
import type { KubeObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { ProgramOp } from './workload.ts';

export type ProbeRequest =
  /**
   * The state that a fresh copy of the target produces, without faults, from the foreign input after heal: the final state minus everything
   * that the target owns.
   */
  | { readonly probe: 'expected-state' }
  /**
   * Two more fresh copies, each with a different seed: values that differ between them are random. Where the sample has several objects of
   * one kind, two copies more that receive them one after the other, in order and in reverse: what differs between these two is taken out of
   * a pool. Where another client has made one of the target's objects again, a copy more without it.
   */
  | { readonly probe: 'other-copies' }
  /** A fresh incarnation, started on the unchanged final state: does it write? */
  | { readonly probe: 'fresh-incarnation' }
  /** The same workload in the default order and without faults: which of the target's leaves depend only on the input? */
  | { readonly probe: 'undisturbed' }
  /** The same operations in the same order, without faults, each only once the target is at rest. */
  | { readonly probe: 'step-by-step' }
  /** The same trial without the crashes of its schedule: did a crash cause the violation? */
  | { readonly probe: 'without-crashes' }
  /** The same foreign write at rest, fully visible to the target, then the user's changes: does the target revert these leaves? */
  | {
      readonly probe: 'drift';
      readonly role: string;
      readonly leaves: readonly string[];
      readonly value: JsonValue;
      readonly op: ProgramOp;
    }
  /** The same trial, but the target's own writes are withheld from its watches from the settle phase on: does the target stop writing? */
  | { readonly probe: 'withheld-echo' }
  /** The same trial with a settle phase of at least this much run time. */
  | { readonly probe: 'extended-settle'; readonly windowMs: number }
  /** The run left alone for `ms` of run time: does the target correct the state by a resync or poll of its own? */
  | { readonly probe: 'left-alone'; readonly ms: number };

export type ProbeResult =
  | {
      readonly probe: 'expected-state';
      /** One entry per allowed outcome (several if the target's result depends on the order of events). */
      readonly outcomes: readonly ExpectedState[];
      readonly settled: boolean;
    }
  | {
      readonly probe: 'other-copies';
      readonly outcomes: readonly ExpectedState[];
      /** The outcomes of the copies that received the objects in order and in reverse; absent if there are none. */
      readonly inOrder?: readonly ExpectedState[];
      /** The outcome of a copy without the objects that took the place of the target's own; absent if there are none. */
      readonly withoutReplacements?: ExpectedState;
    }
  | {
      readonly probe: 'fresh-incarnation';
      /** Sentences that name the writes that changed something, in order. */
      readonly writes: readonly string[];
      /** The leaves that each of these writes changed; an empty path if it created or deleted the object. */
      readonly paths?: readonly (readonly string[])[];
      readonly settled: boolean;
    }
  | (OtherOutcome & { readonly probe: 'undisturbed' })
  | (OtherOutcome & { readonly probe: 'step-by-step' })
  | (OtherOutcome & { readonly probe: 'without-crashes' })
  /**
   * Added without a request: the kinds of differences with which undisturbed runs of this campaign have ended so far. Only for programs,
   * whose undisturbed runs are expensive.
   */
  | { readonly probe: 'known-undisturbed'; readonly kinds: readonly string[] }
  /**
   * Added without a request: the kinds of differences that `convergence` has reported as errors, after all probes, earlier in the search.
   * Only for programs, whose probes are expensive.
   */
  | { readonly probe: 'known-violated'; readonly kinds: readonly string[] }
  | {
      readonly probe: 'drift';
      readonly role: string;
      readonly leaves: readonly string[];
      readonly value: JsonValue;
      /** The leaves that the target reverts at once. */
      readonly reverted: readonly string[];
      /** Those that it replaces at a later change of the user or at a resync. Absent in older files, and if there are none. */
      readonly revertedLater?: readonly string[];
    }
  | { readonly probe: 'withheld-echo'; readonly writesAtRest: number; readonly windowMs: number }
  | {
      readonly probe: 'left-alone';
      /** Less than requested if the target was too busy to be observed for so long; 0 if it had been replaced. */
      readonly ms: number;
      readonly final: readonly KubeObject[];
      /** Canonical names by uid. */
      readonly names: { readonly [uid: string]: string };
      /** When the target changed something for the last time, in ms of run time since it was left alone; absent if it changed nothing. */
      readonly changedMs?: number;
    }
  | {
      readonly probe: 'extended-settle';
      readonly windowMs: number;
      readonly quiescent: boolean;
      readonly final: readonly KubeObject[];
      /** Canonical names by uid in that longer run. */
      readonly names: { readonly [uid: string]: string };
      readonly writesAtRest: number;
      /** The run time in ms from the last attempt of the target to change anything until the end; absent in older histories. */
      readonly unchangedMs?: number;
      /** The target's requests in the second half of the rest; absent in older histories. */
      readonly laterHalf?: {
        readonly requests: number;
        /** How often the most frequent of these requests occurred; absent in older histories. */
        readonly rounds?: number;
        /** How many of these requests were writes or failed; only in histories of an earlier version. */
        readonly attempts?: number;
        readonly spanMs: number;
        readonly goesOn: boolean;
        /** Present if the target is as busy at rest in the reference runs. */
        readonly ordinary?: true;
      };
    };

/** How another run of the same workload ended. */
export interface OtherOutcome {
  readonly settled: boolean;
  readonly final: readonly KubeObject[];
  /** Canonical names by uid in that run. */
  readonly names: { readonly [uid: string]: string };
  /** The state that a fresh copy produces from that run's foreign input. */
  readonly expected: readonly ExpectedState[];
}

/** The objects at the end of a run, by canonical name `gr/namespace/name`. */
export interface ExpectedState {
  readonly objects: { readonly [key: string]: KubeObject };
}
