/** What single built-in kinds add to the strategy that the table gives them. */
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

/** A kind whose status is never absent: it starts like this. */
export function startingWith(status: JsonObject): Hooks {
  return { onCreate: (object) => ({ ...object, status }) };
}
