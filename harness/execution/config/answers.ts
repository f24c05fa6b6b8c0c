/** Reads the answers of pods and services that a configuration declares, inline or in a separate file. */
import { basename, resolve } from 'node:path';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import type { KubeletAnswers } from 'stalemate-apiserver/wire/declared-answers';
import { nestsDeeper } from 'stalemate-apiserver/objects/json';
import type { ClusterKind } from '../../model/cluster.ts';
import { readFileText, Unreadable } from '../../report/read-files.ts';
import { ANSWERS } from '../../schedule/codec/answers.ts';
import { decodeJson } from '../../schedule/codec/format.ts';
import { configInvalid } from '../config-invalid.ts';

/** The maximum size of the file: large, because logs may be long. */
const BYTES_MAX = 64 * 1024 * 1024;
const LEVELS_MAX = 100;
const TOO_DEEP = `it nests deeper than ${LEVELS_MAX} levels`;

/**
 * Returns the declared answers.
 *
 * @throws {CONFIG_INVALID} for a file that cannot be read. @throws {FORMAT_INVALID} {FORMAT_TOO_NEW}
 */
export function answersOf(given: KubeletAnswers | string | undefined, cwd: string): KubeletAnswers | undefined {
  return typeof given === 'string' ? readAnswers(resolve(cwd, given)) : given;
}

/** Reads a file of answers in YAML or JSON. */
export function readAnswers(path: string): KubeletAnswers {
  const name = basename(path);
  let document: unknown;
  try {
    document = parseYaml(readFileText(path, BYTES_MAX), { stringKeys: true, logLevel: 'error' });
    if (nestsDeeper(document, LEVELS_MAX)) throw new Error(TOO_DEEP);
  } catch (error) {
    const isDeep = error instanceof YAMLParseError && error.code === 'RESOURCE_EXHAUSTION';
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    const reason = isDeep ? TOO_DEEP : message;
    const what = error instanceof Unreadable ? reason : `could not be read: ${reason}`;
    throw configInvalid(`answers "${name}" ${what}; expected a file in YAML with "kind: answers" and "version: 1"`, {
      cause: error,
      details: { path },
    });
  }
  const { version: _version, kind: _kind, ...answers } = decodeJson(ANSWERS, document, name);
  return answers;
}

/** Returns a warning if declared answers would be ignored: on a real cluster, pods answer for themselves. */
export function unansweredThere(answers: KubeletAnswers | undefined, cluster: ClusterKind): readonly string[] {
  if (answers === undefined || cluster === 'embedded') return [];
  return [`declared answers are given by the embedded cluster only; on ${cluster} pods answer for themselves`];
}
