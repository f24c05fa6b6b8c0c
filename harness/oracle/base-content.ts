/**
 * The base content of a write: the version that the writer started from, and which parts of the written content were intended and which
 * merely carried over.
 *
 * Owns: the rules of the field ledger about one write. Does not own: whose update was lost (`field-ledger.ts`). The resourceVersion of a
 * write proves little: after a 409 a controller may fetch a new one and put it into an old body. So the base is whichever version the
 * content resembles most, among the versions that the actor received.
 */
import { jsonEqual, isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Operation, Revision } from '../model/history.ts';
import { diffContent, isEmptyValue, isServerLeaf, keySegment, leavesOf } from '../model/leaf.ts';
import { isCopied, rebuiltParts } from '../model/rebuilt.ts';
import type { Rebuilt } from '../model/rebuilt.ts';
import type { HistoryIndex, ObservedVersion } from './history-index.ts';

export interface BaseContent {
  /** The version that the writer started from; absent if the actor had received none. */
  readonly base: ObservedVersion | undefined;
  /** The newest version that the actor had received when it sent the write. */
  readonly newest: ObservedVersion | undefined;
  /** The resourceVersion in the request; absent if there was none, so that the server did not check for conflicts. */
  readonly carried: number | undefined;
  readonly rebuilt: Rebuilt;
}

/**
 * Finds the base of the write that made `revision`. Of equally likely versions it returns the newest, giving the writer the benefit of the
 * doubt.
 */
export function baseContent(index: HistoryIndex, revision: Revision, operation: Operation): BaseContent {
  const carried = carriedVersion(operation);
  const seen = index.seenBy(operation.actor, revision.uid, operation.invoked.at);
  const candidates = seen.filter((candidate) => carried === undefined || candidate.revision <= carried);
  const rebuilt = rebuiltIn(operation, candidates);
  let newest: ObservedVersion | undefined;
  for (const candidate of seen) if (candidate.revision >= (newest?.revision ?? 0)) newest = candidate;
  const distanceOf = (version: KubeObject): number => distanceTo(index, revision, operation, version, rebuilt);
  let base = closestOf(candidates, distanceOf);
  // Fields that only the server sets overrule the resemblance, unless the two versions differ in more than metadata.
  const marked = withSameMarks(operation, candidates);
  if (base !== undefined && !marked.includes(base)) {
    const other = closestOf(marked, distanceOf);
    if (other !== undefined && differOnlyInMetadata(base, other)) base = other;
  }
  return { base, newest, carried, rebuilt };
}

/** Returns the version that the written content resembles most, of equal ones the newest. */
function closestOf(
  versions: readonly ObservedVersion[],
  distanceOf: (version: KubeObject) => number,
): ObservedVersion | undefined {
  let found: ObservedVersion | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  for (const version of versions) {
    const distance = distanceOf(version.object);
    const closer = distance < smallest || (distance === smallest && version.revision >= (found?.revision ?? 0));
    if (!closer) continue;
    found = version;
    smallest = distance;
  }
  return found;
}

/** Reports whether two versions differ only in their metadata. */
function differOnlyInMetadata(one: ObservedVersion, other: ObservedVersion): boolean {
  return diffContent(one.object, other.object).every(({ path }) => isUnder(path, 'metadata'));
}

/**
 * Returns the versions whose generation and deletion timestamp are those of the body, or all versions if none has them. Only the server
 * sets these fields, and a client that puts a new resourceVersion onto an old body leaves them as they were. They show which version the
 * metadata is from, but not the spec: a controller may put an old spec next to fresh metadata.
 */
function withSameMarks(operation: Operation, versions: readonly ObservedVersion[]): readonly ObservedVersion[] {
  if (!isWholeObject(operation)) return versions;
  const { generation, deletionTimestamp } = (operation.body as Partial<KubeObject>).metadata ?? {};
  const same = versions.filter(
    ({ object: { metadata } }) =>
      (generation === undefined || metadata.generation === generation) &&
      (deletionTimestamp === undefined || metadata.deletionTimestamp !== undefined),
  );
  return same.length === 0 ? versions : same;
}

/** Returns `metadata.resourceVersion` of the body; undefined if absent or empty, and for a delete. */
export function carriedVersion({ body, verb }: Operation): number | undefined {
  if (!isMap(body) || verb === 'delete') return undefined;
  const version = (body['metadata'] as JsonObject | undefined)?.['resourceVersion'];
  return typeof version === 'string' && version !== '' && version !== '0' ? Number(version) : undefined;
}

/**
 * Returns the number of leaves in which the written content differs from a version. Parts that were not copied from any version do not
 * count, nor do empty values that an encoder has omitted.
 */
function distanceTo(
  index: HistoryIndex,
  revision: Revision,
  operation: Operation,
  version: KubeObject,
  rebuilt: Rebuilt,
): number {
  if (isWholeObject(operation)) {
    const copied = isCopied(rebuilt);
    return diffContent(version, operation.body as KubeObject).filter(
      (change) => copied(change) && !(isEmptyValue(change.from) && isEmptyValue(change.to)),
    ).length;
  }
  const leaves = leavesOf(version);
  let distance = 0;
  for (const { path, to } of index.changes(revision)) if (!jsonEqual(leaves.get(path), to)) distance++;
  return distance;
}

function rebuiltIn(operation: Operation, candidates: readonly ObservedVersion[]): Rebuilt {
  if (!isWholeObject(operation)) return () => undefined;
  return rebuiltParts(
    operation.body as KubeObject,
    candidates.map(({ object }) => object),
  );
}

/** Reports whether the operation is a PUT of the object itself; a Scale is a different kind. */
function isWholeObject({ verb, subresource, body }: Operation): boolean {
  return verb === 'update' && subresource !== 'scale' && isMap(body);
}

/**
 * Reports whether an operation is an update with an object that the writer built itself: one without a uid, which every object that was
 * read has.
 */
export function isFromScratch(operation: Operation): boolean {
  if (!isWholeObject(operation)) return false;
  return (operation.body as Partial<KubeObject>).metadata?.uid === undefined;
}

/** Reports whether the request mentions a leaf. If the leaf changes although it is not mentioned, the server changed it. */
export function touches(operation: Operation, path: string): boolean {
  const { verb, body, contentType = '' } = operation;
  if (verb === 'update' || verb === 'create') return true;
  if (verb !== 'patch' || body === undefined) return false;
  if (contentType.includes('json-patch') || Array.isArray(body)) {
    return (
      Array.isArray(body) &&
      (body as readonly JsonValue[]).some((step) => isMap(step) && step['op'] !== 'test' && pointsAt(step, path))
    );
  }
  return isMap(body) && mapTouches('', body, path);
}

function mapTouches(prefix: string, map: JsonObject, path: string): boolean {
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    const here = prefix === '' ? key : prefix + keySegment(key);
    if (!isUnder(path, here) || isServerLeaf(here)) continue;
    // A list is replaced or merged by its items' keys: either way the patch mentions it.
    return isMap(value) && path !== here ? Object.keys(value).length === 0 || mapTouches(here, value, path) : true;
  }
  return false;
}

/**
 * Reports whether a step of a JSON patch mentions a leaf. Its pointer addresses list items by index, which is not stable, so it is compared
 * only up to the list.
 */
function pointsAt(step: JsonObject, path: string): boolean {
  let here = '';
  const pointer = step['path'];
  if (typeof pointer !== 'string') return false;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (key === '-' || /^\d+$/.test(key)) break;
    here = here === '' ? key : here + keySegment(key);
  }
  return isUnder(path, here) || isUnder(here, path);
}

/** Reports whether `path` is `ancestor` or below it. */
export function isUnder(path: string, ancestor: string): boolean {
  if (!path.startsWith(ancestor)) return false;
  const next = path[ancestor.length];
  return next === undefined || next === '.' || next === '[' || ancestor === '';
}
