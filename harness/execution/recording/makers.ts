/**
 * Attributes changes to requests by their answers: the answer to a write contains the version that it created; the deletion of an object
 * belongs to the request that deleted it, or that removed its last finalizer.
 *
 * A write whose answer was lost cannot be attributed: its change is assigned to the environment.
 */
import { groupResource, revisionOf, type JsonObject, type KubeObject } from 'stalemate-apiserver/objects/object';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ObservedChange } from '../../gate/recorder.ts';
import type { Happening } from './happening.ts';

type Commit = (change: ObservedChange) => void;

export class Makers {
  /** Maps `uid@revision` to the exchange whose write created that version. */
  readonly #writes = new Map<string, number>();
  /** Exchanges that may have deleted an object, by `resource/namespace/name` and by `resource/namespace/`. */
  readonly #ends = new Map<string, number[]>();
  readonly #commits = new Map<number, Commit>();

  constructor(happenings: readonly Happening[]) {
    const asked = new Map<number, Extract<Happening, { what: 'request' }>>();
    for (const one of happenings) {
      if (one.what === 'request') asked.set(one.exchange, one);
      else if (one.what === 'answer' && one.answer.code < 300) {
        const request = asked.get(one.exchange);
        if (request !== undefined) this.#read(request, one.answer.body);
      }
    }
  }

  /** Records that the server has received a request; `commit` is to be called with the changes that the request makes. */
  sent(exchange: number, commit: Commit): void {
    this.#commits.set(exchange, commit);
  }

  /** Returns the commit function for a change, if a known exchange made it. */
  of({ type, resource, namespace, name, uid, revision }: ObservedChange): Commit | undefined {
    const exact = this.#commits.get(this.#writes.get(`${uid}@${revision}`) ?? -1);
    if (exact !== undefined || type !== 'DELETED') return exact;
    for (const place of [`${resource}/${namespace}/${name}`, `${resource}/${namespace}/`]) {
      const ends = this.#ends.get(place) ?? [];
      const index = ends.findIndex((exchange) => this.#commits.has(exchange));
      const exchange = ends[index];
      if (exchange === undefined) continue;
      // One deletecollection deletes several objects.
      if (!place.endsWith('/')) ends.splice(index, 1);
      return this.#commits.get(exchange);
    }
    return undefined;
  }

  #read({ request, exchange }: Extract<Happening, { what: 'request' }>, body: unknown): void {
    const info = requestInfo(request.method, request.path, request.query);
    if (info === undefined || request.query['dryRun'] !== undefined) return;
    const place = `${groupResource(info)}/${info.namespace}/${info.name}`;
    if (info.verb === 'deletecollection') this.#end(place, exchange);
    if (info.verb === 'get' || info.verb === 'list' || info.verb === 'watch') return;
    const { metadata } = (body ?? {}) as Partial<KubeObject> & JsonObject;
    // An object with finalizers or a grace period is deleted by a later request.
    const kept = (metadata?.finalizers ?? []).length > 0 || (metadata?.deletionGracePeriodSeconds ?? 0) > 0;
    const ends = info.verb === 'delete' || metadata?.deletionTimestamp !== undefined;
    if (ends && !kept) this.#end(place, exchange);
    if (metadata?.uid === undefined) return;
    const key = `${metadata.uid}@${revisionOf(body as KubeObject)}`;
    // A write that changed nothing returns the version that another write created.
    if (!this.#writes.has(key)) this.#writes.set(key, exchange);
  }

  #end(place: string, exchange: number): void {
    const ends = this.#ends.get(place);
    if (ends === undefined) this.#ends.set(place, [exchange]);
    else ends.push(exchange);
  }
}
