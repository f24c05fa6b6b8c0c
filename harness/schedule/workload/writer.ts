/**
 * Adversarial writers, and what they aim at.
 *
 * Owns: the interface between the writers (`actors/writers/`), the references that measure possible aims (`execution/`) and the arbitrary
 * that combines them into workloads. A writer generates data and never acts: `actors/program.ts` executes its operations.
 */
import type * as fc from 'fast-check';
import type { JsonObject, JsonValue, KubeObject, OwnerReference } from 'stalemate-apiserver/objects/object';
import type { FieldPath, ObjectTarget, ProgramOp } from '../../model/workload.ts';

/** One object that the target reads or writes, as it was at rest in a reference. */
export interface AimObject {
  /** The object's address, with canonical names. */
  readonly target: ObjectTarget;
  readonly kind: string;
  readonly object: KubeObject;
  readonly relation: 'read' | 'written' | 'created-by-target' | 'sample';
  /** True if the target updates the object after its creation, so that another writer causes conflicts. */
  readonly updated: boolean;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  /** The leaf patterns that the target changes. */
  readonly ownedLeaves: readonly string[];
  /** The `openAPIV3Schema` of its version, for custom resources; without it only well-known fields are written. */
  readonly schema?: JsonObject;
}

/** A spec edit after which the target came to rest healthily in a reference run. */
export interface SpecChange {
  readonly target: ObjectTarget;
  readonly path: FieldPath;
  readonly value: JsonValue;
}

export interface Aim {
  readonly objects: readonly AimObject[];
  readonly healthySpecChanges: readonly SpecChange[];
  /** Times shortly before the target acts by itself (a poll, a resync), in ms after it came to rest, ascending; absent if unknown. */
  readonly waitsMs?: readonly number[];
}

/** An object that exists under the same uid in every run: a harmless owner for other objects of its namespace to refer to. */
export interface Bystander {
  readonly namespace: string;
  readonly reference: OwnerReference;
}

/** More facts that a writer may use. */
export interface WriterContext {
  /** The objects that the user applied, to apply them again. */
  readonly sample: readonly KubeObject[];
  readonly bystander?: Bystander;
  /** True if the cluster runs garbage collection, without which foreground deletion hangs for ever. */
  readonly garbageCollection?: boolean;
}

export interface AdversarialWriter {
  /** The writer's name in kebab-case, as in the configuration's `writers` and in stored programs. */
  readonly name: string;
  /** One sentence, printed for users, about what the writer does. */
  readonly about: string;
  /** `user`: the writer's programs run as the user, the actor that also applies the sample. */
  readonly as?: 'user';
  /** True if the writer stays active through heal and settle, like an autoscaler. */
  readonly standing?: boolean;
  /**
   * True if the writer changes the spec of a sample object. At most one such writer takes part in a run: only single changes are known to
   * be healthy.
   */
  readonly changesSpec?: boolean;
  /** Generates one to three operations, simplest first; undefined if the writer does not apply to this target. */
  ops(aim: Aim, context: WriterContext): fc.Arbitrary<readonly ProgramOp[]> | undefined;
  /** Reports whether the target writes the same list or map of this object as the writer. */
  readonly contests?: (object: AimObject) => boolean;
  /** Reports whether the target has to react to what the writer does to this object although no spec changes. */
  readonly stirs?: (object: AimObject) => boolean;
  /** Returns the operations with which the writer cleans up after contention. */
  heal?(ops: readonly ProgramOp[], aim: Aim): readonly ProgramOp[];
}
