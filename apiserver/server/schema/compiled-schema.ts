/** The schema of a version as the server uses it: coerces objects, then validates them. Created by `compile.ts`. */
import type { KubeObject } from '../../objects/object.ts';
import type { FieldError } from '../refusal.ts';
import type { SchemaNode } from './schema-node.ts';

export interface CompiledSchema {
  readonly root: SchemaNode;
  /** Prunes and defaults; returns the same object when nothing changes. `unknown` collects the paths of dropped fields. */
  coerce(object: KubeObject, unknown?: string[]): KubeObject;
  /** For built-in kinds: returns the object as Go re-encodes it, or the decoder's type error. Replaces `coerce`. */
  decode?(object: KubeObject, unknown: string[] | undefined, words?: 'json' | 'converter'): KubeObject | string;
  /** For built-in kinds: adds the top-level fields that are always written. */
  complete?(object: KubeObject): KubeObject;
  /**
   * Returns errors in everything but metadata. Parts that are unchanged since `old` may stay invalid. `warnings` collects warnings of
   * rules.
   */
  validate(object: KubeObject, old: KubeObject | undefined, warnings?: string[]): readonly FieldError[];
  /** Returns errors in the status only; rules see the whole object. */
  validateStatus(object: KubeObject, old: KubeObject, warnings?: string[]): readonly FieldError[];
}

/** The schema of a custom resource, with pruning and defaulting as separate steps. */
export interface CustomSchema extends CompiledSchema {
  /** Only prunes; returns the same object when nothing changes. */
  prune(object: KubeObject): KubeObject;
}
