/** What a path names. */
import type { ResourceDefinition, ServedVersion } from './definition.ts';

export interface Route {
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string;
  /** Legacy `/watch/` path: the verb is watch whatever the query says. */
  readonly watching: boolean;
  /** What the path takes, for built-in kinds; verbs of custom resources decide themselves. */
  readonly methods?: ReadonlySet<string>;
}
