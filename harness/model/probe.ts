/**
 * Probes: further runs that a property asks for before it accuses anyone. The request is data, the result lands in the history,
 * the property judges again. Results are cached by their key over a campaign.
 */
import type { KubeObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { ProgramOp } from './workload.ts';

export type ProbeRequest =
  /** What a fresh, unfaulted target makes of the healed foreign input: the final state with everything target-owned taken out. */
  | { readonly probe: 'expected-state' }
  /** Two more of these, each with another seed: what differs between them is drawn at random. */
  | { readonly probe: 'other-copies' }
  /** A fresh incarnation started on the very final state: does it write? */
  | { readonly probe: 'fresh-incarnation' }
  /** The same workload in the default order and without faults: which of the target's leaves are a function of the input at all? */
  | { readonly probe: 'undisturbed' }
  /** The same trial, with the crashes of its schedule left out: was it the crash? */
  | { readonly probe: 'without-crashes' }
  /** The same foreign write at rest, fully visible: does the target revert these leaves? */
  | {
      readonly probe: 'drift';
      readonly role: string;
      readonly leaves: readonly string[];
      readonly value: JsonValue;
      readonly op: ProgramOp;
    }
  /** The same trial, but from the settle phase on the target is not shown its own writes: does it fall silent? */
  | { readonly probe: 'withheld-echo' }
  /** The same trial with a settle phase of at least this much run time. */
  | { readonly probe: 'extended-settle'; readonly windowMs: number };

export type ProbeResult =
  | {
      readonly probe: 'expected-state';
      /** One entry per allowed outcome (several when the target's result depends on the path). */
      readonly outcomes: readonly ExpectedState[];
      readonly settled: boolean;
    }
  | { readonly probe: 'other-copies'; readonly outcomes: readonly ExpectedState[] }
  | {
      readonly probe: 'fresh-incarnation';
      /** Sentences naming the writes that changed something, in order. */
      readonly writes: readonly string[];
      readonly settled: boolean;
    }
  | {
      readonly probe: 'undisturbed';
      readonly settled: boolean;
      readonly final: readonly KubeObject[];
      /** Canonical names by uid of that run. */
      readonly names: { readonly [uid: string]: string };
      /** What a fresh target makes of that run's foreign input. */
      readonly expected: readonly ExpectedState[];
    }
  | {
      readonly probe: 'without-crashes';
      readonly settled: boolean;
      readonly final: readonly KubeObject[];
      /** Canonical names by uid of that run. */
      readonly names: { readonly [uid: string]: string };
      /** What a fresh target makes of that run's foreign input. */
      readonly expected: readonly ExpectedState[];
    }
  | {
      readonly probe: 'drift';
      readonly role: string;
      readonly leaves: readonly string[];
      readonly value: JsonValue;
      readonly reverted: readonly string[];
    }
  | { readonly probe: 'withheld-echo'; readonly writesAtRest: number; readonly windowMs: number }
  | {
      readonly probe: 'extended-settle';
      readonly windowMs: number;
      readonly quiescent: boolean;
      readonly final: readonly KubeObject[];
      /** Canonical names by uid of that longer run. */
      readonly names: { readonly [uid: string]: string };
      readonly writesAtRest: number;
      /** For how long it had tried to change nothing at the end; absent in histories from before this was noted. */
      readonly unchangedMs?: number;
      /** What the target asked for in the later half of that rest; absent in histories from before this was noted. */
      readonly laterHalf?: {
        readonly requests: number;
        /** Of these, how many wrote or failed; only in histories of an earlier version. */
        readonly attempts?: number;
        readonly spanMs: number;
        readonly goesOn: boolean;
      };
    };

/** Objects at the end of a run, by canonical name `gr/namespace/name`. */
export interface ExpectedState {
  readonly objects: { readonly [key: string]: KubeObject };
}
