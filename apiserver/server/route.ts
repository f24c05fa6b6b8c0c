/** The resource that a path names. */
import type { ResourceDefinition, ServedVersion } from './definition.ts';

export interface Route {
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
  readonly namespace: string;
  /** The name of the object; empty for collections. */
  readonly name: string;
  readonly subresource: string;
  /** True for a legacy `/watch/` path: the verb is watch, whatever the query is. */
  readonly watching: boolean;
  /** The methods that the path supports, for built-in kinds. For custom resources the handlers check the method. */
  readonly methods?: ReadonlySet<string>;
}
