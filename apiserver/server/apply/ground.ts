/**
 * Describes a resource for the apply code: types and conversions by version, reset fields, the empty object.
 *
 * Cached per version and subresource.
 */
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { ResourceDefinition, ServedVersion } from '../definition.ts';
import { decoderOf, StructDecoder } from '../kinds/go-decode.ts';
import type { Decoder } from '../kinds/go-decoding.ts';
import { goTypeOfKind } from '../kinds/go-types.ts';
import { resetFields } from './reset-fields.ts';
import { objectType, type TypeNode } from './types.ts';
import type { TypedResource } from './updater.ts';
import type { FieldSet } from './field-set.ts';

const typedResources = new WeakMap<ServedVersion, Map<string, TypedResource>>();

export function typedResourceOf(
  definition: ResourceDefinition,
  version: ServedVersion,
  subresource: string,
): TypedResource {
  let bySubresource = typedResources.get(version);
  if (bySubresource === undefined) typedResources.set(version, (bySubresource = new Map()));
  let typedResource = bySubresource.get(subresource);
  if (typedResource === undefined)
    bySubresource.set(subresource, (typedResource = makeTypedResource(definition, version, subresource)));
  return typedResource;
}

function makeTypedResource(definition: ResourceDefinition, version: ServedVersion, subresource: string): TypedResource {
  const types = new Map<string, TypeNode | undefined>();
  const ignored = new Map<string, FieldSet>();
  const versionOf = (apiVersion: string): ServedVersion | undefined =>
    definition.versions.find((one) => one.apiVersion === apiVersion);
  return {
    apiVersion: version.apiVersion,
    typeIn: (apiVersion) => {
      if (!types.has(apiVersion)) {
        const served = versionOf(apiVersion);
        types.set(apiVersion, served === undefined ? undefined : objectType(served.schema?.root));
      }
      return types.get(apiVersion);
    },
    convert: (object, apiVersion) => {
      if (object.apiVersion === apiVersion) return object;
      // Without defaults: a field that an apply removed must not reappear through conversion.
      if (definition.custom) return { ...object, apiVersion };
      const from = versionOf(object.apiVersion);
      const to = versionOf(apiVersion);
      const stored = from === undefined ? object : from.toStorage(object);
      return to === undefined ? stored : to.fromStorage(stored);
    },
    ignored: (apiVersion) => {
      let fields = ignored.get(apiVersion);
      if (fields === undefined)
        ignored.set(apiVersion, (fields = resetFields(definition, version, subresource, apiVersion)));
      return fields;
    },
  };
}

/** Returns the JSON of an empty Go struct: fields without `omitempty`, and no defaults. */
function zeroOf(decoder: Decoder, root = false): JsonObject {
  const zero: { [key: string]: JsonValue } = {};
  if (!(decoder instanceof StructDecoder)) return zero;
  for (const { name, decoder: inner, kept } of decoder.fields.values())
    if (kept && !(root && name === 'metadata'))
      zero[name] = inner instanceof StructDecoder ? zeroOf(inner) : inner.zero;
  return zero;
}

const empties = new WeakMap<ServedVersion, KubeObject>();

/** Returns an object as it is before its creation: empty, except that built-in kinds have the fields that Go always writes. */
export function emptyObject(definition: ResourceDefinition, version: ServedVersion): KubeObject {
  let empty = empties.get(version);
  if (empty === undefined) {
    empty = { apiVersion: version.apiVersion, kind: definition.kind, metadata: {} };
    const type = definition.custom ? undefined : goTypeOfKind(version.apiVersion, definition.kind);
    if (type !== undefined) empty = { ...zeroOf(decoderOf(type), true), ...empty };
    empties.set(version, empty);
  }
  return empty;
}

/** Returns the content of a bookmark apart from its version: an empty object of the kind. */
export function bookmarked(definition: ResourceDefinition, version: ServedVersion): KubeObject {
  const empty = emptyObject(definition, version);
  return definition.strategy.converted?.(empty) ?? empty;
}
