/**
 * Reads files and folders of Kubernetes manifests, as objects with their location.
 *
 * Owns: reading YAML and JSON, and messages that state the file, the line, the problem, what was expected, and what to do. Does not own:
 * the use of the objects (`manifests.ts`). Start at {@link readPath}.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import { nestsDeeper } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { entriesOf, readFileText, Unreadable } from '../../report/read-files.ts';
import { HarnessError } from '../../model/errors.ts';
import { withIndentedQuotes } from './quoted-lines.ts';

/** An object and its location. */
export interface Manifest {
  readonly object: KubeObject;
  readonly file: string;
  readonly line: number;
}

const MANIFEST_FILE = /\.(ya?ml|json)$/;
/** Matches the API versions of files for client-side tools, which API servers do not know. */
const CLIENT_SIDE = /^kustomize\.config\.k8s\.io\//;
/** The maximum size of a file; bundles of many CRDs have a few megabytes. */
const BYTES_MAX = 64 * 1024 * 1024;
const LEVELS_MAX = 1000;
const HELM_ACTION = /\{\{[-\s]/;

/** The kind of manifests being read, for messages. */
export interface Reading {
  /** A noun such as `CRDs` or `samples`. */
  readonly what: string;
  /** The option that named the path. */
  readonly flag: string;
  /** Reports whether the files directly in the folder suffice; if not, subfolders are read too. If absent, those files always suffice. */
  readonly enough?: (found: readonly Manifest[]) => boolean;
}

/**
 * Reads a file, or the files of a folder in order of name, followed by the files of its subfolders.
 *
 * @throws {MANIFEST_INVALID} if there is no file, or a file is not a valid manifest.
 */
export function readPath(
  path: string,
  { what, flag, enough = () => true }: Reading,
): { readonly manifests: readonly Manifest[]; readonly folder: boolean } {
  let folder: boolean;
  try {
    folder = statSync(path).isDirectory();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw invalid(path, undefined, `${reason}, expected a YAML file or a folder with ${what}; check ${flag}`, error);
  }
  const [files, inner] = folder ? filesIn(path) : [[path], []];
  const manifests = files.flatMap((file) => readFile(file, folder));
  if (!enough(manifests)) manifests.push(...inner.flatMap(readInner));
  if (files.length === 0 && manifests.length === 0)
    throw invalid(path, undefined, `is a folder without YAML or JSON files, expected ${what}; check ${flag}`);
  return { manifests, folder };
}

function readInner(folder: string): readonly Manifest[] {
  const [files, inner] = filesIn(folder);
  return [...files.flatMap((file) => readFile(file, true)), ...inner.flatMap((one) => readInner(one))];
}

/** Returns the manifest files and the subfolders of a folder, by name. */
function filesIn(folder: string): readonly [files: readonly string[], inner: readonly string[]] {
  const entries = entriesOf(folder);
  if ('reason' in entries)
    throw invalid(folder, undefined, `${entries.reason}, expected a folder with manifests; check its permissions`);
  const files = entries.filter((entry) => !entry.isDirectory() && MANIFEST_FILE.test(entry.name));
  const inner = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return [files.map(({ name }) => join(folder, name)), inner.map(({ name }) => join(folder, name))];
}

/** Reads one file. `lenient`, for files in a folder, skips what is not a Kubernetes object at all (a kustomization, a values file). */
function readFile(file: string, lenient: boolean): readonly Manifest[] {
  let text: string;
  try {
    text = readFileText(file, BYTES_MAX);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw invalid(file, undefined, `${error.message}, expected a YAML file; check its path and permissions`, error);
  }
  return parseManifests(text, file, lenient);
}

/**
 * Parses the objects of a text. `file` is its name in messages; `lenient` skips what is not a Kubernetes object at all.
 *
 * @throws {MANIFEST_INVALID}
 */
export function parseManifests(text: string, file: string, lenient: boolean): readonly Manifest[] {
  const { documents, lines } = documentsOf(text);
  const manifests: Manifest[] = [];
  for (const document of documents) {
    const error = document.errors[0];
    if (error?.code === 'NON_STRING_KEY' && lenient) continue;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      if (HELM_ACTION.test(text))
        throw invalid(
          file,
          line,
          'is a template of Helm, expected what it renders; run "helm template" and name its output',
        );
      const reason =
        error.code === 'NON_STRING_KEY'
          ? 'a key of a map is a map or a list itself'
          : error.code === 'RESOURCE_EXHAUSTION'
            ? `it nests deeper than ${LEVELS_MAX} levels`
            : (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      throw invalid(file, line, `column ${col} is malformed: ${reason}; expected YAML, correct it and run again`);
    }
    const value = valueOf(document, file, lineOf(document, lines));
    if (value === null || value === undefined) continue;
    const line = lineOf(document, lines);
    for (const item of itemsOf(value)) {
      const problem = objectProblem(item);
      if (CLIENT_SIDE.test(textOf(asMap(item)?.['apiVersion'])) && lenient) continue;
      if (problem === undefined) manifests.push({ object: item as KubeObject, file, line });
      else if (!lenient) throw invalid(file, line, problem);
    }
  }
  if (manifests.length === 0 && !lenient) {
    throw invalid(file, undefined, 'holds no object, expected Kubernetes manifests in YAML; check the path');
  }
  return manifests;
}

interface Documents {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

/** Parses YAML, including constructs that only the parser of Kubernetes' own tools accepts. */
function documentsOf(text: string): Documents {
  const strict = parsed(text);
  if (!hasErrors(strict, 'MISSING_CHAR')) return strict;
  const lenient = parsed(withIndentedQuotes(text));
  return hasErrors(lenient) ? strict : lenient;
}

function parsed(text: string): Documents {
  const lines = new LineCounter();
  // Anchors and merge keys are common in hand-written manifests. A map used as a key comes from a template; without `stringKeys`,
  // the parser would only print a warning about it.
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true, stringKeys: true, logLevel: 'error' });
  return { documents: 'empty' in documents ? [] : documents, lines };
}

function hasErrors({ documents }: Documents, code?: string): boolean {
  return documents.some(({ errors }) => errors.some((error) => code === undefined || error.code === code));
}

/** Returns the value of a document. The parser allows only a hundred aliases, since a few lines of anchors can expand beyond any memory. */
function valueOf(document: Document.Parsed, file: string, line: number): unknown {
  try {
    const value: unknown = document.toJS();
    if (nestsDeeper(value, LEVELS_MAX)) throw new RangeError('too deep');
    return value;
  } catch (error) {
    const reason =
      error instanceof RangeError
        ? `nests deeper than ${LEVELS_MAX} levels, or holds an anchor inside itself`
        : `has anchors that cannot be followed: ${error instanceof Error ? error.message : String(error)}`;
    throw invalid(file, line, `${reason}; expected YAML that can be written out, correct it and run again`, error);
  }
}

/** Expands `kind: List` to its items, as kubectl does. */
function itemsOf(value: unknown): readonly unknown[] {
  const map = asMap(value);
  return map?.['apiVersion'] === 'v1' && map['kind'] === 'List' ? asList(map['items']) : [value];
}

function objectProblem(value: unknown): string | undefined {
  const map = asMap(value);
  if (map === undefined) {
    return `is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}, expected a Kubernetes object with apiVersion, kind and metadata`;
  }
  for (const field of ['apiVersion', 'kind'] as const) {
    if (typeof map[field] !== 'string' || map[field] === '') {
      return `has no ${field}, expected a Kubernetes object with apiVersion, kind and metadata; add it`;
    }
  }
  if (asMap(map['metadata']) === undefined)
    return `is a ${textOf(map['kind'])} without metadata, expected at least a name`;
  return undefined;
}

function lineOf(document: Document, lines: LineCounter): number {
  return lines.linePos(document.contents?.range?.[0] ?? 0).line;
}

/** Always throws. @throws {MANIFEST_INVALID} naming the object's location. */
export function fail(manifest: Manifest, problem: string): never {
  throw invalid(manifest.file, manifest.line, problem);
}

/** Returns an error that names a file and, if known, a line in it. */
export function invalid(file: string, line: number | undefined, problem: string, cause?: unknown): HarnessError {
  const where = line === undefined ? `"${file}"` : `"${file}" line ${line}`;
  return new HarnessError('MANIFEST_INVALID', `${where} ${problem}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { file, line },
  });
}

/** Returns the value if it is a map, otherwise undefined. */
export function asMap(value: unknown): JsonObject | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** Returns the value if it is a list, otherwise an empty list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a string, otherwise its JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
