/**
 * The definition of one resource: its names, versions and strategy, as data.
 *
 * Owns: the shape shared by built-in kinds (`kinds/`) and custom resources (`crd/`). Does not own: its use (`verbs/`). A strategy is data
 * where Go's registry strategies are code; hooks exist only where a kind differs from the table.
 */
import { isList, valueAt } from '../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject, ResourceKind } from '../objects/object.ts';
import type { FieldError } from './refusal.ts';
import type { CompiledSchema } from './schema/compiled-schema.ts';

/**
 * When `metadata.generation` increases: `none`: never; `initial`: never, it stays 1; `spec`: when the spec changes; `spec-changes`: the
 * same, but it is absent until then; `content`: when anything but metadata (and status) changes.
 */
export type GenerationPolicy =
  | 'none'
  | 'initial'
  | 'spec'
  | 'spec-changes'
  | 'spec-or-annotations'
  | 'content'
  | 'content-or-labels';

/** The validation rule of `metadata.name`. */
export type NameRule = 'subdomain' | 'label' | 'service' | 'path-segment' | 'ip';

/** Returns the stored objects of a resource; without an argument, of this resource. */
export type Stored = (gr?: string) => readonly KubeObject[];

/**
 * How the code of a kind validates metadata, in addition to the common validation. `core`: finalizers must be qualified, as in the oldest
 * kinds. `…change`: immutable fields are checked too. `maps`: only labels, annotations and owner references.
 */
export type MetadataCheck = 'core' | 'plain' | 'core-change' | 'change' | 'maps';

export interface MetadataValidation {
  readonly create: 'core' | 'plain' | 'none';
  readonly update: readonly MetadataCheck[];
  readonly status: readonly MetadataCheck[];
}

export interface Strategy {
  /** True if a PUT without resourceVersion is an unconditional update; otherwise it is refused with 422. */
  readonly unconditionalUpdate: boolean;
  /** True if a PUT to an absent name creates the object. */
  readonly createOnUpdate: boolean;
  readonly generation: GenerationPolicy;
  readonly name: NameRule;
  readonly metadataValidation: MetadataValidation;
  /** True if DELETE returns the object; otherwise it returns a Status. */
  readonly returnsDeleted: boolean;
  /** The default propagation policy of DELETE. `unsupported` never adds a garbage-collection finalizer. */
  readonly dependents: 'background' | 'orphan' | 'unsupported';
  /**
   * How DELETE works. `pod`: gracefully. `namespace`: in two steps through spec.finalizers. `definition`: after its instances are deleted.
   */
  readonly deletion: 'plain' | 'pod' | 'namespace' | 'definition';
  /** True if a status in a create is stored. */
  readonly keepsStatus?: boolean;
  /**
   * Metadata that a write to /status cannot change (built-in kinds; custom resources keep all of it). `metadata`: nearly all of it.
   * `everything`: all of it, including the uid.
   */
  readonly statusKeeps?: 'labels' | 'ownerReferences' | 'metadata' | 'everything';
  /** Makes the server's own changes in a write to /status. */
  readonly onStatus?: (object: KubeObject, old: KubeObject, now: string) => KubeObject;
  /**
   * Changes a new object as the default admission plugins do, or returns why they refuse it. Of changed metadata only the annotations are
   * used.
   */
  readonly admit?: (object: JsonObject, stored: Stored, namespace: string) => JsonObject | string;
  /** Returns why the default admission plugins refuse a new object, if they do. Runs after mutating webhooks. */
  readonly forbid?: (object: JsonObject, stored: Stored, namespace: string) => string | undefined;
  /** Like `forbid`, but for an update of the object itself. */
  readonly forbidChange?: (object: KubeObject, old: KubeObject, stored: Stored) => string | undefined;
  /** Reports whether a new object is read with more fields than were stored: the next write then changes it, even if it is identical. */
  readonly readsMore?: (object: KubeObject) => boolean;
  /** Sets server-side fields of a new object: initial status and the like. `stored`: objects of this resource, or of another. */
  readonly onCreate?: (object: KubeObject, stored: Stored) => KubeObject;
  /** Replaces `normalise` and `onCreate` when a write to /status creates an absent object. */
  readonly onCreateByStatus?: (object: KubeObject) => KubeObject;
  /** Sets fields that the server allocates on an update. */
  readonly onUpdate?: (object: KubeObject, old: KubeObject, stored: Stored) => KubeObject;
  /** Adds fields that a real server always writes, because they cannot be absent in its internal type. */
  readonly converted?: (object: KubeObject) => KubeObject;
  /**
   * Defaults and normalises an object on every write; on updates it also gets the stored object. Must return its argument when nothing
   * changes.
   */
  readonly normalise?: (object: KubeObject, old: KubeObject | undefined) => KubeObject;
  /** Returns allocation errors, which come before validation errors: field errors, or one error without a field. */
  readonly unallocatable?: (
    object: KubeObject,
    old: KubeObject | undefined,
    dryRun: boolean,
  ) => readonly FieldError[] | string;
  readonly validate?: (object: KubeObject, old: KubeObject | undefined, subresource: string) => readonly FieldError[];
}

export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The path of the serialised selector; custom resources only. */
  readonly selector: readonly string[];
}

/** A table column, from `additionalPrinterColumns`. */
export interface PrinterColumn {
  readonly name: string;
  /** `integer`, `number`, `string`, `boolean` or `date`. */
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0: always shown; greater than 0: only in wide tables. */
  readonly priority: number;
  /** As written in the definition, with its leading dot. */
  readonly jsonPath: string;
}

/** Reads the value for a field selector. */
export type FieldReader = (object: KubeObject) => string;

export interface ServedVersion {
  readonly name: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly served: boolean;
  /** The version's subresources: `status`, `scale`, `finalize`, `binding`, `eviction`. */
  readonly subresources: ReadonlySet<string>;
  readonly scale?: ScalePaths;
  /** For custom resources: prunes, defaults and validates everything but metadata. */
  readonly schema?: CompiledSchema;
  /** Field selectors in addition to `metadata.name` and `metadata.namespace`. */
  readonly fields: { readonly [label: string]: FieldReader };
  /** For custom resources: the declared columns, if any. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** For custom resources: the original schema, for OpenAPI. */
  readonly published?: JsonObject;
  /** For custom resources: the storage version; absent when it is this version. */
  readonly stored?: string;
  /** Text of the deprecation warning, for deprecated versions. */
  readonly deprecated?: string;
  /** Present with a conversion webhook: ensures that conversions to this version are known, or interrupts the request (`conversion/`). */
  readonly prepare?: (objects: readonly KubeObject[]) => void;
  /** Converts an object to its stored form. `fromStorage` converts back. Both return it unchanged for the storage version. */
  readonly toStorage: (object: KubeObject) => KubeObject;
  readonly fromStorage: (object: KubeObject) => KubeObject;
}

export interface ResourceDefinition {
  readonly group: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** `pods`, `widgets.example.com`. */
  readonly gr: string;
  readonly custom: boolean;
  /** True while the definition of a custom resource is terminating: creates are rejected. */
  readonly terminating: boolean;
  readonly versions: readonly ServedVersion[];
  readonly strategy: Strategy;
}

export function sameObject(object: KubeObject): KubeObject {
  return object;
}

export const NO_FIELDS: { readonly [label: string]: FieldReader } = {};

/** Returns the discovery information of a definition in one version. */
export function resourceKindOf(definition: ResourceDefinition, version: ServedVersion): ResourceKind {
  return {
    group: definition.group,
    version: version.name,
    resource: definition.resource,
    kind: definition.kind,
    namespaced: definition.namespaced,
  };
}

/** Returns the type name in errors of Go's JSON decoder. */
export function goType(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Returns the finalizers in a namespace's spec; empty when absent. */
export function specFinalizers(namespace: KubeObject): readonly JsonValue[] {
  const finalizers = valueAt(namespace, ['spec', 'finalizers']);
  return isList(finalizers) ? finalizers : [];
}
