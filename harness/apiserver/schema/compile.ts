/**
 * A version's schema as the rest of the server uses it: coerce, then validate.
 *
 * Start here. `node.ts` reads the schema, `coerce.ts` prunes and defaults, `validate.ts` words what is wrong.
 */
import type { JsonValue, KubeObject } from '../../model/object.ts';
import type { FieldError } from '../refusal.ts';
import { coerceMap } from './coerce.ts';
import { compileNode, type SchemaNode } from './node.ts';
import { validateValue } from './validate.ts';

export interface CompiledSchema {
  readonly root: SchemaNode;
  /** Pruned and defaulted; the same object when nothing changes. `unknown` collects the paths of dropped fields. */
  coerce(object: KubeObject, unknown?: string[]): KubeObject;
  /** Built-in kinds: the object as Go would write it again, or its decoder's complaint about a type. Takes the place of `coerce`. */
  decode?(object: KubeObject, unknown: string[] | undefined, words?: 'json' | 'converter'): KubeObject | string;
  /** Built-in kinds: with the top-level fields that are written although empty. */
  complete?(object: KubeObject): KubeObject;
  /** What is wrong with everything but metadata. Parts equal to `old` are not judged again. */
  validate(object: KubeObject, old: KubeObject | undefined): readonly FieldError[];
  /** What is wrong with the status alone. */
  validateStatus(object: KubeObject, old: KubeObject): readonly FieldError[];
}

const NONE: readonly FieldError[] = [];

export function compileSchema(schema: JsonValue | undefined): CompiledSchema {
  const root = compileNode(schema);
  const status = root.properties.get('status');
  return {
    root,
    coerce: (object, unknown) => coerceMap(root, object, '', unknown, true) as KubeObject,
    validate: (object, old) => {
      const errors: FieldError[] = [];
      const site = { errors, base: '' };
      for (const [key, node] of root.properties) {
        if (key === 'metadata' || key === 'apiVersion' || key === 'kind') continue;
        const value = object[key];
        if (value !== undefined) validateValue(node, value, old?.[key], key, site);
      }
      for (const key of root.required)
        if (object[key] === undefined) errors.push({ type: 'Required', field: key, detail: '' });
      return errors.length === 0 ? NONE : errors;
    },
    validateStatus: (object, old) => {
      const value = object['status'];
      if (status === undefined || value === undefined) return NONE;
      const errors: FieldError[] = [];
      validateValue(status, value, old['status'], '', { errors, base: 'status' });
      return errors;
    },
  };
}
