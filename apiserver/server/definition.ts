/**
 * What the server knows of one resource: its names, versions and strategy, as data.
 *
 * Owns: the shape shared by built-in kinds (`kinds/`) and custom resources (`crd/`). Does not own: what is done with it (`verbs/`).
 * A strategy says in data what Go's registry strategies say in code; hooks exist only where a kind differs from the table.
 */
import { isList, valueAt } from '../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject, ResourceKind } from '../objects/object.ts';
import type { FieldError } from './refusal.ts';
import type { CompiledSchema } from './schema/compiled-schema.ts';

/**
 * When `metadata.generation` goes up: never, on changes of spec, of everything but metadata (and status), …
 * `initial`: it is 1 and stays so. `spec-changes`: it is absent until the spec changes.
 */
export type GenerationPolicy =
  | 'none'
  | 'initial'
  | 'spec'
  | 'spec-changes'
  | 'spec-or-annotations'
  | 'content'
  | 'content-or-labels';

/** Which rule `metadata.name` must follow. */
export type NameRule = 'subdomain' | 'label' | 'service' | 'path-segment' | 'ip';

/** The stored objects of a resource; without an argument, of the one at hand. */
export type Stored = (gr?: string) => readonly KubeObject[];

/**
 * How the code of a kind judges metadata, over what every write is judged by. `core`: with whose finalizers they are, as the oldest kinds
 * do. `…change`: what never changes, too. `maps`: labels, annotations and owners only.
 */
export type MetadataCheck = 'core' | 'plain' | 'core-change' | 'change' | 'maps';

export interface MetadataJudging {
  readonly create: 'core' | 'plain' | 'none';
  readonly update: readonly MetadataCheck[];
  readonly status: readonly MetadataCheck[];
}

export interface Strategy {
  /** PUT without resourceVersion wins silently instead of 422. */
  readonly unconditionalUpdate: boolean;
  /** PUT to an absent name creates. */
  readonly createOnUpdate: boolean;
  readonly generation: GenerationPolicy;
  readonly name: NameRule;
  readonly judging: MetadataJudging;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** What DELETE does to dependents when nobody says: `unsupported` never adds a garbage-collection finalizer. */
  readonly dependents: 'background' | 'orphan' | 'unsupported';
  /** `pod`: graceful. `namespace`: two steps through spec.finalizers. `definition`: after its instances. */
  readonly deletion: 'plain' | 'pod' | 'namespace' | 'definition';
  /** A status given on create is kept. */
  readonly keepsStatus?: boolean;
  /** Metadata that a write to /status cannot change (built-in kinds; custom resources keep all of it). `metadata`: nearly all, `everything`: its uid, too. */
  readonly statusKeeps?: 'labels' | 'ownerReferences' | 'metadata' | 'everything';
  /** What the server adds to a write to /status. */
  readonly onStatus?: (object: KubeObject, old: KubeObject, now: string) => KubeObject;
  /** What admission that is on by default makes of a new object (of its metadata only annotations count), or why it forbids it. */
  readonly admit?: (object: JsonObject, stored: Stored, namespace: string) => JsonObject | string;
  /** Why admission that is on by default refuses a new object as webhooks have left it. */
  readonly forbid?: (object: JsonObject, stored: Stored, namespace: string) => string | undefined;
  /** The same of a change to the object itself. */
  readonly forbidChange?: (object: KubeObject, old: KubeObject, stored: Stored) => string | undefined;
  /** Whether a new object reads as more than was stored of it: the next write changes it, be it the same again. */
  readonly readsMore?: (object: KubeObject) => boolean;
  /** Sets what the server sets on a new object: initial status and the like. `stored`: objects of the same resource, or of another. */
  readonly onCreate?: (object: KubeObject, stored: Stored) => KubeObject;
  /** A write to /status creates what is not there: what becomes of such an object instead of `normalise` and `onCreate`. */
  readonly onCreateByStatus?: (object: KubeObject) => KubeObject;
  /** Sets what the server allocates when an object changes. */
  readonly onUpdate?: (object: KubeObject, old: KubeObject, stored: Stored) => KubeObject;
  /** What a real server writes of any object because its own form of it knows no "absent", be nothing else there. */
  readonly converted?: (object: KubeObject) => KubeObject;
  /** Fills in and normalises on every write; also sees the stored object on updates. Must return its argument when nothing changes. */
  readonly normalise?: (object: KubeObject, old: KubeObject | undefined) => KubeObject;
  /** Why nothing can be allocated for an object, which comes before it is judged: errors of fields, or one that has no field. */
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
  /** Where the serialised selector is; custom resources only. */
  readonly selector: readonly string[];
}

/** A column of a table, from `additionalPrinterColumns`. */
export interface PrinterColumn {
  readonly name: string;
  /** `integer`, `number`, `string`, `boolean` or `date`. */
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0: always shown; more: only in wide tables. */
  readonly priority: number;
  /** As written in the definition, with its leading dot. */
  readonly jsonPath: string;
}

/** Reads the value that a field selector compares. */
export type FieldReader = (object: KubeObject) => string;

export interface ServedVersion {
  readonly name: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly served: boolean;
  /** `status`, `scale`, `finalize`, `binding`, `eviction`. */
  readonly subresources: ReadonlySet<string>;
  readonly scale?: ScalePaths;
  /** Custom resources: pruning, defaulting and validation of everything but metadata. */
  readonly schema?: CompiledSchema;
  /** Field selectors beside `metadata.name` and `metadata.namespace`. */
  readonly fields: { readonly [label: string]: FieldReader };
  /** Custom resources: the columns that the definition declares; absent when it declares none. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Custom resources: the schema as the definition has it, for OpenAPI. */
  readonly published?: JsonObject;
  /** Custom resources: the version that is stored, when it is another. */
  readonly stored?: string;
  /** Text of the deprecation warning, for deprecated versions. */
  readonly deprecated?: string;
  /** Where a webhook converts: makes sure that conversions to this version are known, or interrupts (`conversion/`). */
  readonly prepare?: (objects: readonly KubeObject[]) => void;
  /** From and to the stored form; identity for the storage version. */
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
  /** Custom resources of a definition that is going away take no writes. */
  readonly terminating: boolean;
  readonly versions: readonly ServedVersion[];
  readonly strategy: Strategy;
}

export function sameObject(object: KubeObject): KubeObject {
  return object;
}

export const NO_FIELDS: { readonly [label: string]: FieldReader } = {};

/** What discovery says of a definition in one version. */
export function resourceKindOf(definition: ResourceDefinition, version: ServedVersion): ResourceKind {
  return {
    group: definition.group,
    version: version.name,
    resource: definition.resource,
    kind: definition.kind,
    namespaced: definition.namespaced,
  };
}

/** What Go's JSON decoder calls a value in its errors. */
export function goType(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The finalizers in a namespace's spec; none when there is no list. */
export function specFinalizers(namespace: KubeObject): readonly JsonValue[] {
  const finalizers = valueAt(namespace, ['spec', 'finalizers']);
  return isList(finalizers) ? finalizers : [];
}
