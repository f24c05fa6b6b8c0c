/**
 * Files and folders of Kubernetes manifests, as objects that know where they stand.
 *
 * Owns: reading YAML and JSON, and saying where a file is wrong: file, line, what stands there, what was expected, what to do.
 * Does not own: what the objects are for (`manifests.ts`). Start at {@link readPath}.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import { nestsDeeper } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { entriesOf, readFileText, Unreadable } from '../../report/read-files.ts';
import { HarnessError } from '../../model/errors.ts';
import { withIndentedQuotes } from './quoted-lines.ts';

/** An object and where it stands. */
export interface Manifest {
  readonly object: KubeObject;
  readonly file: string;
  readonly line: number;
}

const MANIFEST_FILE = /\.(ya?ml|json)$/;
/** Instructions to a tool of the client's side: no API server knows them. */
const CLIENT_SIDE = /^kustomize\.config\.k8s\.io\//;
/** Bundles of many definitions have a few megabytes. */
const BYTES_MAX = 64 * 1024 * 1024;
const LEVELS_MAX = 1000;
const HELM_ACTION = /\{\{[-\s]/;

/** What is read, in the words of its reader, for messages. */
export interface Reading {
  /** `CRDs`, `samples` */
  readonly what: string;
  /** The option that named the path. */
  readonly flag: string;
  /** Inner folders are read too, unless this is enough already. Absent, they never are. */
  readonly enough?: (found: readonly Manifest[]) => boolean;
}

/**
 * Reads a file, or the files of a folder in the order of their names, those of inner folders last.
 *
 * @throws {MANIFEST_INVALID} when there is nothing, or not what Kubernetes takes.
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

/** The manifests of a folder and the folders in it, in the order of their names. */
function filesIn(folder: string): readonly [files: readonly string[], inner: readonly string[]] {
  const entries = entriesOf(folder);
  if ('reason' in entries)
    throw invalid(folder, undefined, `${entries.reason}, expected a folder with manifests; check its permissions`);
  const files = entries.filter((entry) => !entry.isDirectory() && MANIFEST_FILE.test(entry.name));
  const inner = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return [files.map(({ name }) => join(folder, name)), inner.map(({ name }) => join(folder, name))];
}

/** Reads one file. In a folder, what is no Kubernetes object at all (a kustomization, a values file) is passed over. */
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
 * The objects of a text. `file` is what messages call it; `lenient` passes over what is no Kubernetes object at all.
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

/** Also of what only the parser of Kubernetes' own tools takes. */
function documentsOf(text: string): Documents {
  const strict = parsed(text);
  if (!hasErrors(strict, 'MISSING_CHAR')) return strict;
  const lenient = parsed(withIndentedQuotes(text));
  return hasErrors(lenient) ? strict : lenient;
}

function parsed(text: string): Documents {
  const lines = new LineCounter();
  // Anchors and merge keys are common in hand-written manifests; a map as a key is a template's, which the parser would only warn of.
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true, stringKeys: true, logLevel: 'error' });
  return { documents: 'empty' in documents ? [] : documents, lines };
}

function hasErrors({ documents }: Documents, code?: string): boolean {
  return documents.some(({ errors }) => errors.some((error) => code === undefined || error.code === code));
}

/** What a document stands for; anchors may be named a hundred times, for a few lines of them can stand for more than any memory holds. */
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

/** `kind: List` stands for its items, as `kubectl` has it. */
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

/** @throws {MANIFEST_INVALID} naming where the object stands. */
export function fail(manifest: Manifest, problem: string): never {
  throw invalid(manifest.file, manifest.line, problem);
}

/** The error that names a file, and a line of it. */
export function invalid(file: string, line: number | undefined, problem: string, cause?: unknown): HarnessError {
  const where = line === undefined ? `"${file}"` : `"${file}" line ${line}`;
  return new HarnessError('MANIFEST_INVALID', `${where} ${problem}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { file, line },
  });
}

/** The value as a map; undefined when it is none. */
export function asMap(value: unknown): JsonObject | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value as a list; empty when it is none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a text, JSON when it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
