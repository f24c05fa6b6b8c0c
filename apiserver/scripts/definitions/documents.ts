/** Kubernetes objects from YAML files: each document once, without templates and tool-specific files. */
import { parseAllDocuments } from 'yaml';
import { isList, isMap, mapOf, sortedKeys, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';

/** An object, and the first file that contains it. */
export interface Document {
  readonly file: string;
  readonly object: JsonObject;
}

/** Kinds that only client-side programs know. */
const CLIENT_SIDE = /^(kustomize\.config\.k8s\.io|kuttl\.dev|chainsaw\.kyverno\.io|skaffold|helm\.)/;

/** Returns the objects of the files, in order. Files that are not YAML (Helm templates, parser tests) are skipped. */
export function documentsIn(files: Iterable<{ readonly file: string; readonly text: string }>): readonly Document[] {
  const seen = new Set<string>();
  const documents: Document[] = [];
  for (const { file, text } of files) {
    if (!/^\s*"?kind"?:/m.test(text)) continue;
    for (const object of objectsIn(text)) {
      const content = JSON.stringify(sortedKeys(object));
      if (seen.has(content)) continue;
      seen.add(content);
      documents.push({ file, object });
    }
  }
  return documents;
}

function objectsIn(text: string): readonly JsonObject[] {
  let values: readonly JsonValue[];
  try {
    const read = parseAllDocuments(text, { logLevel: 'silent', merge: true, stringKeys: true });
    values = ('empty' in read ? [] : read)
      .filter(({ errors }) => errors.length === 0)
      .map((one) => JSON.parse(JSON.stringify(one.toJS({ maxAliasCount: 100 }) ?? null)) as JsonValue);
  } catch {
    return [];
  }
  return values.flatMap(unfolded).filter(isObject);
}

/** Returns the documents that can be sent unchanged. */
export function usable(documents: readonly Document[]): readonly Document[] {
  return documents
    .map(({ file, object }) => ({ file, object: withoutTemplates(object) }))
    .filter(({ object }) => isWhole(object));
}

/** Removes labels and annotations with templates: charts that are valid YAML may contain them, but no server accepts them. */
function withoutTemplates(object: JsonObject): JsonObject {
  const metadata: { [name: string]: JsonValue | undefined } = { ...mapOf(object['metadata']) };
  for (const part of ['labels', 'annotations']) {
    const kept = Object.entries(mapOf(metadata[part])).filter(([, value]) => !textOf(value).includes('{{'));
    if (isMap(metadata[part])) metadata[part] = Object.fromEntries(kept);
  }
  return { ...object, metadata };
}

/** Reports whether an object is complete: patches to definitions look like definitions, and v1beta1 ones are no longer served. */
function isWhole({ kind, apiVersion, spec }: JsonObject): boolean {
  if (kind !== 'CustomResourceDefinition') return true;
  const { versions, group } = mapOf(spec);
  return apiVersion === 'apiextensions.k8s.io/v1' && isList(versions) && textOf(group) !== '';
}

/** Returns the items of a `v1 List`, or the object itself. */
function unfolded(value: JsonValue): readonly JsonValue[] {
  return isMap(value) && value['kind'] === 'List' && isList(value['items']) ? value['items'] : [value];
}

function isObject(value: JsonValue): value is JsonObject {
  if (!isMap(value)) return false;
  const { apiVersion, kind } = value;
  return (
    textOf(apiVersion) !== '' &&
    textOf(kind) !== '' &&
    !CLIENT_SIDE.test(textOf(apiVersion)) &&
    isMap(value['metadata']) &&
    !/[{}]/.test(textOf(mapOf(value['metadata'])['name']))
  );
}
