/**
 * Parses YAML into JSON as Go's yaml.v2 does: version 1.1 booleans and octals, merge keys, timestamps as text, the first document only.
 *
 * Owns: the dialect and, as far as the parser reports them, Go's error messages. Start at {@link parseYaml}.
 */
import type { CST, Document, LineCounter, Scalar, SchemaOptions, Tags, YAMLError } from 'yaml';
import type { JsonValue } from '../../objects/object.ts';
import { parseJson } from '../../wire/go-json.ts';
import { isTooDeep, LEVELS_MAX } from '../weight.ts';
import { checkNesting } from './nesting.ts';
import { yaml } from './yaml-library.ts';

export interface ParsedYaml {
  readonly body: JsonValue;
  /** The strict decoding error for all duplicate keys. */
  readonly duplicates?: readonly string[];
}

/** Drops the tags whose values yaml.v2 keeps as text, or recognises only when tagged. */
const customTags: NonNullable<SchemaOptions['customTags']> = (tags: Tags): Tags =>
  tags.filter((tag) => {
    if (typeof tag === 'string') return true;
    const { tag: name, format } = tag as { readonly tag: string; readonly format?: string };
    return format !== 'TIME' && !/:(timestamp|omap|pairs|set)$/.test(name);
  });

/** Characters that Go's YAML reader refuses. */
const CONTROL = /[^\P{Cc}\t\n\r\u0085]/u;

/** Text that may be parsed differently as JSON and as YAML: unusual characters, escapes, long numbers, exponents, and the merge key. */
const UNLIKE_JSON = /[^\n\r\x20-\x7e\u00a0-\ud7ff]|\\[u/]|[0-9]{16}|[0-9][eE]|"<<"/;

/** Parses a text as JSON if that gives the same result: most applied bodies are JSON, which parses ten times as fast. */
function parsedAsJson(text: string): ParsedYaml | undefined {
  if (!text.startsWith('{') || UNLIKE_JSON.test(text)) return undefined;
  try {
    checkNesting(text);
    const parsed = parseJson(text);
    return parsed.duplicates === undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses the first document.
 *
 * @throws {SyntaxError} in approximately Go's words.
 */
export function parseYaml(text: string): ParsedYaml {
  return parsedAsJson(text) ?? parseDocument(text);
}

function parseDocument(text: string): ParsedYaml {
  if (CONTROL.test(text)) throw new SyntaxError('yaml: control characters are not allowed');
  const { document, lines } = firstDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new SyntaxError(words(error, lines.linePos(error.pos[0]).line));
  const duplicates = repeatedKeys(document, text, lines);
  let body: JsonValue;
  try {
    const made = document.toJS({ maxAliasCount: 100 }) as JsonValue;
    if (isTooDeep(made)) throw new SyntaxError('yaml: exceeded max depth');
    body = plain(made);
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    throw new SyntaxError('yaml: document contains excessive aliasing', { cause: error });
  }
  if (duplicates.length === 0) return { body };
  return { body, duplicates: [`yaml: unmarshal errors:\n${duplicates.join('\n')}`] };
}

/** The maximum number of tokens: each token takes microseconds, and a few hundred bytes until the body has been read. */
const LEXEMES_MAX = 163_000;

/** The lexer's marker of scalars. */
const SCALAR = '\u001f';

/** Parses only the first document, and only within the token limit. */
function firstDocument(text: string): { readonly document: Document.Parsed; readonly lines: LineCounter } {
  const { Composer, Lexer, LineCounter: Counter, Parser } = yaml();
  const lines = new Counter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  function* tokens(): Generator<CST.Token> {
    let lexemes = 0;
    let broken = false;
    let levels = 0;
    const anchors = new Set<string>();
    let before = '';
    for (const lexeme of new Lexer().lex(text)) {
      if (++lexemes > LEXEMES_MAX) throw new SyntaxError(`yaml: more than ${LEXEMES_MAX} tokens`);
      // The parser keeps hundreds of bytes for each open collection.
      if (lexeme === '{' || lexeme === '[') levels++;
      else if (lexeme === '}' || lexeme === ']') levels--;
      if (levels > LEVELS_MAX) throw new SyntaxError('yaml: exceeded max depth');
      // Go stops at the first error and does not report what comes after it.
      const mark = before === SCALAR ? '' : lexeme[0];
      const name = lexeme.slice(1);
      if (mark === '&') anchors.add(name);
      else if (mark === '*' && !broken && !anchors.has(name))
        throw new SyntaxError(`yaml: unknown anchor '${name}' referenced`);
      before = lexeme;
      for (const token of parser.next(lexeme)) {
        // Skips all errors but the first, because only the first is reported, and each error takes as long as a hundred tokens.
        if (token.type === 'error' && broken) continue;
        broken ||= token.type === 'error';
        yield token;
      }
    }
    yield* parser.end();
  }
  // Duplicate keys are checked below in linear time: the composer compares each key with all previous ones.
  const composer = new Composer({ version: '1.1', customTags, logLevel: 'silent', uniqueKeys: false });
  notesFirstError(composer as unknown as Noting);
  for (const document of composer.compose(tokens(), true, text.length)) {
    return { document, lines };
  }
  throw new SyntaxError('yaml: did not find expected node content');
}

/** Fields of a document that is being composed. The library's types do not declare them. */
interface Noting {
  readonly errors: readonly unknown[];
  onError: (...error: readonly [source: unknown, code: string, message: string, warning?: boolean]) => void;
}

function notesFirstError(composer: Noting): void {
  const note = composer.onError;
  composer.onError = (...error) => {
    if (composer.errors.length === 0 && error[3] !== true) note(...error);
  };
}

/** Returns Go's errors for duplicate keys in maps, in document order. */
function repeatedKeys(document: Document.Parsed, text: string, lines: LineCounter): readonly string[] {
  const { isScalar, visit } = yaml();
  const repeated: number[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || !isReadKey(key)) continue;
        if (seen.has(key.value)) repeated.push(key.range[0]);
        seen.add(key.value);
      }
    },
  });
  return repeated
    .sort((a, b) => a - b)
    .map((at) => `  line ${lines.linePos(at).line}: key ${keyAt(text, at)} already set in map`);
}

/** Reports whether a key has a position and must be unique; the merge key may be repeated. */
function isReadKey(key: Scalar): key is Scalar.Parsed {
  return key.range !== undefined && key.range !== null && !(key.value === '<<' || typeof key.value === 'symbol');
}

/** Converts the parser's result to JSON. */
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

/** The maximum length of a key in a message; longer keys are truncated. */
const KEY_MAX = 1024;

function keyAt(text: string, start: number): string {
  const rest = text.slice(start, start + KEY_MAX);
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

function words({ code, message }: YAMLError, line: number): string {
  // Unterminated flow collections are the only case in which Go counts the first line too.
  if (/^Flow (map|sequence)|must be sufficiently indented and end with/.test(message))
    return `yaml: line ${line}: did not find expected node content`;
  const known = message.startsWith('Missing closing')
    ? 'found unexpected end of stream'
    : message.startsWith('Invalid escape')
      ? 'found unknown escape character'
      : (WORDS[code] ?? 'did not find expected node content');
  return line > 1 ? `yaml: line ${line}: ${known}` : `yaml: ${known}`;
}
