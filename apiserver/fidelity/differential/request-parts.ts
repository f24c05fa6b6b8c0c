/** The parts of a request that follow from the operation and its kind alone: options, subresource, selectors, patches. */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { ComparedKind } from './kinds.ts';
import { OPTIONS, SELECTORS, type Operation } from './operation.ts';

export function typeOf(kind: ComparedKind): JsonObject {
  return { apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`, kind: kind.kind };
}

export function optionText({ verb }: Operation, index: number): string {
  const options = OPTIONS[verb];
  return options[index % options.length] ?? '';
}

/** Returns the subresource of a request: sometimes one that the kind does not have. */
export function subresourceOf(kind: ComparedKind, { verb, subresource, content }: Operation): string {
  if (subresource === '' || verb === 'list' || verb === 'watch' || verb === 'deletecollection') return '';
  if (verb === 'create')
    return kind.id !== 'pods' ? '' : subresource === 'status' ? 'binding' : subresource === 'scale' ? 'eviction' : '';
  if (subresource === 'other') return kind.id === 'namespaces' && verb === 'update' ? 'finalize' : '';
  const has = subresource === 'status' ? kind.statuses !== undefined && kind.id !== 'plains' : kind.scale === true;
  return has || content % 10 === 0 ? subresource : '';
}

/** Returns the first value of each parameter, because the layers of a real server treat repeated parameters differently. */
export function onePerKey(texts: readonly string[]): readonly string[] {
  const keys = new Set<string>();
  return texts.filter((text) => {
    const own = text.split('&').map((part) => part.split('=', 1)[0] ?? '');
    if (own.some((key) => keys.has(key))) return false;
    for (const key of own) keys.add(key);
    return true;
  });
}

export interface FieldChoice {
  readonly selector: string;
  readonly match: JsonObject;
  readonly name?: string;
}

export function fieldSelector({ selector }: Operation, kind: ComparedKind, name: string): FieldChoice | undefined {
  switch (selector - SELECTORS.length) {
    case 0:
    case 1:
      return { selector: `metadata.name=${name}`, match: {}, name };
    case 2:
      return { selector: 'metadata.name!=zzz', match: {} };
    case 3:
    case 4:
      return kind.fields?.[0];
    case 5:
      return { selector: 'spec.unknown=x', match: {} };
    default:
      return undefined;
  }
}

export function nothingMatches({ selector }: Operation): boolean {
  const entry = SELECTORS[selector];
  return entry !== undefined && entry.text !== '' && entry.labels === undefined;
}

export function metadataOf(fragment: JsonObject): JsonObject {
  return isMap(fragment['metadata']) ? fragment['metadata'] : {};
}

export function versionOf(body: JsonValue): string | undefined {
  const metadata = isMap(body) ? body['metadata'] : undefined;
  const version = isMap(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

/** Merges `patch` into `base` as in RFC 7386. */
export function merged(base: JsonObject, patch: JsonObject): JsonObject {
  const copy: { [key: string]: JsonValue | undefined } = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const old = copy[key];
    if (value === null || value === undefined) delete copy[key];
    else copy[key] = isMap(value) ? merged(isMap(old) ? old : {}, value) : value;
  }
  return copy;
}

/** Returns a fragment as operations of a JSON patch; `content` selects the kind of operation. */
export function jsonPatch(fragment: JsonObject, content: number): JsonValue {
  const operations: JsonObject[] = [];
  const visit = (value: JsonObject, path: string): void => {
    for (const [key, one] of Object.entries(value)) {
      const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (isMap(one) && path === '') visit(one, at);
      else if (one === null) operations.push({ op: 'remove', path: at });
      else operations.push({ op: content % 4 === 1 ? 'replace' : 'add', path: at, value: one ?? null });
    }
  };
  visit(fragment, '');
  if (content % 8 === 2) operations.unshift({ op: 'test', path: '/metadata/labels/app', value: 'a' });
  if (content % 8 === 3) operations.unshift({ op: 'test', path: '/spec/absent', value: null });
  return operations;
}
