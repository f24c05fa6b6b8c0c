/**
 * Finds which version of an object a write was made from: the one whose content it repeats, which may differ from the one that its
 * `resourceVersion` names.
 *
 * In a harmful write the two differ, for example content of version 9 under version 12. The body of an update is compared with every
 * version that its actor had received; the closest one is the base, or the newest of several equally close ones.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Operation } from '../../model/history.ts';
import { diffContent } from '../../model/leaf.ts';
import { isCopied, rebuiltParts, type Rebuilt } from '../../model/rebuilt.ts';
import type { Knowledge } from '../knowledge.ts';

export interface WriteBase {
  /** The version whose content the write repeats. */
  readonly content: Knowledge;
  /** The version that the request names, if it names one. */
  readonly under?: number;
  readonly rebuilt: Rebuilt;
}

/** Maximum number of versions compared: a client rarely holds older ones. */
const CANDIDATES_MAX = 40;

/**
 * Returns the base of a write that sends a whole object; undefined for patches, which repeat no content, and for actors that
 * had received no version.
 */
export function baseOf(operation: Operation, received: readonly Knowledge[]): WriteBase | undefined {
  const { body, verb } = operation;
  if (verb !== 'update' || !isObject(body)) return undefined;
  let best: Knowledge | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  // In a write of the status, only the rest of the object shows the base: the controller computes the status, and may repeat an older one.
  const own = (path: string): boolean => operation.subresource === 'status' && /^status(?![A-Za-z])/.test(path);
  const candidates = received
    .slice(-CANDIDATES_MAX)
    .filter(({ deleted, object }) => !deleted && isSameObject(object, body));
  const rebuilt = rebuiltParts(
    body,
    candidates.map(({ object }) => object),
  );
  for (const candidate of candidates) {
    const distance = diffContent(candidate.object, body).filter(
      (change) => isCopied(rebuilt)(change) && !own(change.path),
    ).length;
    if (distance > fewest) continue;
    best = candidate;
    fewest = distance;
  }
  if (best === undefined) return undefined;
  const under = Number(body.metadata.resourceVersion ?? Number.NaN);
  return { content: best, rebuilt, ...(Number.isNaN(under) ? {} : { under }) };
}

function isSameObject({ metadata }: KubeObject, { metadata: { uid = metadata.uid } }: KubeObject): boolean {
  return metadata.uid === uid;
}

function isObject(body: JsonValue | undefined): body is KubeObject {
  return isMap(body) && isMap(body['metadata']);
}
