/**
 * Writes the data about built-in kinds: `node apiserver/scripts/generate-builtins.ts URL TOKEN [DIRECTORY]`.
 *
 * URL and TOKEN name a real kube-apiserver of the imitated version; its discovery and OpenAPI documents define what is served and how lists
 * merge. Facts that OpenAPI omits (Go's types, and which empty fields are written) are read from the type declarations of the Go modules of
 * the same version. Copies facts, and no text except the descriptions. For the documents of custom resources it creates two definitions on
 * that server, and deletes them again.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { GoTypes } from './go-types.ts';
import { readServer, type RealServer, type Schema } from './real-openapi.ts';

const MODULES = ['k8s.io/api', 'k8s.io/apimachinery', 'k8s.io/apiextensions-apiserver', 'k8s.io/kube-aggregator'];

/** The prefix of OpenAPI component names, by the short form of their Go package. */
const PACKAGES: readonly (readonly [RegExp, string, string])[] = [
  [/^io\.k8s\.api\.(\w+)\.(\w+)\.(\w+)$/, 'k8s.io/api/$1/$2', '$1/$2.$3'],
  [/^io\.k8s\.apimachinery\.pkg\.apis\.(\w+)\.(\w+)\.(\w+)$/, 'k8s.io/apimachinery/pkg/apis/$1/$2', '$1/$2.$3'],
  [
    /^io\.k8s\.apiextensions-apiserver\.pkg\.apis\.(\w+)\.(\w+)\.(\w+)$/,
    'k8s.io/apiextensions-apiserver/pkg/apis/$1/$2',
    '$1/$2.$3',
  ],
  [/^io\.k8s\.kube-aggregator\.pkg\.apis\.(\w+)\.(\w+)\.(\w+)$/, 'k8s.io/kube-aggregator/pkg/apis/$1/$2', '$1/$2.$3'],
];

/** The schema extensions that merging needs, with their names in the generated file. */
const MERGING: readonly (readonly [string, string])[] = [
  ['x-kubernetes-list-type', 'listType'],
  ['x-kubernetes-list-map-keys', 'listKeys'],
  ['x-kubernetes-map-type', 'mapType'],
  ['x-kubernetes-patch-strategy', 'patchStrategy'],
  ['x-kubernetes-patch-merge-key', 'patchMergeKey'],
  ['default', 'default'],
  ['enum', 'enum'],
];

type Extra = Record<string, unknown>;

function mergingOf(schema: Schema | undefined): Extra {
  const extra: Extra = {};
  for (const [name, short] of MERGING) if (schema?.[name] !== undefined) extra[short] = schema[name];
  // Drops the zero values of Go types, which OpenAPI also lists as defaults.
  const value = extra['default'];
  if (value === '' || value === 0 || value === false || (typeof value === 'object' && JSON.stringify(value) === '{}'))
    delete extra['default'];
  return extra;
}

/** Returns one line per Go type, so that a new version shows as a diff of lines. */
function typesFile(server: RealServer, go: GoTypes): string {
  const lines: string[] = [];
  const done = new Set<string>();
  const pending: string[] = [];
  const kinds: Record<string, string> = {};
  const openApiName = new Map<string, string>();
  for (const name of Object.keys(server.components)) {
    const short = shortName(name);
    if (short === undefined) continue;
    openApiName.set(short, name);
    const gvks = (server.components[name]?.['x-kubernetes-group-version-kind'] ?? []) as readonly Gvk[];
    const [only] = gvks;
    if (gvks.length !== 1 || only === undefined) continue;
    kinds[`${only.group === '' ? '' : `${only.group}/`}${only.version}/${only.kind}`] = short;
    pending.push(short);
  }
  pending.push('meta/v1.DeleteOptions', 'autoscaling/v1.Scale');
  for (let short = pending.pop(); short !== undefined; short = pending.pop()) {
    if (done.has(short)) continue;
    done.add(short);
    const type = go.find(short);
    if (type === undefined) throw new Error(`no Go declaration of '${short}'`);
    if (typeof type === 'string') {
      lines.push(`${JSON.stringify(short)}:${JSON.stringify(type)}`);
      pending.push(...GoTypes.named(type));
      continue;
    }
    const component = server.components[openApiName.get(short) ?? ''];
    const properties = (component?.['properties'] ?? {}) as Record<string, Schema>;
    const own = mergingOf(component);
    const fields = type.map((field) => {
      const extra: Extra = {
        ...(field.kept ? { kept: field.kept } : {}),
        ...(field.via.length > 0 && field.via[0] !== 'TypeMeta' ? { via: field.via } : {}),
        ...mergingOf(properties[field.name]),
      };
      const item = properties[field.name]?.['items'] as Schema | undefined;
      if (item?.['x-kubernetes-map-type'] !== undefined) extra['itemMapType'] = item['x-kubernetes-map-type'];
      pending.push(...GoTypes.named(field.type));
      return [field.name, field.type, ...(Object.keys(extra).length === 0 ? [] : [extra])];
    });
    const body = {
      fields,
      ...own,
      ...(component?.['required'] === undefined ? {} : { required: component['required'] }),
    };
    lines.push(`${JSON.stringify(short)}:${JSON.stringify(body)}`);
  }
  return `{"kinds":${JSON.stringify(sorted(kinds))},\n"types":{\n${lines.toSorted().join(',\n')}\n}}\n`;
}

interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function shortName(component: string): string | undefined {
  for (const [pattern, , short] of PACKAGES) if (pattern.test(component)) return component.replace(pattern, short);
  return undefined;
}

function sorted<T>(map: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function packed(value: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}

const [url, token, directory = 'apiserver/server/kinds/generated'] = process.argv.slice(2);
if (url === undefined || token === undefined)
  throw new Error('usage: node apiserver/scripts/generate-builtins.ts URL TOKEN [DIRECTORY]');
const server = await readServer(url, token);
const go = new GoTypes(MODULES, server.version);
writeFileSync(join(directory, 'types.json'), typesFile(server, go));
writeFileSync(join(directory, 'discovery.json'), server.discovery);
writeFileSync(join(directory, 'openapi-hashes.json'), `${JSON.stringify(server.hashes, undefined, 1)}\n`);
writeFileSync(join(directory, 'openapi.v3.br'), packed(server.openApiV3));
writeFileSync(join(directory, 'openapi.custom.br'), packed(server.openApiCustom));
writeFileSync(join(directory, 'openapi.v2.br'), packed(server.openApiV2));
