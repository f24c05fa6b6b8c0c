/**
 * YAML as Go's yaml.v2 reads it into JSON: version 1.1 booleans and octals, merge keys, timestamps as text, the first document only.
 *
 * Owns: the dialect and, as far as the parser tells, the words of its errors. Start at {@link parseYaml}.
 */
import type { SchemaOptions, Tags, YAMLError } from 'yaml';
import type { JsonValue } from '../../model/object.ts';
import { parseJson } from '../../wire/go-json.ts';
import { yaml } from './yaml-library.ts';

export interface ParsedYaml {
  readonly body: JsonValue;
  /** What strict decoding says of keys named twice: one text for all of them. */
  readonly duplicates?: readonly string[];
}

/** yaml.v2 keeps these as text, or knows them only when they are tagged. */
const customTags: NonNullable<SchemaOptions['customTags']> = (tags: Tags): Tags =>
  tags.filter((tag) => {
    if (typeof tag === 'string') return true;
    const { tag: name, format } = tag as { readonly tag: string; readonly format?: string };
    return format !== 'TIME' && !/:(timestamp|omap|pairs|set)$/.test(name);
  });

/** What Go's reader of YAML takes for no text. */
const CONTROL = /[^\P{Cc}\t\n\r\u0085]/u;

/** What may mean something else in JSON than in YAML: other characters, escapes, digits, exponents, and the merge key. */
const UNLIKE_JSON = /[^\n\r\x20-\x7e\u00a0-\ud7ff]|\\[u/]|[0-9]{16}|[0-9][eE]|"<<"/;

/** Nearly all that clients apply is JSON, which is YAML too and read ten times as fast. */
function parsedAsJson(text: string): ParsedYaml | undefined {
  if (!text.startsWith('{') || UNLIKE_JSON.test(text)) return undefined;
  try {
    const parsed = parseJson(text);
    return parsed.duplicates === undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses the first document.
 *
 * @throws {SyntaxError} in Go's words, near enough.
 */
export function parseYaml(text: string): ParsedYaml {
  return parsedAsJson(text) ?? parseDocument(text);
}

function parseDocument(text: string): ParsedYaml {
  if (CONTROL.test(text)) throw new SyntaxError('yaml: control characters are not allowed');
  const document = yaml().parseDocument(text, { version: '1.1', customTags, logLevel: 'silent' });
  const duplicates: string[] = [];
  for (const error of document.errors) {
    if (error.code === 'MULTIPLE_DOCS') break;
    if (error.code !== 'DUPLICATE_KEY') throw new SyntaxError(words(error));
    duplicates.push(`  line ${lineOf(error)}: key ${keyAt(text, error)} already set in map`);
  }
  let body: JsonValue;
  try {
    body = plain(document.toJS({ maxAliasCount: 100 }));
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    const unresolved = /^Unresolved alias[^:]*: (\S+)/.exec((error as Error).message);
    throw new SyntaxError(
      unresolved === null
        ? 'yaml: document contains excessive aliasing'
        : `yaml: unknown anchor '${unresolved[1] ?? ''}' referenced`,
      { cause: error },
    );
  }
  if (duplicates.length === 0) return { body };
  return { body, duplicates: [`yaml: unmarshal errors:\n${duplicates.join('\n')}`] };
}

/** JSON of what the parser made. */
function plain(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new SyntaxError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value !== 'object') return value as JsonValue;
  if (Array.isArray(value)) return value.map(plain);
  const map: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value))
    Object.defineProperty(map, key, { value: plain(item), enumerable: true, writable: true, configurable: true });
  return map;
}

function lineOf(error: YAMLError): number {
  return error.linePos?.[0].line ?? 1;
}

function keyAt(text: string, error: YAMLError): string {
  const rest = text.slice(error.pos[0]);
  const key = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^:\n]*))/.exec(rest);
  return JSON.stringify((key?.[1] ?? key?.[2] ?? key?.[3] ?? '').trim());
}

const WORDS: { readonly [code: string]: string } = {
  BAD_ALIAS: 'did not find expected alphabetic or numeric character',
  BAD_DIRECTIVE: 'found unexpected directive',
  BAD_INDENT: 'did not find expected key',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MISSING_CHAR: 'did not find expected key',
  MULTILINE_IMPLICIT_KEY: "could not find expected ':'",
  TAB_AS_INDENT: 'found character that cannot start any token',
  UNEXPECTED_TOKEN: 'did not find expected node content',
};

function words(error: YAMLError): string {
  const { code, message } = error;
  const line = lineOf(error);
  // Flow collections that do not end are the one place where Go counts the first line too.
  if (/^Flow (map|sequence)|must be sufficiently indented and end with/.test(message))
    return `yaml: line ${line}: did not find expected node content`;
  const said = message.startsWith('Missing closing')
    ? 'found unexpected end of stream'
    : message.startsWith('Invalid escape')
      ? 'found unknown escape character'
      : (WORDS[code] ?? 'did not find expected node content');
  return line > 1 ? `yaml: line ${line}: ${said}` : `yaml: ${said}`;
}
