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
  /** The supported methods of the path, for built-in kinds; verbs of custom resources check on their own. */
  readonly methods?: ReadonlySet<string>;
}
