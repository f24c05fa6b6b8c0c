/** The schema of a version as the rest of the server uses it: coerce, then validate. `compile.ts` makes it. */
import type { KubeObject } from '../../objects/object.ts';
import type { FieldError } from '../refusal.ts';
import type { SchemaNode } from './schema-node.ts';

export interface CompiledSchema {
  readonly root: SchemaNode;
  /** Pruned and defaulted; the same object when nothing changes. `unknown` collects the paths of dropped fields. */
  coerce(object: KubeObject, unknown?: string[]): KubeObject;
  /** Built-in kinds: the object as Go would write it again, or its decoder's complaint about a type. Takes the place of `coerce`. */
  decode?(object: KubeObject, unknown: string[] | undefined, words?: 'json' | 'converter'): KubeObject | string;
  /** Built-in kinds: with the top-level fields that are written although empty. */
  complete?(object: KubeObject): KubeObject;
  /** What is wrong with everything but metadata. Unchanged parts of `old` may stay wrong. `warnings` says what the rules think of them. */
  validate(object: KubeObject, old: KubeObject | undefined, warnings?: string[]): readonly FieldError[];
  /** What is wrong with the status alone; rules see the whole object. */
  validateStatus(object: KubeObject, old: KubeObject, warnings?: string[]): readonly FieldError[];
}

/** The schema of a custom resource, which knows two steps that built-in kinds take as one. */
export interface CustomSchema extends CompiledSchema {
  /** Pruned only; the same object when nothing changes. */
  prune(object: KubeObject): KubeObject;
}
