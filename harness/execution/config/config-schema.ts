/**
 * The configuration as a JSON Schema, for completion and validation of `stalemate.config.yaml` in editors.
 *
 * Derived from the schema that validates options. Leaves out what can be written only in code (claims that are functions, custom
 * properties; in YAML, claims are CEL expressions), and options that a project file must not contain.
 */
import { z } from 'zod';
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import { CONNECTION, FAULT_KINDS } from '../../model/fault-kinds.ts';
import { optionsSchema, predicateSchema } from './options.ts';

/** Names that are registered at run time: those of writers and properties. */
export interface SchemaNames {
  readonly writers: readonly string[];
  readonly properties: readonly string[];
}

/** @param about Descriptions by option. */
export function configJsonSchema(
  { writers, properties }: SchemaNames,
  about: { readonly [option: string]: string },
): JsonObject {
  const schema = z.toJSONSchema(optionsSchema, {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === predicateSchema) Object.assign(jsonSchema, CEL_CLAIM);
    },
  }) as unknown as JsonObject;
  const {
    allowContexts: _contexts,
    allowClusters: _clusters,
    ...options
  } = isMap(schema['properties']) ? schema['properties'] : {};
  const better: { readonly [option: string]: JsonObject } = {
    ...(options as { readonly [option: string]: JsonObject }),
    writers: switches(writers),
    faults: switches([...FAULT_KINDS, CONNECTION]),
    // The project's own claims have names that are not listed here.
    properties: { type: 'array', items: { anyOf: [{ enum: properties }, { type: 'string' }] } },
  };
  const described = Object.entries(better).map(([name, option]): [string, JsonObject] => {
    const description = about[name];
    return [name, description === undefined ? option : { description, ...option }];
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'stalemate.config.yaml',
    description: 'What `stalemate run` does in a folder. Paths are relative to the file.',
    ...schema,
    properties: Object.fromEntries(described),
  };
}

function switches(names: readonly string[]): JsonObject {
  const properties = Object.fromEntries(names.map((name): [string, JsonObject] => [name, { type: 'boolean' }]));
  return { type: 'object', properties, additionalProperties: false };
}

const CEL_CLAIM: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Kebab-case, as given to --property.' },
    resource: { type: 'string', description: 'The resource it is about: pods, widgets.example.com.' },
    cel: {
      type: 'string',
      description:
        'True or false of "object"; "oldObject" is the version before it, "objects" is everything that exists then.',
    },
  },
  required: ['name', 'resource', 'cel'],
  additionalProperties: false,
};
