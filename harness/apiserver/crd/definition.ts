/**
 * From a CustomResourceDefinition to the definition of the resource it declares.
 *
 * Owns: reading `spec` of an apiextensions.k8s.io/v1 definition, compiled once per stored object. Does not own: its rules
 * (`validate.ts`) and its conditions (`lifecycle.ts`).
 */
import { isList, isMap, textOf, textsOf, valueAt } from '../../model/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
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
import { Converter } from '../conversion/converter.ts';
import { compileSchema, type CompiledSchema } from '../schema/compile.ts';

const STRATEGY: Strategy = {
  unconditionalUpdate: false,
  createOnUpdate: false,
  generation: 'content',
  name: 'subdomain',
  judging: { create: 'plain', update: ['change'], status: ['change'] },
  returnsDeleted: false,
  dependents: 'background',
  deletion: 'plain',
};

/** What converts between the versions; undefined when only their names differ. */
function converterOf(spec: JsonObject): Converter | undefined {
  const conversion = isMap(spec['conversion']) ? spec['conversion'] : {};
  if (conversion['strategy'] !== 'Webhook') return undefined;
  return new Converter(isMap(conversion['webhook']) ? conversion['webhook'] : {});
}

const compiled = new WeakMap<KubeObject, ResourceDefinition>();

/** The resource that a definition declares. Compiled once per stored object. */
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
  const converter = converterOf(spec);
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
    versions: versions.map((version) => served(version, group, storage, (crd.metadata.generation ?? 1) > 1, converter)),
    strategy: STRATEGY,
  };
}

/** `revised`: the definition has changed since it was created, so stored objects may not fit its schema any more. */
function served(
  version: JsonObject,
  group: string,
  storage: string,
  revised: boolean,
  converter: Converter | undefined,
): ServedVersion {
  const name = textOf(version['name']);
  const apiVersion = `${group}/${name}`;
  const stored = `${group}/${storage}`;
  const subresources = version['subresources'];
  const has = isMap(subresources) ? subresources : {};
  const scale = has['scale'];
  const schema = version['schema'];
  const converting = name !== storage;
  const paths = isMap(scale) ? scalePaths(scale) : undefined;
  const compiledSchema = compileSchema(isMap(schema) ? schema['openAPIV3Schema'] : undefined, paths);
  return {
    name,
    apiVersion,
    served: version['served'] === true,
    subresources: new Set(Object.keys(has).filter((key) => has[key] !== undefined && has[key] !== null)),
    ...(paths === undefined ? {} : { scale: paths }),
    schema: compiledSchema,
    ...(isMap(schema) && isMap(schema['openAPIV3Schema']) ? { published: schema['openAPIV3Schema'] } : {}),
    ...(converting ? { stored: storage } : {}),
    fields: fieldReaders(version['selectableFields']),
    ...printerColumns(version['additionalPrinterColumns']),
    ...(version['deprecated'] === true
      ? { deprecated: textOf(version['deprecationWarning']) || `${apiVersion} is deprecated` }
      : {}),
    ...(converter === undefined ? {} : { prepare: (objects) => converter.prepare(objects, apiVersion) }),
    toStorage: !converting
      ? sameObject
      : converter === undefined
        ? (object) => ({ ...object, apiVersion: stored })
        : (object) => converter.convert(object, stored),
    fromStorage: converting || revised ? showing(apiVersion, compiledSchema, converter) : sameObject,
  };
}

/**
 * What is stored as this version shows it: under its apiVersion (or converted by a webhook), pruned and defaulted by the schema of
 * today. The same object each time it is asked.
 */
function showing(
  apiVersion: string,
  schema: CompiledSchema,
  converter: Converter | undefined,
): (object: KubeObject) => KubeObject {
  const shown = new WeakMap<KubeObject, KubeObject>();
  return (object) => {
    let converted = shown.get(object);
    if (converted === undefined) {
      const given =
        object.apiVersion === apiVersion
          ? object
          : (converter?.convert(object, apiVersion) ?? { ...object, apiVersion });
      converted = schema.coerce(given);
      shown.set(object, converted);
    }
    return converted;
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
