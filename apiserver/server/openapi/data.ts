/**
 * The OpenAPI documents of the built-in groups, byte for byte as a real server serves them.
 *
 * Owns: loading `kinds/generated/openapi*` lazily: the documents are large, and few clients request them. The index of hashes is separate,
 * because kubectl reads it before almost every command. Written by `apiserver/scripts/generate-builtins.ts`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';
import type { JsonObject } from '../../objects/object.ts';

export type Schemas = { readonly [name: string]: JsonObject };

/** A document that refers to its schemas by name. */
export interface StoredDocument {
  readonly openapi: string;
  readonly info: JsonObject;
  readonly paths: JsonObject;
  readonly components?: JsonObject;
  readonly schemas?: readonly string[] | null;
  /** Schemas of this document that differ from the shared schema of the same name. */
  readonly own?: Schemas;
}

export interface TemplateDocument extends StoredDocument {
  /** The paths that a definition adds to OpenAPI v2. */
  readonly v2Paths: JsonObject;
}

interface V3File {
  readonly components: Schemas;
  readonly documents: { readonly [path: string]: StoredDocument };
}

interface CustomFile {
  /** The schemas that the templates refer to. */
  readonly components: Schemas;
  /** Documents of a definition with placeholders for names. */
  readonly templates: { readonly Namespaced: TemplateDocument; readonly Cluster: TemplateDocument };
}

function unpacked(name: string): unknown {
  const packed = readFileSync(new URL(`../kinds/generated/${name}`, import.meta.url));
  return JSON.parse(brotliDecompressSync(packed).toString('utf8'));
}

let v3: V3File | undefined;
let custom: CustomFile | undefined;
let v2: JsonObject | undefined;
let hashes: { readonly [path: string]: string } | undefined;

export function openApiV3(): V3File {
  v3 ??= unpacked('openapi.v3.br') as V3File;
  return v3;
}

/**
 * Returns the templates for definitions. They are in a separate file, because the built-in documents take tens of megabytes once parsed.
 */
export function openApiCustom(): CustomFile {
  custom ??= unpacked('openapi.custom.br') as CustomFile;
  return custom;
}

/** Returns the whole OpenAPI v2 document. */
export function openApiV2(): JsonObject {
  v2 ??= unpacked('openapi.v2.br') as JsonObject;
  return v2;
}

/** Returns the hash of each built-in document by its path: `apis/apps/v1`. */
export function builtInHashes(): { readonly [path: string]: string } {
  hashes ??= createRequire(import.meta.url)('../kinds/generated/openapi-hashes.json') as {
    readonly [path: string]: string;
  };
  return hashes;
}

/** Returns the document with its schemas inlined. */
export function assembled(document: StoredDocument, more: Schemas = {}): JsonObject {
  const { openapi, info, paths, components, schemas, own = {} } = document;
  if (components === undefined) return { openapi, info, paths };
  const { components: shared } = openApiV3();
  const all: { [name: string]: JsonObject } = {};
  for (const name of schemas ?? []) {
    const schema = own[name] ?? shared[name];
    if (schema !== undefined) all[name] = schema;
  }
  Object.assign(all, more);
  const written = schemas === null && Object.keys(all).length === 0 ? {} : { schemas: all };
  return { openapi, info, paths, components: { ...written, ...components } };
}

const ESCAPED: { readonly [char: string]: string } = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Returns JSON with Go's HTML escaping: the hash of a document is computed from this text. */
export function goJson(value: unknown): string {
  let text = JSON.stringify(value);
  // Texts may have megabytes, so this avoids a callback per character.
  for (const char in ESCAPED) text = text.replaceAll(char, ESCAPED[char] ?? char);
  return text;
}

/** Returns a map as Go encodes it; the values are already encoded. */
export function goJsonMap(entries: Iterable<readonly [string, string]>): string {
  const fields: string[] = [];
  for (const [key, text] of entries) fields.push(`${goJson(key)}:${text}`);
  return `{${fields.join(',')}}`;
}
