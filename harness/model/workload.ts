/**
 * The workload: what the user and the adversarial writers do in one run, as data.
 *
 * A program is a sequence of operations; each is one read-modify-write against one object, as any third party could do it.
 */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ActorId } from './actor.ts';

/** Where a field is: map keys, and `{ key: value }` to name an item of a list of maps. */
export type FieldPath = readonly (string | { readonly [key: string]: string })[];

/**
 * The object that an operation is about. `name` is the canonical name: the object's own for names that somebody chose,
 * `owner/role~n` for generated ones.
 */
export interface ObjectTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** How a change is written: `update` reads, edits and PUTs with the version read; patches carry no version. */
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
      /** Appends an item to a list, or replaces the item with the same key (`type`, `name`, `uid`, else the value). */
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
      /** Create it again, with this content, once it is gone. */
      readonly recreate?: KubeObject;
    };

/** One operation of a program. */
export type ProgramOp = Edit & {
  /**
   * Starts after this much idle run time, in ms, which is shortly before the target acts by itself; absent: at once.
   */
  readonly afterMs?: number;
};

export interface Program {
  readonly actor: ActorId;
  /** The kind of writer that made it (`status-writer`, …), or `user`. */
  readonly writer: string;
  /** Active writers continue through heal and settle. */
  readonly standing?: boolean;
  readonly ops: readonly ProgramOp[];
  /** What the writer undoes itself after contention, for example a finalizer that it added. */
  readonly heal?: readonly ProgramOp[];
}

export interface Workload {
  readonly version: 1;
  /** `settled`: the sample is applied and the target at rest before contention; `empty`: applying it is part of contention. */
  readonly start: 'settled' | 'empty';
  readonly sample: readonly KubeObject[];
  readonly programs: readonly Program[];
}
