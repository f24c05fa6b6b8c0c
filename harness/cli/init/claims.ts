/** Derives the claims that `init` suggests about a project's own kind; they only use fields of its CRD. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { StalemateOptions } from '../../execution/config/options.ts';
import { asList, asMap, asText, propertySchema, schemaOfVersion, typeOf } from '../../schedule/workload/schema-view.ts';
import type { Schema } from '../../schedule/workload/schema-view.ts';

type Claims = Pick<StalemateOptions, 'always' | 'eventually' | 'sometimes'>;

/** Names that CEL accepts without escaping. */
const NAME =
  /^(?!(?:as|break|const|continue|else|false|for|function|if|import|in|let|loop|namespace|null|package|return|true|var|void|while)$)[A-Za-z_]\w*$/;
/** The resource to make claims about if a project declares no kind of its own. */
const DEPLOYMENTS = { resource: 'deployments.apps', count: 'replicas' } as const;

/** @param crd - The CRD of the main kind. */
export function claimsFor(crd: KubeObject | undefined): Claims {
  const schema = crd === undefined ? undefined : latestSchema(crd);
  const resource = crd?.metadata.name ?? DEPLOYMENTS.resource;
  const fields = fieldsOf(schema);
  const counts = fields.flatMap(([name, field]) => (typeOf(field) === 'integer' ? [name] : []));
  const count = crd === undefined ? DEPLOYMENTS.count : (counts.find((name) => name === 'replicas') ?? counts[0]);
  const any = fields[0]?.[0];
  const hasStatus = schema === undefined || propertySchema(schema, 'status') !== undefined;
  return {
    always: [{ resource, ...(count === undefined ? keeps(any) : neverNegative(count)) }],
    ...(hasStatus ? { eventually: [{ name: 'status-is-written', resource, cel: 'has(object.status)' }] } : {}),
    sometimes: [{ name: 'is-deleted', resource, cel: 'has(object.metadata.deletionTimestamp)' }],
  };
}

function neverNegative(field: string): { readonly name: string; readonly cel: string } {
  return { name: 'never-negative', cel: `!has(object.spec.${field}) || object.spec.${field} >= 0` };
}

/** Returns a claim that a field stays set; for a kind without fields, a claim that holds for every object. */
function keeps(field: string | undefined): { readonly name: string; readonly cel: string } {
  return field === undefined
    ? { name: 'generation-never-falls', cel: 'object.metadata.generation >= oldObject.metadata.generation' }
    : { name: `keeps-its-${field}`, cel: `!has(oldObject.spec.${field}) || has(object.spec.${field})` };
}

/** Returns fields of the spec whose names need no escaping. */
function fieldsOf(schema: Schema | undefined): readonly (readonly [string, Schema])[] {
  const spec = schema === undefined ? undefined : propertySchema(schema, 'spec');
  return Object.entries(asMap(spec?.['properties']) ?? {}).flatMap(([name, field]) =>
    NAME.test(name) ? [[name, asMap(field) ?? {}] as const] : [],
  );
}

/** Returns the schema of the storage version. */
function latestSchema(crd: KubeObject): Schema | undefined {
  const spec = asMap(crd['spec']);
  const versions = (asList(spec?.['versions']) ?? []).map(asMap).filter((version) => version !== undefined);
  const stored = versions.find((version) => version['storage'] === true) ?? versions[0];
  return schemaOfVersion(crd, `${asText(spec?.['group']) ?? ''}/${asText(stored?.['name']) ?? ''}`);
}
