/**
 * Finds fields of a sample that its kind lacks: kubectl refuses them, and an API server drops them with a warning that few
 * people read.
 */
import { collectionPath } from 'stalemate-apiserver/wire/path';
import { isRecord } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { installCrds } from '../clusters/definitions.ts';
import { createAtOnce } from '../execution/project/install.ts';
import { createServer } from './embedded-server.ts';

/** Returns one sentence for each object with unknown fields. */
export function unknownFields(samples: readonly KubeObject[], crds: readonly KubeObject[]): readonly string[] {
  const server = createServer();
  installCrds(server, crds);
  return fieldsUnknownTo(server, samples);
}

/** Like {@link unknownFields}, with a server that already has the CRDs; nothing is stored on it. */
export function fieldsUnknownTo(
  server: ReturnType<typeof createServer>,
  samples: readonly KubeObject[],
): readonly string[] {
  return samples.flatMap((sample) => {
    const kind = server.kindFor(sample.apiVersion, sample.kind);
    if (kind === undefined) return [];
    const { namespace = 'default' } = sample.metadata;
    const path = collectionPath(kind, kind.namespaced ? namespace : '');
    const { body } = createAtOnce(server, path, sample, { fieldValidation: 'Strict', dryRun: 'All' });
    const message = isRecord(body) && typeof body['message'] === 'string' ? body['message'] : '';
    const fields = [...message.matchAll(/unknown field "([^"]+)"/g)].map(([, field]) => `"${field}"`);
    return fields.length === 0 ? [] : [sentence(sample, fields)];
  });
}

function sentence({ kind, apiVersion, metadata }: KubeObject, fields: readonly string[]): string {
  const noun = fields.length === 1 ? 'the field' : 'the fields';
  return (
    `the sample ${kind} ${metadata.name ?? ''} has ${noun} ${fields.join(', ')}, which ${apiVersion} does not know and the API server ` +
    'drops: misspelt, or is the CRD an old one? kubectl would refuse it'
  );
}
