/**
 * The workload: the operations of the user and the adversarial writers in one run, as data.
 *
 * A program is a sequence of operations; each is one read-modify-write of one object, as any third party could do it.
 */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ActorId } from './actor.ts';

/** The path of a field: map keys, and `{ key: value }` to select an item of a list of maps. */
export type FieldPath = readonly (string | { readonly [key: string]: string })[];

/**
 * The object of an operation. `name` is the canonical name: the object's own for names chosen by people, `owner/role~n` for generated ones.
 */
export interface ObjectTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** How a change is written: `update` reads, edits and PUTs with the version that it read; patches carry no version. */
export type WriteStyle = 'update' | 'merge-patch' | 'json-patch';

type Edit =
  | { readonly do: 'create'; readonly target: ObjectTarget; readonly object: KubeObject }
  | {
      readonly do: 'set';
      readonly target: ObjectTarget;
      readonly subresource?: 'status' | 'scale';
      readonly path: FieldPath;
      /** `null` removes the key. */
      readonly value: JsonValue;
      readonly via: WriteStyle;
    }
  | {
      /** Appends an item to a list, or replaces the item with the same key (`uid`, `type`, `name` or `key`, else the value). */
      readonly do: 'append';
      readonly target: ObjectTarget;
      readonly subresource?: 'status';
      readonly path: FieldPath;
      readonly item: JsonValue;
    }
  | {
      /** Removes the item that an earlier `append` of the same program added. */
      readonly do: 'remove-item';
      readonly target: ObjectTarget;
      readonly subresource?: 'status';
      readonly path: FieldPath;
      readonly item: JsonValue;
    }
  | {
      readonly do: 'delete';
      readonly target: ObjectTarget;
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
      /** The content with which to create the object again once it is gone; `same`: what it contained, as read before the deletion. */
      readonly recreate?: KubeObject | 'same';
    };

/** One operation of a program. */
export type ProgramOp = Edit & {
  /**
   * How much idle run time, in ms, has to pass before the operation starts, so that it comes shortly before the target acts by itself;
   * absent: none.
   */
  readonly afterMs?: number;
};

export interface Program {
  readonly actor: ActorId;
  /** The kind of writer that generated it (`status-writer`, …), or `user`. */
  readonly writer: string;
  /** True if the writer stays active through heal and settle. */
  readonly standing?: boolean;
  readonly ops: readonly ProgramOp[];
  /** The operations with which the writer cleans up after contention, for example removing a finalizer that it added. */
  readonly heal?: readonly ProgramOp[];
}

export interface Workload {
  readonly version: 1;
  /** `settled`: the sample is applied and the target at rest before contention; `empty`: the sample is applied during contention. */
  readonly start: 'settled' | 'empty';
  readonly sample: readonly KubeObject[];
  readonly programs: readonly Program[];
}
