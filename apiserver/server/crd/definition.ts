/**
 * Turns a CustomResourceDefinition into the definition of its resource.
 *
 * Owns: reading `spec` of an apiextensions.k8s.io/v1 definition, compiled once per stored object. Does not own: validation (`validate.ts`)
 * and conditions (`lifecycle.ts`).
 */
import { jsonEqual, isList, isMap, mapOf, mapsOf, textOf, textsOf, valueAt } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import {
  NO_FIELDS,
  sameObject,
  type FieldReader,
  type PrinterColumn,
  type ResourceDefinition,
  type ScalePaths,
  type ServedVersion,
  type Strategy,
} from '../definition.ts';
import { versionOrder } from '../discovery/groups.ts';
import { Converter } from '../conversion/converter.ts';
import { compileSchema } from '../schema/compile.ts';
import type { CustomSchema } from '../schema/compiled-schema.ts';

const STRATEGY: Strategy = {
  unconditionalUpdate: false,
  createOnUpdate: false,
  generation: 'content',
  name: 'subdomain',
  metadataValidation: { create: 'plain', update: ['change'], status: ['change'] },
  returnsDeleted: false,
  dependents: 'background',
  deletion: 'plain',
};

/** Returns the conversion webhook; undefined when only the `apiVersion` differs between versions. */
function converterOf(spec: JsonObject): Converter | undefined {
  const conversion = isMap(spec['conversion']) ? spec['conversion'] : {};
  if (conversion['strategy'] !== 'Webhook') return undefined;
  return new Converter(isMap(conversion['webhook']) ? conversion['webhook'] : {});
}

const compiled = new WeakMap<KubeObject, ResourceDefinition>();

/** Returns the resource that a definition declares. Compiled once per stored object. */
export function definitionOf(crd: KubeObject): ResourceDefinition {
  let definition = compiled.get(crd);
  if (definition === undefined) compiled.set(crd, (definition = compile(crd)));
  return definition;
}

function compile(crd: KubeObject): ResourceDefinition {
  const spec = (crd['spec'] ?? {}) as JsonObject;
  const names = (spec['names'] ?? {}) as JsonObject;
  const group = textOf(spec['group']);
  const resource = textOf(names['plural']);
  const kind = textOf(names['kind']);
  const versions = (isList(spec['versions']) ? spec['versions'] : []).filter(isMap);
  const storage = textOf(versions.find((version) => version['storage'] === true)?.['name']);
  const schemas = new Map(
    versions.map((version, at) => [`${group}/${textOf(version['name'])}`, schemaOf(version, versions[at - 1])]),
  );
  const revised = (crd.metadata.generation ?? 1) > 1;
  const storing: Storing = {
    stored: `${group}/${storage}`,
    schemas,
    converter: converterOf(spec),
    read:
      versions.length > 1 || revised || [...schemas.values()].some(fillsStatus)
        ? remembering((object) => schemas.get(object.apiVersion)?.coerce(object) ?? object)
        : sameObject,
  };
  return {
    group,
    resource,
    singular: textOf(names['singular']) || kind.toLowerCase(),
    kind,
    listKind: textOf(names['listKind']) || `${kind}List`,
    namespaced: spec['scope'] !== 'Cluster',
    shortNames: textsOf(names['shortNames']),
    categories: textsOf(names['categories']),
    gr: `${resource}.${group}`,
    custom: true,
    terminating: crd.metadata.deletionTimestamp !== undefined,
    versions: versions.map((version) => served(version, spec, storing)),
    strategy: STRATEGY,
  };
}

/** How a definition's objects are stored and read, in all versions. */
interface Storing {
  /** The `apiVersion` of the storage version. */
  readonly stored: string;
  readonly schemas: ReadonlyMap<string, CustomSchema>;
  /** Undefined when only the `apiVersion` differs between versions. */
  readonly converter: Converter | undefined;
  /** Returns a stored object, pruned and defaulted by the current schema of the version that it is stored in. */
  readonly read: (object: KubeObject) => KubeObject;
}

/**
 * Compiled schemas by version. A status change keeps the versions of a definition, so schemas are not compiled again on every condition
 * update.
 */
const schemasOfVersions = new WeakMap<JsonObject, CustomSchema>();

/** Returns the compiled schema of a version. `previous`: the preceding version, whose schema may be the same. */
function schemaOf(version: JsonObject, previous: JsonObject | undefined): CustomSchema {
  const known = schemasOfVersions.get(version);
  if (known !== undefined) return known;
  const { schema, subresources } = version;
  const scale = isMap(subresources) ? subresources['scale'] : undefined;
  const isSame =
    previous !== undefined &&
    jsonEqual(previous['schema'], schema) &&
    jsonEqual(mapOf(previous['subresources'])['scale'], scale);
  const compiledSchema =
    (isSame ? schemasOfVersions.get(previous) : undefined) ??
    compileSchema(isMap(schema) ? schema['openAPIV3Schema'] : undefined, isMap(scale) ? scalePaths(scale) : undefined);
  schemasOfVersions.set(version, compiledSchema);
  return compiledSchema;
}

/** Reports whether the whole status has a default. If so, a new object is stored without a status but is read with one. */
function fillsStatus({ root }: CustomSchema): boolean {
  return root.defaulted.some(([field]) => field === 'status');
}

/** Returns the default deprecation warning, which names the recommended served version. */
function deprecation(spec: JsonObject, name: string): string {
  const kind = textOf(mapOf(spec['names'])['kind']);
  const group = textOf(spec['group']);
  const [newest] = mapsOf(spec['versions'])
    .filter((one) => one['served'] === true && one['deprecated'] !== true)
    .map((one) => textOf(one['name']))
    .filter((other) => versionOrder(other, name) < 0)
    .toSorted(versionOrder);
  const warning = `${group}/${name} ${kind} is deprecated`;
  return newest === undefined ? warning : `${warning}; use ${group}/${newest} ${kind}`;
}

/** Returns `make` with its results cached per object. */
function remembering(make: (object: KubeObject) => KubeObject): (object: KubeObject) => KubeObject {
  const made = new WeakMap<KubeObject, KubeObject>();
  return (object) => {
    let result = made.get(object);
    if (result === undefined) made.set(object, (result = make(object)));
    return result;
  };
}

function served(version: JsonObject, spec: JsonObject, storing: Storing): ServedVersion {
  const group = textOf(spec['group']);
  const { stored, schemas, converter, read } = storing;
  const name = textOf(version['name']);
  const apiVersion = `${group}/${name}`;
  const subresources = version['subresources'];
  const has = isMap(subresources) ? subresources : {};
  const scale = has['scale'];
  const schema = version['schema'];
  const converting = apiVersion !== stored;
  const paths = isMap(scale) ? scalePaths(scale) : undefined;
  const compiledSchema = schemas.get(apiVersion) ?? schemaOf(version, undefined);
  // A conversion prunes by the target schema; defaults are added when the object is read.
  const converted = (object: KubeObject, to: string): KubeObject => {
    const moved = converter?.convert(object, to) ?? { ...object, apiVersion: to };
    return schemas.get(to)?.prune(moved) ?? moved;
  };
  return {
    name,
    apiVersion,
    served: version['served'] === true,
    subresources: new Set(Object.keys(has).filter((key) => has[key] !== undefined && has[key] !== null)),
    ...(paths === undefined ? {} : { scale: paths }),
    schema: compiledSchema,
    ...(isMap(schema) && isMap(schema['openAPIV3Schema']) ? { published: schema['openAPIV3Schema'] } : {}),
    ...(converting ? { stored: stored.slice(group.length + 1) } : {}),
    fields: fieldReaders(version['selectableFields']),
    ...printerColumns(version['additionalPrinterColumns']),
    ...(version['deprecated'] === true
      ? { deprecated: textOf(version['deprecationWarning']) || deprecation(spec, name) }
      : {}),
    ...(converter === undefined ? {} : { prepare: (objects) => converter.prepare(objects.map(read), apiVersion) }),
    toStorage: converting ? (object) => converted(object, stored) : sameObject,
    fromStorage:
      read === sameObject
        ? sameObject
        : remembering((object) => {
            const whole = read(object);
            return whole.apiVersion === apiVersion ? whole : converted(whole, apiVersion);
          }),
  };
}

function scalePaths(scale: JsonObject): ScalePaths {
  return {
    specReplicas: path(scale['specReplicasPath']),
    statusReplicas: path(scale['statusReplicasPath']),
    selector: path(scale['labelSelectorPath']),
  };
}

function path(value: JsonValue | undefined): readonly string[] {
  return textOf(value)
    .split('.')
    .filter((part) => part !== '');
}

function fieldReaders(fields: JsonValue | undefined): { readonly [label: string]: FieldReader } {
  if (!isList(fields)) return NO_FIELDS;
  const readers: { [label: string]: FieldReader } = {};
  for (const field of fields) {
    if (!isMap(field)) continue;
    const parts = path(field['jsonPath']);
    readers[parts.join('.')] = (object) => {
      const value = valueAt(object, parts);
      return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    };
  }
  return readers;
}

function printerColumns(columns: JsonValue | undefined): { readonly printerColumns?: readonly PrinterColumn[] } {
  if (!isList(columns) || columns.length === 0) return {};
  return {
    printerColumns: columns.filter(isMap).map((column) => ({
      name: textOf(column['name']),
      type: textOf(column['type']),
      format: textOf(column['format']),
      description: textOf(column['description']),
      priority: typeof column['priority'] === 'number' ? column['priority'] : 0,
      jsonPath: textOf(column['jsonPath']),
    })),
  };
}
