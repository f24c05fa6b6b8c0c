/** Claims that `init` offers about a project's own kind: only of fields that its definition has. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { StalemateOptions } from '../../execution/config/options.ts';
import { asList, asMap, asText, propertySchema, schemaOfVersion, typeOf } from '../../schedule/workload/schema-view.ts';
import type { Schema } from '../../schedule/workload/schema-view.ts';

type Claims = Pick<StalemateOptions, 'always' | 'eventually' | 'sometimes'>;

/** What CEL takes for a name; the others would have to be escaped. */
const NAME =
  /^(?!(?:as|break|const|continue|else|false|for|function|if|import|in|let|loop|namespace|null|package|return|true|var|void|while)$)[A-Za-z_]\w*$/;
/** Where a project declares no kind of its own. */
const DEPLOYMENTS = { resource: 'deployments.apps', count: 'replicas' } as const;

/** @param crd - The likeliest kind to claim something about. */
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

/** A field that stays once it is set; of a kind without fields, what holds of every object. */
function keeps(field: string | undefined): { readonly name: string; readonly cel: string } {
  return field === undefined
    ? { name: 'generation-never-falls', cel: 'object.metadata.generation >= oldObject.metadata.generation' }
    : { name: `keeps-its-${field}`, cel: `!has(oldObject.spec.${field}) || has(object.spec.${field})` };
}

/** Fields of the spec whose names need no escape. */
function fieldsOf(schema: Schema | undefined): readonly (readonly [string, Schema])[] {
  const spec = schema === undefined ? undefined : propertySchema(schema, 'spec');
  return Object.entries(asMap(spec?.['properties']) ?? {}).flatMap(([name, field]) =>
    NAME.test(name) ? [[name, asMap(field) ?? {}] as const] : [],
  );
}

/** Of the version that is stored. */
function latestSchema(crd: KubeObject): Schema | undefined {
  const spec = asMap(crd['spec']);
  const versions = (asList(spec?.['versions']) ?? []).map(asMap).filter((version) => version !== undefined);
  const stored = versions.find((version) => version['storage'] === true) ?? versions[0];
  return schemaOfVersion(crd, `${asText(spec?.['group']) ?? ''}/${asText(stored?.['name']) ?? ''}`);
}
