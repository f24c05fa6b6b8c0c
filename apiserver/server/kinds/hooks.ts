/** Hooks that individual built-in kinds add to the strategy from the table. */
import type { JsonObject } from '../../objects/object.ts';
import type { Strategy } from '../definition.ts';

export type Hooks = Partial<
  Pick<
    Strategy,
    | 'admit'
    | 'converted'
    | 'forbid'
    | 'forbidChange'
    | 'readsMore'
    | 'onCreate'
    | 'onStatus'
    | 'normalise'
    | 'validate'
    | 'keepsStatus'
    | 'statusKeeps'
  >
>;

/** Returns the hooks of a kind that always has a status, with the given initial status. */
export function startingWith(status: JsonObject): Hooks {
  return { onCreate: (object) => ({ ...object, status }) };
}
