/** Gathers which versions of objects each actor had received at which tick, from answers, lists and watches. */
import { objectKey, revisionOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { ActorId } from '../model/actor.ts';
import type { HistoryIndex } from './history-index.ts';

export interface Knowledge {
  readonly at: number;
  readonly revision: number;
  readonly object: KubeObject;
  readonly deleted: boolean;
  /** The operation whose answer contained the version; absent for a watch event. */
  readonly op?: number;
}

export interface KnowledgeBase {
  /** Returns the last version of an object that an actor received before a tick. */
  before(actor: ActorId, key: string, at: number): Knowledge | undefined;
  /** Returns all versions of an object that an actor received, in order. */
  all(actor: ActorId, key: string): readonly Knowledge[];
  /** Reports whether the actor ever reads this resource: an actor that never does cannot be behind. */
  reads(actor: ActorId, resource: string): boolean;
}

export function gatherKnowledge(index: HistoryIndex): KnowledgeBase {
  const received = new Map<string, Knowledge[]>();
  const read = new Set<string>();
  const add = (actor: ActorId, key: string, knowledge: Knowledge): void => {
    const list = received.get(`${actor} ${key}`);
    if (list === undefined) received.set(`${actor} ${key}`, [knowledge]);
    else list.push(knowledge);
  };
  for (const { id, actor, resource, verb, answered, outcome, subresource } of index.history.operations) {
    if (verb === 'get' || verb === 'list' || verb === 'watch') read.add(`${actor} ${resource}`);
    if (answered === undefined || outcome.type !== 'ok' || subresource === 'scale') continue;
    const objects = outcome.object === undefined ? (outcome.items ?? []) : [outcome.object];
    for (const object of objects) {
      const { namespace = '', name = '' } = object.metadata ?? {};
      if (object.metadata === undefined || name === '') continue;
      const key = objectKey(resource, namespace, name);
      add(actor, key, { at: answered.at, revision: revisionOf(object), object, deleted: verb === 'delete', op: id });
    }
  }
  for (const { actor, resource, at, type, object, revision } of index.history.deliveries) {
    if (object === undefined || type === 'BOOKMARK' || type === 'ERROR') continue;
    const key = objectKey(resource, object.metadata.namespace ?? '', object.metadata.name ?? '');
    add(actor, key, { at, revision, object, deleted: type === 'DELETED' });
  }
  for (const list of received.values()) list.sort((a, b) => a.at - b.at);
  return {
    before: (actor, key, at) => received.get(`${actor} ${key}`)?.findLast((knowledge) => knowledge.at < at),
    all: (actor, key) => received.get(`${actor} ${key}`) ?? [],
    reads: (actor, resource) => read.has(`${actor} ${resource}`),
  };
}
