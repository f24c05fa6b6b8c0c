/**
 * OpenAPI of custom resources: the paths of a definition and its schema, as a real server publishes them.
 *
 * Owns: filling the templates of `data.ts` with a definition's names, and apiextensions-apiserver's additions to schemas (type and metadata
 * of objects and embedded objects, alternatives of int-or-string).
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { type ResourceDefinition, type ServedVersion } from '../definition.ts';
import { openApiCustom, type Schemas, type TemplateDocument } from './data.ts';

/** What one version of a definition adds to the OpenAPI documents. */
export interface CustomPart {
  readonly paths: JsonObject;
  readonly v2Paths: JsonObject;
  /** The schemas of the kind and its list, and the schemas that the paths refer to. */
  readonly schemas: Schemas;
  readonly template: TemplateDocument;
}

export function customPart(definition: ResourceDefinition, version: ServedVersion, schema: JsonObject): CustomPart {
  const { templates, components } = openApiCustom();
  const template = templates[definition.namespaced ? 'Namespaced' : 'Cluster'];
  const fill = filler(definition, version.name);
  const has = (path: string): boolean =>
    !/\/(status|scale)$/.test(path) || version.subresources.has(path.slice(path.lastIndexOf('/') + 1));
  const filled = (paths: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(fill(paths)).filter(([path]) => has(path)));
  const prefix = componentPrefix(definition.group, version.name);
  const name = `${prefix}${definition.kind}`;
  const list = `${prefix}${definition.listKind}`;
  const schemas: { [name: string]: JsonObject } = {};
  for (const one of template.schemas ?? []) {
    const known = template.own?.[one] ?? components[one];
    if (known !== undefined && !one.startsWith(TEMPLATE_PREFIX)) schemas[one] = fill(known);
  }
  const listSchema = components[`${TEMPLATE_PREFIX}${TEMPLATE_KIND}List`];
  if (listSchema !== undefined) schemas[list] = fill(listSchema);
  schemas[name] = {
    ...kindSchema(schema),
    'x-kubernetes-group-version-kind': [{ group: definition.group, kind: definition.kind, version: version.name }],
  };
  return { paths: filled(template.paths), v2Paths: filled(template.v2Paths), schemas, template };
}

const TEMPLATE_PREFIX = 'example.ggggg.v7.';
const TEMPLATE_KIND = 'Kkkkk';

function componentPrefix(group: string, version: string): string {
  return `${group.split('.').toReversed().join('.')}.${version}.`;
}

/** Returns a function that replaces the placeholders in a template with a definition's names. */
function filler(
  { group, kind, listKind, resource }: ResourceDefinition,
  version: string,
): (value: JsonObject) => JsonObject {
  const words = group.split(/[.-]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const camel = words.join('');
  const replacements: readonly (readonly [string, string])[] = [
    [TEMPLATE_PREFIX, componentPrefix(group, version)],
    ['gggggExample_v7', `${camel.charAt(0).toLowerCase()}${camel.slice(1)}_${version}`],
    ['GggggExampleV7', camel + version.charAt(0).toUpperCase() + version.slice(1)],
    ['ggggg.example', group],
    ['/v7/', `/${version}/`],
    ['"v7"', JSON.stringify(version)],
    ['KkkkkList', listKind],
    [TEMPLATE_KIND, kind],
    ['ppppp', resource],
  ];
  return (value) => {
    let text = JSON.stringify(value);
    for (const [from, to] of replacements) text = text.replaceAll(from, to);
    return JSON.parse(text) as JsonObject;
  };
}

const OBJECT_META = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const KIND_TEXT = `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`;
const API_VERSION_TEXT = `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`;
const METADATA: JsonObject = {
  description: `Standard object's metadata. More info: ${CONVENTIONS}#metadata`,
  allOf: [{ $ref: OBJECT_META }],
};
const EMBEDDED: JsonObject = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${CONVENTIONS}#resources`,
    type: 'string',
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
    type: 'string',
  },
  metadata: METADATA,
};

function kindSchema(schema: JsonObject): JsonObject {
  const published = publishedSchema(schema);
  const { properties } = published;
  return {
    ...published,
    type: 'object',
    properties: {
      ...(isMap(properties) ? properties : {}),
      apiVersion: { description: API_VERSION_TEXT, type: 'string' },
      kind: { description: KIND_TEXT, type: 'string' },
      metadata: METADATA,
    },
  };
}

function publishedSchema(schema: JsonObject): JsonObject {
  const copy: { [key: string]: JsonValue | undefined } = {};
  for (const key in schema) {
    const value = schema[key];
    if (key === 'properties' && isMap(value))
      copy[key] = Object.fromEntries(
        Object.keys(value)
          .toSorted()
          .map((name) => [name, publishedValue(value[name])]),
      );
    else if (key === 'items' || key === 'additionalProperties') copy[key] = publishedValue(value);
    else copy[key] = value;
  }
  if (schema['x-kubernetes-int-or-string'] === true && schema['anyOf'] === undefined && schema['allOf'] === undefined)
    copy['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  if (schema['x-kubernetes-embedded-resource'] === true) {
    const required = isList(schema['required']) ? schema['required'] : [];
    copy['required'] = [...new Set([...required, 'kind', 'apiVersion'])];
    copy['properties'] = { ...(isMap(copy['properties']) ? copy['properties'] : {}), ...EMBEDDED };
  }
  return copy;
}

function publishedValue(value: JsonValue | undefined): JsonValue {
  return isMap(value) ? publishedSchema(value) : (value ?? null);
}
