/** The resource that a path names. */
import type { ResourceDefinition, ServedVersion } from './definition.ts';

export interface Route {
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string;
  /** Legacy `/watch/` path: the verb is watch, whatever the query is. */
  readonly watching: boolean;
  /** The supported methods of the path, for built-in kinds; verbs of custom resources check on their own. */
  readonly methods?: ReadonlySet<string>;
}
