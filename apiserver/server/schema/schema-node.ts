/** A compiled structural schema for pruning, defaulting and validation. Created by `node.ts`. */
import type { JsonValue } from '../../objects/object.ts';
import type { GoRegExp } from '../../wire/go-regexp.ts';

export interface SchemaNode {
  /** The type; empty for any type. */
  readonly type: string;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  /** True if unknown fields of a map are kept. */
  readonly preserve: boolean;
  /** True for an embedded object, whose `apiVersion`, `kind` and `metadata` are kept. */
  readonly embedded: boolean;
  /** The declared properties: a `Map`, because a plain object would also find inherited keys. */
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Properties with a default, in schema order. */
  readonly defaulted: readonly (readonly [string, JsonValue])[];
  /** The schema of undeclared keys; `true` for any value. */
  readonly additional: SchemaNode | boolean | undefined;
  readonly items: SchemaNode | undefined;
  readonly hasDefault: boolean;
  readonly default: JsonValue | undefined;
  readonly required: readonly string[];
  readonly enum: readonly JsonValue[] | undefined;
  readonly maximum: number | undefined;
  readonly minimum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: Pick<GoRegExp, 'test'> | undefined;
  readonly patternText: string;
  readonly format: string;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly listType: string;
  readonly listKeys: readonly string[];
  /** `atomic`, `granular` or empty. */
  readonly mapType: string;
  /** The strategy of strategic merge patch; built-in kinds only. */
  readonly patchStrategy: string;
  readonly patchMergeKey: string;
  /** True if undeclared keys are allowed here or below. Such values never count as unchanged. */
  readonly open: boolean;
  /** `x-kubernetes-validations`. */
  readonly rules: readonly ValidationRule[];
}

/** One entry of `x-kubernetes-validations`; absent texts are empty. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean;
}
