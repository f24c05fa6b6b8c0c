/**
 * Which request made which change, read off answers: an answer to a write holds the version that it made; a deletion that ended an
 * object is that of whoever asked for it, or of whoever took its last finalizer.
 *
 * A write whose answer was lost has no claim: its change is left to the environment, as nobody can tell.
 */
import { groupResource, revisionOf, type JsonObject, type KubeObject } from 'stalemate-apiserver/objects/object';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ObservedChange } from '../../gate/recorder.ts';
import type { Happening } from './happening.ts';

type Commit = (change: ObservedChange) => void;

export class Makers {
  /** Exchange by `uid@revision`. */
  readonly #writes = new Map<string, number>();
  /** Exchanges that may have ended an object, by `resource/namespace/name` and by `resource/namespace/`. */
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

  /** The server acts on an exchange: changes that it makes are told to `commit`. */
  sent(exchange: number, commit: Commit): void {
    this.#commits.set(exchange, commit);
  }

  /** Whose change it is, if anybody's here who has asked already. */
  of({ type, resource, namespace, name, uid, revision }: ObservedChange): Commit | undefined {
    const exact = this.#commits.get(this.#writes.get(`${uid}@${revision}`) ?? -1);
    if (exact !== undefined || type !== 'DELETED') return exact;
    for (const place of [`${resource}/${namespace}/${name}`, `${resource}/${namespace}/`]) {
      const ends = this.#ends.get(place) ?? [];
      const index = ends.findIndex((exchange) => this.#commits.has(exchange));
      const exchange = ends[index];
      if (exchange === undefined) continue;
      // A collection goes object by object.
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
    // What finalizers or a grace period keep alive is ended by somebody else.
    const kept = (metadata?.finalizers ?? []).length > 0 || (metadata?.deletionGracePeriodSeconds ?? 0) > 0;
    const ends = info.verb === 'delete' || metadata?.deletionTimestamp !== undefined;
    if (ends && !kept) this.#end(place, exchange);
    if (metadata?.uid === undefined) return;
    const key = `${metadata.uid}@${revisionOf(body as KubeObject)}`;
    // A write that changed nothing is answered with the version that another one made.
    if (!this.#writes.has(key)) this.#writes.set(key, exchange);
  }

  #end(place: string, exchange: number): void {
    const ends = this.#ends.get(place);
    if (ends === undefined) this.#ends.set(place, [exchange]);
    else ends.push(exchange);
  }
}
