/**
 * Versioned JSON documents: the code that all stored formats share.
 *
 * Owns: reading (text → JSON → upgrade → schema), writing in a stable order, and the error messages for malformed files. Does not own: the
 * formats themselves. Start with `schedule.ts` for a small format.
 */
import type { z } from 'zod';
import { isRecord } from 'stalemate-apiserver/objects/json';
import { isNestedDeeper } from 'stalemate-apiserver/wire/go-json';
import { HarnessError, InvariantError } from '../../model/errors.ts';
import { describeIssues } from './issues.ts';
import { jsonText } from './json-text.ts';

type JsonMap = { readonly [key: string]: unknown };

/** Upgrades a document to the next version; the reader sets the new version number. */
export type Upgrade = (document: JsonMap) => JsonMap;

export interface Format<T> {
  readonly kind: DocumentKind;
  /** The version that is written today. */
  readonly version: number;
  /** The schema of the stored form; keys are written in its order. */
  readonly schema: z.ZodType<T>;
  /** `upgrades[0]` upgrades version 1 to 2, and so on: always `version - 1` steps. */
  readonly upgrades: readonly Upgrade[];
  /** Parts that are separate documents, with their own versions. */
  readonly parts?: { readonly [key: string]: Format<unknown> };
}

export type DocumentKind =
  | 'schedule'
  | 'workload'
  | 'history'
  | 'counterexample'
  | 'record'
  | 'neighbour'
  | 'recording'
  | 'corpus-entry'
  | 'baseline'
  | 'soak-line'
  | 'answers';

/** Encodes a document. The harness's own documents must fit their schema. */
export function encode<T>(format: Format<T>, document: T): string {
  const ordered = format.schema.safeParse(document);
  if (!ordered.success) {
    throw new InvariantError(`a ${format.kind} fits its schema, ${describeIssues(ordered.error, document)}`);
  }
  return jsonText(ordered.data);
}

/**
 * Decodes a document. `source` names it in messages, usually the path of a file.
 *
 * @throws {FORMAT_INVALID} if the text is not JSON, is truncated, is of another kind, or does not fit the schema.
 * @throws {FORMAT_TOO_NEW} if a newer stalemate wrote it.
 */
export function decode<T>(format: Format<T>, text: string, source: string): T {
  return decodeJson(format, parseJson(text, source, format.kind), source);
}

/** As {@link decode}, for parsed JSON. */
export function decodeJson<T>(format: Format<T>, json: unknown, source: string): T {
  const current = upgrade(format, json, source, '');
  const checked = format.schema.safeParse(current);
  if (!checked.success) {
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${source}" is not a valid ${format.kind} of version ${format.version}: ${describeIssues(checked.error, current)}; ` +
        'undo the edit, or copy the file from where it was written',
      { details: { source, kind: format.kind } },
    );
  }
  // The schema only validates: the input itself is returned, so that free-form content keeps its key order.
  return current as T;
}

/** Returns the `kind` of a document, if any. */
export function kindOf(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  if (typeof json['kind'] === 'string') return json['kind'];
  if ('preemptions' in json) return 'schedule';
  return 'programs' in json ? 'workload' : undefined;
}

/** The greatest accepted depth; the embedded server accepts objects with half of it. */
const LEVELS_MAX = 2000;

/** Parses JSON, or reports where the file is malformed. */
export function parseJson(text: string, source: string, expected: string): unknown {
  const invalid = (what: string, cause?: unknown): HarnessError =>
    new HarnessError('FORMAT_INVALID', `"${source}" ${what}`, { cause, details: { source } });
  if (isNestedDeeper(text, LEVELS_MAX))
    throw invalid(
      `nests deeper than ${LEVELS_MAX} levels; expected a ${expected}, copy the file again from where it was written`,
    );
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const lines = text.trimEnd().split('\n');
    const conflict = lines.findIndex((line) => /^(<{7}|>{7}) /.test(line));
    if (conflict >= 0)
      throw invalid(
        `holds a merge conflict at line ${conflict + 1} ("${lines[conflict]?.slice(0, 60) ?? ''}"); ` +
          'expected one side of it, take one whole with "git checkout --ours" or "--theirs" and add it again',
        error,
      );
    const reason = error instanceof Error ? error.message : String(error);
    const position = Number(/ at position (\d+)/.exec(reason)?.[1] ?? Number.NaN);
    const atEnd = position >= text.trimEnd().length;
    const cut = text.trim() === '' || atEnd || /end of JSON input|Unterminated string/.test(reason);
    const what = cut
      ? `is cut off: it ends ${text.trim() === '' ? 'before it begins' : `at line ${lines.length} in the middle of the document`}`
      : `is not JSON: ${reason.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
    throw invalid(
      `${what}; expected a complete ${expected} in JSON, copy the file again from where it was written`,
      error,
    );
  }
}

function upgrade(format: Format<unknown>, json: unknown, source: string, place: string): unknown {
  const where = place === '' ? `"${source}"` : `"${source}" at ${place}`;
  const invalid = (what: string): HarnessError =>
    new HarnessError('FORMAT_INVALID', `${where} ${what}`, { details: { source } });
  const kind = kindOf(json);
  if (!isRecord(json) || (kind === undefined ? place === '' && json['version'] === undefined : kind !== format.kind))
    throw invalid(`is ${kind === undefined ? 'no document of stalemate' : `a ${kind}`}; expected a ${format.kind}`);
  const version = json['version'];
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw invalid(
      `has ${version === undefined ? 'no "version"' : `version ${JSON.stringify(version)}`}; ` +
        `expected a ${format.kind} with "version" from 1 to ${format.version}`,
    );
  if (version > format.version) {
    throw new HarnessError(
      'FORMAT_TOO_NEW',
      `${where} is a ${format.kind} of version ${version}, and this stalemate reads up to version ${format.version}; ` +
        'update stalemate to read it, or find the failure again with this one',
      { details: { source, version, supported: format.version } },
    );
  }
  let document: JsonMap = json;
  for (let from = version; from < format.version; from++) {
    const step = format.upgrades[from - 1];
    if (step === undefined) throw new InvariantError(`${format.kind} has an upgrade from version ${from}`);
    document = { ...step(document), version: from + 1 };
  }
  for (const [key, part] of Object.entries(format.parts ?? {})) {
    if (document[key] === undefined) continue;
    const upgraded = upgrade(part, document[key], source, place === '' ? key : `${place}.${key}`);
    if (upgraded !== document[key]) document = { ...document, [key]: upgraded };
  }
  return document;
}
