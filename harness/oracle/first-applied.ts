/** When the user begins. */
import type { History } from '../model/history.ts';

/** Returns when the user created the first object; 0 if there is none. What exists before is there for no object. */
export function firstAppliedAt({ revisions }: History): number {
  return revisions.find(({ type, actor }) => type === 'ADDED' && actor === 'user')?.at ?? 0;
}
