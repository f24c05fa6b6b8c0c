/** The moment from which objects of the user exist. */
import type { History } from '../model/history.ts';

/** Returns the tick at which the user created the first object; 0 if there is none. What the target created before belongs to no object. */
export function firstAppliedAt({ revisions }: History): number {
  return revisions.find(({ type, actor }) => type === 'ADDED' && actor === 'user')?.at ?? 0;
}
