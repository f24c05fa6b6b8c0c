/**
 * What an adversarial writer is, and what it aims at.
 *
 * Owns: the interface between the writers (`actors/writers/`), the references that measure what to aim at (`execution/`) and the
 * arbitrary that puts workloads together. A writer makes data, it never acts: `actors/program.ts` executes what it made.
 */
import type * as fc from 'fast-check';
import type { JsonObject, JsonValue, KubeObject, OwnerReference } from 'stalemate-apiserver/objects/object';
import type { FieldPath, ObjectTarget, ProgramOp } from '../../model/workload.ts';

/** One object that the target reads or writes, as it was at rest in a reference. */
export interface AimObject {
  /** With canonical names. */
  readonly target: ObjectTarget;
  readonly kind: string;
  readonly object: KubeObject;
  readonly relation: 'read' | 'written' | 'created-by-target' | 'sample';
  /** The target writes to it again once it is there: a writer beside it makes conflicts. */
  readonly updated: boolean;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  /** Patterns of the leaves that the target changes. */
  readonly ownedLeaves: readonly string[];
  /** Finalizers that the target put on it: no writer touches those. */
  readonly targetFinalizers: readonly string[];
  /** `openAPIV3Schema` of its version, for custom resources; without it only well-known fields are written. */
  readonly schema?: JsonObject;
}

/** A spec edit after which the target came to rest healthily in a reference of its own. */
export interface SpecChange {
  readonly target: ObjectTarget;
  readonly path: FieldPath;
  readonly value: JsonValue;
}

export interface Aim {
  readonly objects: readonly AimObject[];
  readonly healthySpecChanges: readonly SpecChange[];
  /**
   * Times shortly before the target acts by itself (a poll, a resync), in ms after it came to rest, ascending; absent if unknown.
   */
  readonly waitsMs?: readonly number[];
}

/** What a writer may know besides its aim. */
export interface WriterContext {
  /** What the user applied, to apply it again. */
  readonly sample: readonly KubeObject[];
  /** An object that lives through every run under the same uid: the owner to name where a harmless one is needed. */
  readonly bystander?: OwnerReference;
  /** Whether the cluster collects garbage: without it foreground deletion hangs for ever. */
  readonly garbageCollection?: boolean;
}

export interface AdversarialWriter {
  /** Kebab-case, as in the configuration's `writers` and stored in programs. */
  readonly name: string;
  /** One sentence: what it does, as its user would say it. */
  readonly about: string;
  /** `user`: its programs are the user's own, who is one actor and applies the sample too. */
  readonly as?: 'user';
  /** Stays active through heal and settle, like an autoscaler. */
  readonly standing?: boolean;
  /** Changes the spec of a sample object. One per run: only single changes are known to be healthy. */
  readonly changesSpec?: boolean;
  /** One to three operations, simplest first; undefined when it cannot apply to this target. */
  ops(aim: Aim, context: WriterContext): fc.Arbitrary<readonly ProgramOp[]> | undefined;
  /** Whether the target writes the very list or map of this object that the writer writes to. */
  readonly contests?: (object: AimObject) => boolean;
  /** Whether the target then has to act on the object although its user changed nothing. */
  readonly stirs?: (object: AimObject) => boolean;
  /** What it undoes itself after contention. */
  heal?(ops: readonly ProgramOp[], aim: Aim): readonly ProgramOp[];
}
