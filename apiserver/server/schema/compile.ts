/**
 * The compiled schema of a version: coerces objects, then validates them.
 *
 * Start here. `node.ts` reads the schema, `coerce.ts` prunes and defaults, `validate.ts` reports errors, `lists.ts` and `embedded.ts` add
 * checks that kube-openapi lacks, `../cel/rules.ts` evaluates rules.
 */
import type { JsonValue, KubeObject } from '../../objects/object.ts';
import { compileRules, evaluateRules, hasRules, type RuleTree } from '../cel/rules.ts';
import type { FieldError } from '../refusal.ts';
import type { ScalePaths } from '../definition.ts';
import type { CustomSchema } from './compiled-schema.ts';
import { coerceMap, coerceObject, withoutDefaults, type CoercedNode } from './coerce.ts';
import { hasEmbedded, validateEmbedded } from './embedded.ts';
import { hasAssociativeLists, validateLists } from './lists.ts';
import { validateScale } from './scale.ts';
import { compileNode } from './node.ts';
import type { SchemaNode } from './schema-node.ts';
import { Site } from './site.ts';
import { validateValue } from './validate.ts';

const NONE: readonly FieldError[] = [];

/** Types of errors after which rules are not evaluated, because they could fail on the invalid values. */
const BLOCKING: ReadonlySet<string> = new Set(['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid']);

const BLOCKED: FieldError = {
  type: 'Invalid',
  field: '<nil>',
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Compiles a schema. `scale`: the paths of replica counts, for definitions with the scale subresource. */
export function compileSchema(schema: JsonValue | undefined, scale?: ScalePaths): CustomSchema {
  // The root is never skipped as unchanged, because an object also has metadata.
  const root: SchemaNode = { ...compileNode(schema), open: true };
  const status = root.properties.get('status');
  const lists = hasAssociativeLists(root);
  const embedded = hasEmbedded(root);
  const ruled = hasRules(root);
  let rules: RuleTree | undefined;
  let bare: CoercedNode | undefined;

  /** Runs the checks that come after the OpenAPI schema. */
  const beyond = (
    object: KubeObject,
    old: KubeObject | undefined,
    errors: FieldError[],
    warnings: string[] = [],
  ): void => {
    if (lists && !(old !== undefined && hasDuplicates(root, old))) validateLists(root, object, '', errors);
    if (!ruled) return;
    if (errors.some(({ type }) => BLOCKING.has(type))) {
      errors.push(BLOCKED);
      return;
    }
    rules ??= compileRules(root);
    if (rules !== undefined) evaluateRules(rules, object, old, { errors, warnings });
  };

  return {
    root,
    coerce: (object, unknown) => coerceObject(root, object, unknown) as KubeObject,
    prune: (object) => coerceMap((bare ??= withoutDefaults(root)), object, '', undefined, true) as KubeObject,
    validate: (object, old, warnings) => {
      const site = new Site('');
      validateValue(root, object, old, '', site);
      if (scale !== undefined) validateScale(scale, object, site.errors, true);
      if (embedded) validateEmbedded(root, object, '', site.errors);
      beyond(object, old, site.errors, warnings);
      return site.errors.length === 0 ? NONE : site.errors;
    },
    validateStatus: (object, old, warnings) => {
      const value = object['status'];
      const site = new Site('status');
      if (status !== undefined && value !== undefined) validateValue(status, value, old['status'], '', site);
      if (scale !== undefined) validateScale(scale, object, site.errors, false);
      beyond(object, old, site.errors, warnings);
      return site.errors.length === 0 ? NONE : site.errors;
    },
  };
}

function hasDuplicates(root: SchemaNode, object: KubeObject): boolean {
  const errors: FieldError[] = [];
  validateLists(root, object, '', errors);
  return errors.length > 0;
}
