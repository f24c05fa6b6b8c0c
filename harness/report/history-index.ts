/** Indexes a history for the look-ups that the report needs more than once. */
import { objectKey } from 'stalemate-apiserver/objects/object';
import type { History, Operation, Revision } from '../model/history.ts';

export interface HistoryIndex {
  readonly history: History;
  operation(id: number): Operation | undefined;
  /** Returns the revisions that an operation made. */
  madeBy(op: number): readonly Revision[];
  /** Returns the revisions of the object at a key, in order. */
  chain(key: string): readonly Revision[];
  /** Returns the keys of the objects that an operation is about: those it wrote, else the one in its path, else those in its answer. */
  keysOf(operation: Operation): readonly string[];
  /** Returns the short name of an object, such as `deployments/web`; a generated name is replaced by its canonical form. */
  shortName(key: string): string;
}

export function indexHistory(history: History): HistoryIndex {
  const operations = new Map(history.operations.map((operation) => [operation.id, operation]));
  const byOp = Map.groupBy(history.revisions, ({ op }) => op);
  const chains = Map.groupBy(history.revisions, keyOf);
  const shortNames = new Map(
    history.revisions.map((revision) => [
      keyOf(revision),
      `${bare(revision.resource)}/${history.names[revision.uid] ?? revision.name}`,
    ]),
  );
  return {
    history,
    operation: (id) => operations.get(id),
    madeBy: (op) => byOp.get(op) ?? [],
    chain: (key) => chains.get(key) ?? [],
    keysOf: (operation) => {
      const made = byOp.get(operation.id);
      if (made !== undefined && operation.verb !== 'get' && operation.verb !== 'list') {
        return made.map(keyOf);
      }
      if (operation.name !== '') return [objectKey(operation.resource, operation.namespace, operation.name)];
      const { outcome } = operation;
      if (outcome.type !== 'ok') return [];
      const answered = outcome.object === undefined ? (outcome.items ?? []) : [outcome.object];
      return answered.map(({ metadata }) =>
        objectKey(operation.resource, metadata.namespace ?? '', metadata.name ?? ''),
      );
    },
    shortName: (key) => shortNames.get(key) ?? shortKey(key),
  };
}

function shortKey(key: string): string {
  const [resource = '', , ...name] = key.split('/');
  return `${bare(resource)}/${name.join('/')}`;
}

/** Returns a resource without its API group: `deployments.apps` → `deployments`. */
export function bare(resource: string): string {
  return resource.split('.')[0] ?? resource;
}

/** Returns the key of a revision's object. */
export function keyOf({ resource, namespace, name }: Revision): string {
  return objectKey(resource, namespace, name);
}
