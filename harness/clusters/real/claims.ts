/**
 * The changes that the answer to a write reports, on a server whose changes are only observed from outside.
 *
 * Owns: interpreting answers. A write made the revision that its answer contains as resourceVersion, unless that revision is an earlier
 * one. The deletion of an object belongs to the client that requested it or removed the last finalizer. Start at {@link claimsOf}.
 */
import { groupResource, revisionOf, type JsonObject, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ObservedChange } from '../../gate/recorder.ts';
import { isWrite } from '../../model/history.ts';

export interface ExpectedCommit {
  /** The object's uid; empty if the answer does not contain it. */
  readonly uid: string;
  /** `widgets.example.com/default/a`. */
  readonly place: string;
  /** `version`: the write made this revision. `end`: it deleted the object. `some`: it changed the object in some way. */
  readonly what: 'version' | 'end' | 'some';
  readonly revision: number;
  /** True if the write may have changed nothing in this object. */
  readonly perhaps: boolean;
}

/** Returns the changes that a request with this answer has made. */
export function claimsOf(request: ApiRequest, { code, body }: ApiResponse): readonly ExpectedCommit[] {
  const info = requestInfo(request.method, request.path, request.query);
  if (info === undefined || !isWrite(info.verb) || code >= 300 || (request.query['dryRun'] ?? '') !== '') return [];
  const resource = groupResource(info);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const answer = body as JsonObject;
  if (info.verb === 'deletecollection')
    return ((answer['items'] ?? []) as readonly KubeObject[]).map((object) => {
      const { name = '', namespace = '' } = object.metadata;
      const claim = claimOf(object, `${resource}/${namespace}/${name}`, true);
      return claim.what === 'end' ? claim : { ...claim, what: 'some', perhaps: true };
    });
  const place = `${resource}/${info.namespace}/${info.name}`;
  const object = answer as unknown as Partial<KubeObject>;
  if (object.kind === 'Status') {
    const { uid = '' } = (answer['details'] ?? {}) as { readonly uid?: string };
    const what = info.verb === 'delete' ? 'end' : 'some';
    return [{ uid, place, what, revision: 0, perhaps: false }];
  }
  if (object.metadata?.uid === undefined) return [];
  const { name = info.name, namespace = info.namespace } = object.metadata;
  return [claimOf(object as KubeObject, `${resource}/${namespace}/${name}`, info.verb === 'delete')];
}

/** Returns the claim on one object. An object that finalizers or a grace period keep alive is deleted later, by another client. */
function claimOf(object: KubeObject, place: string, deleted: boolean): ExpectedCommit {
  const { metadata } = object;
  const { finalizers = [] } = (object['spec'] ?? {}) as { readonly finalizers?: readonly string[] };
  const kept =
    (metadata.finalizers ?? []).length > 0 || finalizers.length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
  const ends = (deleted || metadata.deletionTimestamp !== undefined) && !kept;
  return {
    uid: metadata.uid ?? '',
    place,
    what: ends ? 'end' : 'version',
    revision: revisionOf(object),
    perhaps: false,
  };
}

/** Reports whether a change matches a claim. */
export function isClaimed({ uid, place, what, revision }: ExpectedCommit, change: ObservedChange): boolean {
  const same = uid === '' ? place === `${change.resource}/${change.namespace}/${change.name}` : uid === change.uid;
  if (!same) return false;
  if (what === 'version') return change.revision === revision;
  return what === 'some' || change.type === 'DELETED';
}
