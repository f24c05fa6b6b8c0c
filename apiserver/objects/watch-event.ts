/** Watch events, as sent to clients. */
import type { KubeObject, JsonObject } from './object.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One frame of a watch. `object` is a `Status` for ERROR and has only a version for BOOKMARK. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly object: KubeObject | JsonObject;
}
